"""`hearing down`: stop what `hearing up` started, and say what is left."""

import argparse
import contextlib
import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hearing import paths, program
from hearing.errors import AlreadyRunningError, ExitCode, HearingError
from hearing.transport.listen import read_hello
from hearing_cli import commands

_EPILOG = """\
Exits 0 when nothing of `hearing up` runs any more, also when nothing ran to begin with; 1 when it would not
end in time. A daemon or an assistant that was started by hand is named, and left running.
"""

LIMIT_S: Final = 20.0
"""Three children of 5 s grace each, and a margin."""

_FIRST_POLL_S: Final = 0.02
_LONGEST_POLL_S: Final = 0.25
_SERVERS: Final = (paths.DAEMON_SOCKET, paths.ASSISTANT_SOCKET)


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `down`."""
    parser = commands.subparser(subparsers, "down", epilog=_EPILOG)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask the supervisor to stop, wait until it has, name what runs on its own."""
    runtime_dir = program.runtime_dir(args.runtime_dir, create=False)
    lock = runtime_dir / paths.UP_LOCK
    if is_held(lock):
        _stop(lock)
    else:
        _say("no `hearing up` is running")
    for line in left_running(runtime_dir):
        _say(line)
    return ExitCode.OK


def is_held(lock: Path) -> bool:
    """Say whether a living process holds the lock."""
    try:
        fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def pid_in(lock: Path) -> int | None:
    """Read who holds a held lock; None for the moment in which it has not said so yet."""
    text = lock.read_text(encoding="ascii", errors="replace").strip()
    return int(text) if text.isdecimal() and int(text) > 1 else None


def _stop(lock: Path) -> None:
    wait_until(lambda: pid_in(lock) is not None, _LONGEST_POLL_S)
    pid = pid_in(lock)
    if pid is None:
        raise HearingError(f"`{lock}` is held by a process that does not say its pid")
    with contextlib.suppress(ProcessLookupError):  # it ended by itself in between
        os.kill(pid, signal.SIGTERM)
    if not wait_until(lambda: not is_held(lock), LIMIT_S):
        raise HearingError(
            f"`hearing up` (pid {pid}) has not ended after {LIMIT_S:g} s", hint=f"`kill -9 {pid}` ends it"
        )
    _say(f"`hearing up` (pid {pid}) has ended")


def left_running(runtime_dir: Path) -> list[str]:
    """Say which servers still answer: they run on their own."""
    lines = []
    for name in _SERVERS:
        try:
            hello = read_hello(runtime_dir / name)
        except AlreadyRunningError as error:
            lines.append(error.sentence)
            continue
        if hello is not None:
            lines.append(
                f"`{hello.server}` (pid {hello.pid}) was started by hand: left running; "
                f"`kill {hello.pid}` ends it"
            )
    return lines


def wait_until(is_so: Callable[[], bool], limit_s: float) -> bool:
    """Ask again and again, ever more slowly; say whether it came true within the limit."""
    deadline_s = time.monotonic() + limit_s
    pause_s = _FIRST_POLL_S
    while not is_so():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(pause_s)
        pause_s = min(_LONGEST_POLL_S, pause_s * 1.5)
    return True


def _say(line: str) -> None:
    print(f"hearing: {line}", file=sys.stderr)
