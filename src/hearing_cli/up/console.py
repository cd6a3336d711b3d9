"""What the supervisor says on stderr; held back while the TUI owns the screen."""

import contextlib
import sys
from collections import deque
from typing import Final, TextIO

from hearing_cli.up.events import Role

LAST_LINES: Final = 20
_HELD_LINES: Final = 60


class Console:
    """Prints a line per state; with `echo`, the children's lines too.

    Nothing printed can fail the supervisor: a terminal that has gone away only costs the words.
    """

    def __init__(self, *, echo: bool, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._echo = echo
        self._quiet = quiet
        self._stream = stream or sys.stderr
        self._held: deque[str] = deque(maxlen=_HELD_LINES)
        self._screen_is_taken = False

    def take_screen(self) -> None:
        """Hold everything back from now on: the TUI draws."""
        self._screen_is_taken = True

    def give_screen_back(self) -> None:
        """Print again what comes from now on."""
        self._screen_is_taken = False

    def tell(self, line: str) -> None:
        """Say how the stack is."""
        self._put(f"hearing: {line}", wanted=not self._quiet)

    def child_line(self, role: Role, line: str) -> None:
        """Pass on a line a child wrote, if that is wanted; it is in the child's ring anyway."""
        if self._echo and not self._screen_is_taken:
            self._print(f"{role:>9} | {line}")

    def last_lines(self, role: Role, lines: list[str]) -> None:
        """Show the end of a failed child's output, unless it was echoed as it came."""
        if not self._echo:
            for line in lines[-LAST_LINES:]:
                self._put(f"{role:>9} | {line}", wanted=True)

    def finish(self, exit_code: int) -> None:
        """After a failure, print what was held back: now somebody can read it."""
        self._screen_is_taken = False
        while self._held:
            line = self._held.popleft()
            if exit_code:
                self._print(line)

    def _put(self, line: str, *, wanted: bool) -> None:
        if self._screen_is_taken:
            self._held.append(line)
        elif wanted:
            self._print(line)

    def _print(self, line: str) -> None:
        with contextlib.suppress(OSError):  # EIO, EPIPE: the terminal is gone, the work is not
            print(line, file=self._stream, flush=True)
