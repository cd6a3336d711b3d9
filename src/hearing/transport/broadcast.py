"""Numbering events and fanning them out; the producer never waits for anybody."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from hearing.clock import Clock, stamp
from hearing.messages.common import Event, Message, Update
from hearing.protocol import encode
from hearing.transport.connection import Connection

RECENT_COUNT = 500
RECENT_MS = 10 * 60 * 1000

E = TypeVar("E", bound=Event)


class Broadcast:
    """The subscribers of one server, the running `seq`, and the recent events a newcomer is sent.

    `keep` says which events are replayed: the last 500 of them or 10 minutes, whichever is less.
    """

    def __init__(self, clock: Clock, keep: Callable[[Message], bool]) -> None:
        self._clock = clock
        self._keep = keep
        self._subscribers: set[Connection] = set()
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=RECENT_COUNT)
        self.last_seq = 0

    def __len__(self) -> int:
        return len(self._subscribers)

    def add(self, connection: Connection, greeting: Iterable[Message]) -> None:
        """Subscribe a client: the greeting first, then the recent events, then everything new.

        One that subscribes again has the events already and gets the greeting alone; one that is leaving
        gets nothing.
        """
        if connection.closing:
            return
        if connection in self._subscribers:
            for message in greeting:
                connection.send(message)
            return
        self._forget_old()
        greeted = [encode(message) for message in greeting]
        connection.outbox.replay([*greeted, *(line for _, line in self._recent)])
        self._subscribers.add(connection)
        connection.pump()

    def remove(self, connection: Connection) -> None:
        """Unsubscribe a client; unknown ones are fine."""
        self._subscribers.discard(connection)

    def publish(self, event: E) -> E:
        """Number and stamp an event, send it to all, and give it back as sent.

        An event that is passed on keeps the `ts` of whoever saw it happen.
        """
        self.last_seq += 1
        stamped = msgspec.structs.replace(event, seq=self.last_seq, ts=event.ts or stamp(self._clock))
        line = encode(stamped)
        if self._keep(event):
            self._recent.append((self._clock.monotonic_ms(), line))
        for connection in self._listening():
            connection.outbox.push_event(line, self.last_seq)
            connection.pump()
        return stamped

    def update(self, update: Update) -> None:
        """Send a newest-wins reading to all."""
        line = encode(msgspec.structs.replace(update, ts=stamp(self._clock)))
        for connection in self._listening():
            connection.outbox.push_update(line, update.conflation_key)
            connection.pump()

    def forget(self) -> None:
        """Drop what would be replayed."""
        self._recent.clear()

    def _listening(self) -> list[Connection]:
        """Leave out who is on the way out: new events would keep it from ever having sent all."""
        return [connection for connection in self._subscribers if not connection.closing]

    def _forget_old(self) -> None:
        oldest = self._clock.monotonic_ms() - RECENT_MS
        while self._recent and self._recent[0][0] < oldest:
            self._recent.popleft()
