"""What each child is: its command line, its socket, and how its process is started."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearing import paths
from hearing.process import LIFETIME_FD_VARIABLE, PARENT_PID_VARIABLE
from hearing_cli.up.events import Role


@dataclass(frozen=True, slots=True)
class Program:
    """How a child is started.

    `socket` is what it serves; None for the one that draws on the terminal, in our own session and process
    group, since elsewhere it would see neither resizes nor keys. `takes_stdin` hands it our standard input.
    """

    argv: tuple[str, ...]
    socket: Path | None = None
    takes_stdin: bool = False


_MODULES: Final = {
    Role.DAEMON: "hearing_daemon",
    Role.ASSISTANT: "hearing_assistant",
    Role.TUI: "hearing_tui",
}
_SOCKETS: Final = {Role.DAEMON: paths.DAEMON_SOCKET, Role.ASSISTANT: paths.ASSISTANT_SOCKET}


def programs(
    roles: Sequence[Role],
    runtime_dir: Path,
    *,
    common: Sequence[str] = (),
    daemon: Sequence[str] = (),
    stdin_to_daemon: bool = False,
) -> dict[Role, Program]:
    """Give the suite's own programs for these roles, `common` options for all, `daemon` for that one."""
    return {
        role: Program(
            argv=(
                sys.executable,
                "-m",
                _MODULES[role],
                "--runtime-dir",
                str(runtime_dir),
                *common,
                *(daemon if role is Role.DAEMON else ()),
            ),
            socket=runtime_dir / _SOCKETS[role] if role in _SOCKETS else None,
            takes_stdin=stdin_to_daemon and role is Role.DAEMON,
        )
        for role in roles
    }


def start(program: Program, *, lifetime_fd: int, terminal_fd: int | None) -> "subprocess.Popen[bytes]":
    """Start a child that dies with us: a server in a session of its own, the rest on our terminal.

    Args:
        program: What to start.
        lifetime_fd: The read end of a pipe whose other end only we hold.
        terminal_fd: The terminal, for those standard streams of ours that are redirected.

    Raises:
        OSError: It cannot be started.
    """
    environment = {
        **os.environ,
        PARENT_PID_VARIABLE: str(os.getpid()),
        LIFETIME_FD_VARIABLE: str(lifetime_fd),
    }
    if program.socket is not None:
        return subprocess.Popen(
            program.argv,
            env=environment,
            pass_fds=(lifetime_fd,),
            stdin=None if program.takes_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    streams = [None if terminal_fd is None or os.isatty(fd) else terminal_fd for fd in (0, 1, 2)]
    return subprocess.Popen(
        program.argv,
        env=environment,
        pass_fds=(lifetime_fd,),
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
    )
