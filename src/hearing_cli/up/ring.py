"""The newest lines a child wrote: bounded in number and length, in memory only, harmless to print."""

from collections import deque
from typing import Final

from hearing.safe_text import safe_line

RING_LINES: Final = 200
LINE_BYTES: Final = 2_000  # a longer one is cut in pieces


class Ring:
    """Takes bytes as they come from a pipe and keeps the last lines of them."""

    def __init__(self, lines: int = RING_LINES) -> None:
        self._lines: deque[str] = deque(maxlen=lines)
        self._tail = b""

    def feed(self, data: bytes) -> list[str]:
        """Take bytes and give the lines they finish, safe to print."""
        *finished, self._tail = (self._tail + data).split(b"\n")
        while len(self._tail) > LINE_BYTES:
            finished.append(self._tail[:LINE_BYTES])
            self._tail = self._tail[LINE_BYTES:]
        lines = [line for line in map(_readable, finished) if line]
        self._lines.extend(lines)
        return lines

    def end(self) -> list[str]:
        """Take the unfinished line as finished: no more bytes come."""
        return self.feed(b"\n") if self._tail else []

    def last(self, count: int) -> list[str]:
        """Give the newest lines, oldest first."""
        return list(self._lines)[-count:]


def _readable(raw: bytes) -> str:
    return safe_line(raw[:LINE_BYTES].decode("utf-8", "replace"))
