"""What both kinds of server share: who is let in, the greeting, and a clean end."""

import asyncio
import os
from collections.abc import Callable

from hearing.errors import ErrorCode, PeerError
from hearing.messages.common import Hello
from hearing.transport.connection import Connection, Limits
from hearing.transport.listen import ClaimedSocket
from hearing.transport.peers import peer_of

__all__ = ["Acceptor"]


class Acceptor:
    """Accepts on a claimed socket; subclasses say what a client's bytes mean.

    Args:
        claimed: The socket; released by `stop`.
        hello: The first line of every connection.
        limits: What one client may cost.
        identify: Names the peer of a socket; injected by tests.
    """

    def __init__(
        self,
        claimed: ClaimedSocket,
        hello: Hello,
        *,
        limits: Limits | None = None,
        identify: Callable[..., object] = peer_of,
    ) -> None:
        self.limits = limits or Limits()
        self.hello = hello
        self._claimed = claimed
        self._identify = identify
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._stopping = False

    async def start(self) -> None:
        """Begin to accept."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(self._new_connection, sock=self._claimed.socket)

    async def stop(self) -> None:
        """Stop accepting, let what is queued leave within a moment, give the socket back."""
        self._stopping = True
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._connections):
            connection.close()
        for _ in range(40):  # two turns of the loop for each piece that the kernel takes
            if not self._connections:
                break
            await asyncio.sleep(0)
        for connection in tuple(self._connections):
            connection.abort()
        await asyncio.sleep(0)
        self._claimed.release()

    def admit(self, connection: Connection) -> PeerError | None:
        """Greet the client, or say why not: there are too many, or it came while we stop."""
        if self._stopping:
            return PeerError(ErrorCode.INTERNAL, f"`{self.hello.server}` is stopping", closes=True)
        if len(self._connections) >= self.limits.clients:
            sentence = f"`{self.limits.clients}` clients are connected already"
            return PeerError(ErrorCode.TOO_MANY_CLIENTS, sentence, closes=True)
        self._connections.add(connection)
        connection.send(self.hello)
        self.on_admitted(connection)
        return None

    def on_gone(self, connection: Connection) -> None:
        """Forget the client."""
        self._connections.discard(connection)

    def on_admitted(self, connection: Connection) -> None:
        """Do what this server does right after `hello`."""

    def on_bytes(self, connection: Connection, data: bytes) -> None:
        """Take what the client sent."""
        raise NotImplementedError

    def on_eof(self, connection: Connection) -> None:
        """Close: a client that stopped sending has left."""
        connection.close()

    def _new_connection(self) -> Connection:
        return Connection(self, own_uid=os.geteuid(), identify=self._identify)  # type: ignore[arg-type]
