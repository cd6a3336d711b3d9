"""A request server: one message, one answer, and events for those who subscribed."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from hearing.clock import Clock
from hearing.errors import ErrorCode, PeerError
from hearing.messages.common import Error, Event, Hello, Message, Update
from hearing.messages.control import Answer, Request
from hearing.protocol import Dialect, decode, request_id_of
from hearing.transport.acceptor import Acceptor
from hearing.transport.broadcast import Broadcast
from hearing.transport.connection import Connection, Limits
from hearing.transport.listen import ClaimedSocket

E = TypeVar("E", bound=Event)
R = TypeVar("R", bound=Request)


class Client:
    """One client as a handler sees it.

    Attributes:
        viewer: Whether a person watches through it.
        name: What it calls itself.
        pid: Its process id, or None where the system does not tell.
    """

    def __init__(self, connection: Connection, broadcast: Broadcast) -> None:
        self._connection = connection
        self._broadcast = broadcast
        self._unanswered = 0
        self._eof = False
        self._recent_requests_ms: deque[int] = deque()
        self.viewer = False
        self.name = ""
        self.pid = connection.peer.pid

    def answer(self, request: Request, answer: Answer | Error) -> None:
        """Send the one answer to a request, with its `request_id`."""
        self._connection.send(msgspec.structs.replace(answer, request_id=request.request_id))
        self._unanswered -= 1
        self._leave_if_done()

    def subscribe(self, greeting: Sequence[Message]) -> None:
        """Send the greeting, the recent events, and every event from now on."""
        self._broadcast.add(self._connection, greeting)

    def took_request(self) -> None:
        """Note that an answer is owed."""
        self._unanswered += 1

    def took_eof(self) -> None:
        """Note that no more requests come: the client goes once it has its answers."""
        self._eof = True
        self._leave_if_done()

    def within_rate(self, now_ms: int, per_s: int) -> bool:
        """Say whether one more request fits into the last second, and count it if so."""
        while self._recent_requests_ms and self._recent_requests_ms[0] <= now_ms - 1000:
            self._recent_requests_ms.popleft()
        if len(self._recent_requests_ms) >= per_s:
            return False
        self._recent_requests_ms.append(now_ms)
        return True

    def _leave_if_done(self) -> None:
        if self._eof and self._unanswered == 0:
            self._connection.close()


class RequestServer(Acceptor, Generic[R]):
    """Decodes requests and hands each to `handle(client, request)`, which answers now or later.

    Args:
        claimed: The socket.
        hello: The first line of every connection.
        clock: Stamps events, ages the replay, counts the request rate.
        dialect: The requests it understands.
        handle: Must see to it that every request is answered exactly once.
        keep: Says which events a new subscriber is sent.
        on_left: Called when a client has gone.
        limits: What one client may cost.
        identify: Names the peer of a socket; injected by tests.
    """

    def __init__(
        self,
        claimed: ClaimedSocket,
        hello: Hello,
        *,
        clock: Clock,
        dialect: Dialect[R],
        handle: Callable[[Client, R], None],
        keep: Callable[[Message], bool],
        on_left: Callable[[Client], None] = lambda _client: None,
        limits: Limits | None = None,
        **acceptor: Callable[..., object],
    ) -> None:
        super().__init__(claimed, hello, limits=limits, **acceptor)
        self._clock = clock
        self._dialect = dialect
        self._handle = handle
        self._on_left = on_left
        self._broadcast = Broadcast(clock, keep)
        self._clients: dict[Connection, Client] = {}

    @property
    def last_seq(self) -> int:
        """Give the number of the newest event."""
        return self._broadcast.last_seq

    @property
    def viewers(self) -> int:
        """Count the clients through which a person watches."""
        return sum(client.viewer for client in self._clients.values())

    def publish(self, event: E) -> E:
        """Number, stamp and send an event to all subscribers; returns it as sent, at once."""
        return self._broadcast.publish(event)

    def update(self, update: Update) -> None:
        """Send a newest-wins reading to all subscribers, at once."""
        self._broadcast.update(update)

    def on_admitted(self, connection: Connection) -> None:
        """Remember the client; it gets no events until it subscribes."""
        self._clients[connection] = Client(connection, self._broadcast)

    def on_gone(self, connection: Connection) -> None:
        """Forget the client and say so."""
        self._broadcast.remove(connection)
        client = self._clients.pop(connection)
        super().on_gone(connection)
        self._on_left(client)

    def on_eof(self, connection: Connection) -> None:
        """Let `printf … | socat` have its answers before the connection closes."""
        self._clients[connection].took_eof()

    def on_bytes(self, connection: Connection, data: bytes) -> None:
        """Cut bytes into requests and handle each."""
        try:
            lines = connection.framer.feed(data)
        except PeerError as error:
            connection.refuse(error)
            return
        for line in lines:
            if connection.closing:  # refused or cut off by a line before: nothing more is carried out
                return
            self._on_line(connection, line)

    def _on_line(self, connection: Connection, line: bytes) -> None:
        """Handle one request, or refuse it."""
        client = self._clients[connection]
        try:
            if not client.within_rate(self._clock.monotonic_ms(), self.limits.requests_per_s):
                sentence = f"more than `{self.limits.requests_per_s}` requests a second"
                raise PeerError(ErrorCode.RATE_LIMITED, sentence, closes=False)
            request = decode(self._dialect, line)
        except PeerError as error:
            self._refuse(connection, error, line)
            return
        client.took_request()
        self._handle(client, request)

    def _refuse(self, connection: Connection, error: PeerError, line: bytes) -> None:
        request_id = request_id_of(line) if not error.closes else None
        connection.send(
            Error(
                code=error.code,
                message=error.sentence,
                hint=error.hint,
                request_id=msgspec.UNSET if request_id is None else request_id,
            )
        )
        if error.closes:
            connection.close()
