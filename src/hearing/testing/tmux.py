"""A tmux server of a test's own: what a person would see, typed into and resized like a person would."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hearing.testing.processes import wait_for

_LIMIT_S = 20.0
_ENDED = "[exit status "
_SHELL = ("sh", "-c", f"\"$@\"; printf '\\n{_ENDED}%d]\\n' $?; read _", "sh")
"""The session must outlive the program, as a user's does; and tmux itself may miss its end."""


class TmuxUnavailableError(RuntimeError):
    """tmux is not installed."""


@dataclass(frozen=True, slots=True)
class Tmux:
    """One window of a running server; `socket` is the server's."""

    socket: Path

    def run(self, *arguments: str) -> str:
        """Run one tmux command and give its output.

        Raises:
            subprocess.CalledProcessError: tmux refused it.
        """
        return subprocess.run(
            ["tmux", "-S", str(self.socket), *arguments],
            check=True,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
        ).stdout

    def type(self, *keys: str) -> None:
        """Press keys, by tmux's names: `q`, `Enter`, `C-c`."""
        self.run("send-keys", *keys)

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the window."""
        self.run("resize-window", "-x", str(columns), "-y", str(lines))

    def screen(self) -> str:
        """Give what is on the screen, as text."""
        return self.run("capture-pane", "-p")

    def pane(self, what: str) -> str:
        """Give a property of the pane by tmux's name, such as `pane_pid` or `alternate_on`."""
        return self.run("display-message", "-p", f"#{{{what}}}").strip()

    def ended(self, *, timeout_s: float = 30.0) -> int:
        """Wait until the program has ended, and give its exit status.

        Raises:
            AssertionError: It did not end in time.
        """
        screen = self.wait_for(_ENDED, timeout_s=timeout_s)
        return int(screen.rpartition(_ENDED)[2].split("]")[0])

    def wait_for(self, text: str, *, timeout_s: float = 30.0) -> str:
        """Wait until the text is on the screen, and give the screen.

        Raises:
            AssertionError: It did not come in time.
        """
        screens: list[str] = []

        def is_there() -> bool:
            screens[:] = [self.screen()]
            return text in screens[0]

        try:
            wait_for(is_there, f"`{text}`", timeout_s=timeout_s)
        except AssertionError as error:
            raise AssertionError(f"{error}, but:\n{screens[0]}") from None
        return screens[0]


@contextmanager
def tmux(
    folder: Path,
    argv: Sequence[str],
    *,
    columns: int = 100,
    lines: int = 30,
    env: Mapping[str, str] | None = None,
) -> Iterator[Tmux]:
    """Run a program in a window until the block ends; the window stays when the program has ended.

    Args:
        folder: Where the server's socket lies.
        argv: The program.
        columns: The window's width.
        lines: The window's height.
        env: Over the test's own environment.

    Raises:
        TmuxUnavailableError: tmux is not installed.
    """
    if shutil.which("tmux") is None:
        raise TmuxUnavailableError("`tmux` is missing: apt install tmux")
    window = Tmux(folder / "tmux")
    size = ("-x", str(columns), "-y", str(lines))
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    command = ["tmux", "-f", "/dev/null", "-S", str(window.socket), "-u", "new-session", "-d", *size, "cat"]
    subprocess.run(command, check=True, timeout=_LIMIT_S, env=environment)
    try:
        window.run("set-option", "-g", "remain-on-exit", "on")
        window.run("respawn-pane", "-k", *_SHELL, *argv)
        yield window
    finally:
        window.run("kill-server")
