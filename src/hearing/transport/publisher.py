"""A publish-only server: it greets, replays, and sends; a byte received ends the connection."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hearing.clock import Clock
from hearing.messages.common import Event, Hello, Message, Update
from hearing.transport.acceptor import Acceptor
from hearing.transport.broadcast import Broadcast
from hearing.transport.connection import Connection, Limits
from hearing.transport.listen import ClaimedSocket

E = TypeVar("E", bound=Event)


class Publisher(Acceptor):
    """Sends every event to everybody and listens to nobody.

    Args:
        claimed: The socket.
        hello: The first line of every connection.
        clock: Stamps events and ages the replay.
        snapshot: Gives the lines that follow `hello`; called with the `seq` they cover.
        keep: Says which events a newcomer is sent.
        on_subscriber: Called at each new subscriber.
        limits: What one client may cost.
        identify: Names the peer of a socket; injected by tests.
    """

    def __init__(
        self,
        claimed: ClaimedSocket,
        hello: Hello,
        *,
        clock: Clock,
        snapshot: Callable[[int], Sequence[Message]],
        keep: Callable[[Message], bool],
        on_subscriber: Callable[[], None] = lambda: None,
        limits: Limits | None = None,
        **acceptor: Callable[..., object],
    ) -> None:
        super().__init__(claimed, hello, limits=limits, **acceptor)
        self._broadcast = Broadcast(clock, keep)
        self._snapshot = snapshot
        self._on_subscriber = on_subscriber

    @property
    def subscribers(self) -> int:
        """Count who is connected."""
        return len(self._broadcast)

    def publish(self, event: E) -> E:
        """Number, stamp and send an event; returns it as sent, at once."""
        return self._broadcast.publish(event)

    def update(self, update: Update) -> None:
        """Send a newest-wins reading, at once."""
        self._broadcast.update(update)

    def on_admitted(self, connection: Connection) -> None:
        """Subscribe whoever connects, unasked."""
        self._broadcast.add(connection, self._snapshot(self._broadcast.last_seq))
        self._on_subscriber()

    def on_bytes(self, connection: Connection, data: bytes) -> None:
        """Close: nobody gives a publisher orders."""
        connection.abort()

    def on_gone(self, connection: Connection) -> None:
        """Unsubscribe."""
        self._broadcast.remove(connection)
        super().on_gone(connection)
