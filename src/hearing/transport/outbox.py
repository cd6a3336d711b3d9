"""What one client still has to be sent: bounded, conflated, and honest about what did not fit. No I/O."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hearing.messages.common import Lost
from hearing.protocol import encode

MAX_QUEUED_BYTES = 1024 * 1024
MAX_QUEUED_LINES = 1024
_LOST_ROOM_BYTES = 128  # an encoded `lost` is shorter; this much is never given away


class BoxFullError(Exception):
    """A line that may not be dropped does not fit: the client must go."""


@dataclass(slots=True, eq=False)
class _Line:
    data: bytes
    key: str | None


class Outbox:
    """Lines for one client, oldest first; a replay is drawn lazily where it was put into the queue.

    An update replaces an unsent one of the same key. When the box is full updates go first, then events,
    counted into one `lost` line that is sent in their place once there is room again.
    """

    def __init__(self, *, max_bytes: int = MAX_QUEUED_BYTES, max_lines: int = MAX_QUEUED_LINES) -> None:
        self._replay: Iterator[bytes] = iter(())
        self._before_replay = 0  # answers that were queued first
        self._lines: deque[_Line] = deque()
        self._by_key: dict[str, _Line] = {}
        self._bytes = 0
        self._max_bytes = max_bytes - _LOST_ROOM_BYTES
        self._max_lines = max_lines
        self._lost_from: int | None = None
        self._lost_count = 0

    def __repr__(self) -> str:
        return f"<Outbox lines={len(self._lines)} bytes={self._bytes} lost={self._lost_count}>"

    @property
    def queued_bytes(self) -> int:
        """Count the bytes held for this client alone; the replay is shared and not counted."""
        return self._bytes

    def replay(self, lines: Iterable[bytes]) -> None:
        """Send these after what is queued now and before what comes later, drawn as the client drains.

        Called once, before the first update or event: what is queued are answers, and they stay.
        """
        self._replay = iter(lines)
        self._before_replay = len(self._lines)

    def push(self, data: bytes) -> None:
        """Queue an answer or a greeting, which may not be lost.

        Raises:
            BoxFullError: No room even without updates.
        """
        if not self._fits(data) and not (self._drop_updates() and self._fits(data)):
            raise BoxFullError
        self._append(_Line(data, None))

    def push_update(self, data: bytes, key: str) -> None:
        """Queue a newest-wins line; it is dropped where there is no room."""
        waiting = self._by_key.get(key)
        if waiting is not None:
            self._replace(waiting, data)
        elif self._lost_from is None and self._fits(data):
            line = _Line(data, key)
            self._by_key[key] = line
            self._append(line)

    def push_event(self, data: bytes, seq: int) -> None:
        """Queue a numbered event, or count it as lost."""
        if self._lost_from is None and (self._fits(data) or (self._drop_updates() and self._fits(data))):
            self._append(_Line(data, None))
            return
        if self._lost_from is None:
            self._lost_from = seq
        self._lost_count += 1

    def pop(self) -> bytes | None:
        """Take the next line to write, or None when all is sent."""
        if self._before_replay:
            self._before_replay -= 1
        elif (replayed := next(self._replay, None)) is not None:
            return replayed
        if not self._lines:
            return self._settle()
        line = self._lines.popleft()
        self._bytes -= len(line.data)
        if line.key is not None:
            self._by_key.pop(line.key, None)
        return line.data

    def _settle(self) -> bytes | None:
        """Announce what was lost, in its place: everything older is sent, everything newer comes later."""
        if self._lost_from is None:
            return None
        announcement = encode(Lost(from_seq=self._lost_from, count=self._lost_count))
        self._lost_from, self._lost_count = None, 0
        return announcement

    def _fits(self, data: bytes) -> bool:
        return len(self._lines) < self._max_lines and self._bytes + len(data) <= self._max_bytes

    def _replace(self, waiting: _Line, data: bytes) -> None:
        """Put newer words in the place of older ones; without room for them neither is sent."""
        grown_bytes = len(data) - len(waiting.data)
        if self._bytes + grown_bytes > self._max_bytes:
            self._lines.remove(waiting)
            self._bytes -= len(waiting.data)
            del self._by_key[waiting.key or ""]
            return
        self._bytes += grown_bytes
        waiting.data = data

    def _append(self, line: _Line) -> None:
        self._lines.append(line)
        self._bytes += len(line.data)

    def _drop_updates(self) -> bool:
        """Give up every unsent update; say whether that freed anything."""
        if not self._by_key:
            return False
        self._lines = deque(line for line in self._lines if line.key is None)
        self._bytes = sum(len(line.data) for line in self._lines)
        self._by_key.clear()
        return True
