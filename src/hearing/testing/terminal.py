"""A program in a pseudo-terminal of its own: its keys, its size, its screen, and how it leaves them.

async with Terminal([sys.executable, "-m", "hearing_tui"]) as terminal:
    await terminal.shows("listening")
    terminal.press("q")
    assert await terminal.ended() == 0
    assert terminal.restored() == []
"""

import asyncio
import codecs
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final

DEADLINE_S: Final = 20.0

_SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<private>[<=>?]?)(?P<args>[\d;]*)(?P<kind>[$ ]?[@-~])"  # control sequence
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system command
    r"|\x1b(?![\[\]])[ -/]*[0-~]"  # all others
)
_TAKE_TERMINAL: Final = (
    "import os, sys; os.close(os.open(os.ttyname(0), os.O_RDWR)); os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Run by a session leader: the first terminal it opens becomes its own."""

_MUST_BE_OFF: Final = {1000, 1002, 1003, 1004, 1006, 1015, 1049, 2004, 2026, 2048}
_OTHER_SCREEN: Final = {47: 1049, 1047: 1049}  # three ways to say it, two without a word on the cursor
_MUST_BE_ON: Final = {7, 25}  # line wrap, cursor


class Screen:
    """What a terminal would show: enough of one for programs that place the cursor before they write.

    Attributes:
        modes: Every private mode that was ever set or reset, as it is now.
        kitty_depth: Keyboard protocols pushed and not popped.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.modes: dict[int, bool] = {}
        self.kitty_depth = 0
        self.resize(columns, rows)

    def __repr__(self) -> str:
        return f"<Screen {self._columns}x{self._rows} modes={self.modes}>"

    def resize(self, columns: int, rows: int) -> None:
        """Start blank at another size."""
        self._columns, self._rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0

    @property
    def text(self) -> str:
        """Read it, a line per row, without the blanks at its end."""
        return "\n".join("".join(row).rstrip() for row in self._cells)

    def feed(self, text: str) -> str:
        """Take output, and give back the unfinished sequence at its end."""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
                continue
            found = _SEQUENCE.match(text, at)
            if found is None:
                return text[at:]
            if found["kind"]:
                self._obey(found["private"], found["args"], found["kind"])
            at = found.end()
        return ""

    def _put(self, char: str) -> None:
        if char == "\r":
            self._column = 0
        elif char == "\n":
            self._row = min(self._rows - 1, self._row + 1)
        elif unicodedata.category(char)[0] == "C" or unicodedata.combining(char):
            return
        elif self._row < self._rows:
            cells = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            for offset, shown in enumerate([char, ""][:cells]):
                if self._column + offset < self._columns:
                    self._cells[self._row][self._column + offset] = shown
            self._column += cells

    def _obey(self, private: str, args: str, kind: str) -> None:
        numbers = [int(number) for number in args.split(";") if number]
        if private == "?" and kind in "hl":
            self.modes |= {_OTHER_SCREEN.get(number, number): kind == "h" for number in numbers}
        elif kind == "u" and private in "<>":
            self.kitty_depth = max(0, self.kitty_depth + (1 if private == ">" else -1))
        elif kind == "H":
            row, column = [*numbers, 1, 1][:2]
            self._row, self._column = row - 1, column - 1
        elif kind == "J" and numbers == [2]:
            self.resize(self._columns, self._rows)


class Terminal:
    """A pseudo-terminal with a program as its session leader.

    Attributes:
        output: Every byte the program wrote.
        screen: What they look like.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._argv = argv
        self._env = {**os.environ, "TERM": "xterm-256color", **(env or {})}
        self._size = (columns, rows)
        self._unfinished = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._news = asyncio.Event()
        self.output = bytearray()
        self.screen = Screen(columns, rows)

    async def __aenter__(self) -> "Terminal":
        self._master, self._slave = pty.openpty()
        self._set_size(*self._size)
        self._attributes = termios.tcgetattr(self._slave)
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-S", "-c", _TAKE_TERMINAL),
            *self._argv,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=self._env,
            start_new_session=True,
        )
        asyncio.get_running_loop().add_reader(self._master, self._read)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        self.hang_up()
        os.close(self._slave)

    @property
    def text(self) -> str:
        """Read the screen."""
        return self.screen.text

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as a window manager does."""
        self.screen.resize(columns, rows)
        self._set_size(columns, rows)
        self.signal(signal.SIGWINCH)

    def signal(self, signum: int) -> None:
        """Send a signal to the program."""
        self.process.send_signal(signum)

    def hang_up(self) -> None:
        """Take the terminal away; safe to call twice."""
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1

    async def until(self, so: Callable[[], bool], *, deadline_s: float = DEADLINE_S) -> None:
        """Wait until something is so; it is asked again after every output."""
        try:
            async with asyncio.timeout(deadline_s):
                while not so():
                    self._news.clear()
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._news.wait(), 0.1)
        except TimeoutError:
            raise AssertionError(f"not so within {deadline_s:g} s; the screen:\n{self.text}") from None

    async def shows(self, *words: str, deadline_s: float = DEADLINE_S) -> None:
        """Wait until all these words are on the screen."""
        await self.until(lambda: all(word in self.text for word in words), deadline_s=deadline_s)

    async def ended(self, *, deadline_s: float = DEADLINE_S) -> int:
        """Wait for the program's end and give its exit status, with all it wrote read."""
        async with asyncio.timeout(deadline_s):
            status = await self.process.wait()
        if self._master >= 0:
            os.set_blocking(self._master, False)
            while self._read():
                pass
        return status

    def restored(self) -> list[str]:
        """Name everything that is not as it was before the program began."""
        modes = self.screen.modes
        wrong = [f"mode {mode} is on" for mode in sorted(_MUST_BE_OFF) if modes.get(mode)]
        wrong += [f"mode {mode} is off" for mode in sorted(_MUST_BE_ON) if not modes.get(mode, True)]
        if self.screen.kitty_depth:
            wrong.append(f"{self.screen.kitty_depth} keyboard protocols are left")
        if termios.tcgetattr(self._slave) != self._attributes:
            wrong.append("the line discipline is another")
        return wrong

    def _read(self) -> bool:
        try:
            data = os.read(self._master, 65_536)
        except (OSError, BlockingIOError):  # nothing more, now or ever
            return False
        self.output += data
        self._unfinished = self.screen.feed(self._unfinished + self._decoder.decode(data))
        self._news.set()
        return bool(data)

    def _set_size(self, columns: int, rows: int) -> None:
        size: Any = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, size)
