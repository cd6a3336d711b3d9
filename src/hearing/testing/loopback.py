"""A server's connection without a socket: bytes go in by a call, lines come out in a list."""

import asyncio
import os
from collections.abc import Callable
from typing import Any

from hearing.messages.common import Hello
from hearing.protocol import Dialect
from hearing.testing.clock import FakeClock
from hearing.transport.connection import Connection, Limits
from hearing.transport.listen import ClaimedSocket
from hearing.transport.peers import Peer
from hearing.transport.server import Client, RequestServer


class Loopback(asyncio.Transport):
    """The transport of one connection; `lines` is all that was written, and nothing ever blocks."""

    def __init__(self, protocol: Connection) -> None:
        super().__init__()
        self.lines: list[bytes] = []
        self._protocol = protocol
        self._closed = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Be one's own socket."""
        return self if name == "socket" else default

    def setsockopt(self, *_arguments: object) -> None:
        """Take any option."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Never block."""

    def write(self, data: "bytes | bytearray | memoryview[Any]") -> None:
        """Keep a line."""
        self.lines.append(bytes(data))

    def is_closing(self) -> bool:
        """Say whether either side has closed."""
        return self._closed

    def close(self) -> None:
        """Close, and tell the protocol at once."""
        if not self._closed:
            self._closed = True
            self._protocol.connection_lost(None)

    def abort(self) -> None:
        """Close."""
        self.close()


class LoopbackServer(RequestServer[Any]):
    """A request server that is handed its clients instead of accepting them."""

    def __init__(
        self, dialect: Dialect[Any], handle: Callable[[Client, Any], None], limits: Limits | None = None
    ) -> None:
        super().__init__(
            ClaimedSocket(None, None, -1, 0),  # type: ignore[arg-type]  # no socket
            Hello(server="loopback", version="1", pid=os.getpid(), boot_id="boot-1"),
            clock=FakeClock(),
            dialect=dialect,
            handle=handle,
            keep=lambda _message: False,
            limits=limits or Limits(requests_per_s=10**9),
        )

    def client(self) -> tuple[Connection, Loopback]:
        """Let a client in."""
        connection = Connection(self, own_uid=0, identify=lambda _socket: Peer(0, None))
        transport = Loopback(connection)
        connection.connection_made(transport)
        return connection, transport


def feed(connection: Connection, data: bytes) -> None:
    """Give bytes as the loop would, in pieces of what the connection takes at a time."""
    rest = memoryview(data)
    while rest:
        place = connection.get_buffer(-1)
        taken = min(len(place), len(rest))
        place[:taken] = rest[:taken]
        connection.buffer_updated(taken)
        rest = rest[taken:]
