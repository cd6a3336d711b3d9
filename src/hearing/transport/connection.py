"""One accepted client: its bytes in, its outbox out, and the deadlines that protect everybody else."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hearing.errors import ErrorCode, PeerError
from hearing.messages.common import Error, Message
from hearing.protocol import INBOUND_LINE_BYTES, Framer, encode
from hearing.transport.outbox import MAX_QUEUED_BYTES, MAX_QUEUED_LINES, BoxFullError, Outbox
from hearing.transport.peers import Peer, has_hung_up, peer_of

_HANG_UP_POLL_S = 1.0
_READ_BYTES = 16 * 1024  # at a time: asyncio else takes 256 KiB of whatever a client pours in
_SEND_BUFFER_BYTES = 16 * 1024  # the kernel else takes hundreds of small events before a write would block


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may cost; the defaults are the protocol's."""

    clients: int = 64
    line_bytes: int = INBOUND_LINE_BYTES
    line_s: float = 5.0  # a started line must end within
    stall_s: float = 5.0  # after the first write that would block
    queued_bytes: int = MAX_QUEUED_BYTES
    queued_lines: int = MAX_QUEUED_LINES
    requests_per_s: int = 50


class Host(Protocol):
    """The server behind a connection."""

    limits: Limits

    def admit(self, connection: "Connection") -> PeerError | None:
        """Take the client in and greet it, or say why not."""
        ...

    def on_bytes(self, connection: "Connection", data: bytes) -> None:
        """Take what the client sent."""
        ...

    def on_eof(self, connection: "Connection") -> None:
        """Note that the client will send no more."""
        ...

    def on_gone(self, connection: "Connection") -> None:
        """Forget the client; called once for every admitted one."""
        ...


class Connection(asyncio.BufferedProtocol):
    """A client as the loop sees it: refuses foreign users before a byte is parsed, aborts when stalled.

    Attributes:
        peer: Who connected; set before the host sees the client.
        outbox: What it still has to be sent.
        framer: Its unfinished line.
    """

    def __init__(
        self,
        host: Host,
        *,
        own_uid: int,
        identify: Callable[[socket.socket], Peer] = peer_of,
    ) -> None:
        self._host = host
        self._own_uid = own_uid
        self._identify = identify
        self._transport: asyncio.Transport | None = None
        self._paused = False
        self._admitted = False
        self._closing = False
        self._stall: asyncio.TimerHandle | None = None
        self._slow_line: asyncio.TimerHandle | None = None
        self._hang_up: asyncio.TimerHandle | None = None
        self._buffer = memoryview(bytearray(_READ_BYTES))
        self.peer = Peer(-1, None)
        self.outbox = Outbox(max_bytes=host.limits.queued_bytes, max_lines=host.limits.queued_lines)
        self.framer = Framer(host.limits.line_bytes)

    @property
    def closing(self) -> bool:
        """Say whether it is on its way out: nothing it still sends is read, nothing new is sent to it."""
        return self._closing

    def __repr__(self) -> str:
        return (
            f"<Connection pid={self.peer.pid} paused={self._paused} closing={self._closing} {self.outbox!r}>"
        )

    # --- the loop calls these ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Check who it is, shrink the kernel's buffer, and ask the host."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        raw = transport.get_extra_info("socket")
        try:
            self.peer = self._identify(raw)
        except OSError:  # a peer that cannot be named is foreign
            self.peer = Peer(-1, None)
        if self.peer.uid != self._own_uid:
            transport.abort()
            return
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        transport.set_write_buffer_limits(high=0)  # pause at the first byte the kernel does not take
        self._admitted = True
        with contextlib.ExitStack() as half_admitted:
            half_admitted.callback(self.abort)  # a host that fails must not keep a client that gets nothing
            refusal = self._host.admit(self)
            half_admitted.pop_all()
        if refusal is not None:
            self._admitted = False
            self.refuse(refusal)
            return
        self.pump()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Give the loop the place to read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Pass bytes on, and start the clock of an unfinished line."""
        if self._closing or not self._admitted:
            return
        finished_before = self.framer.finished_lines
        self._host.on_bytes(self, bytes(self._buffer[:nbytes]))
        self._watch_line(same_line=self.framer.finished_lines == finished_before)

    def eof_received(self) -> bool:
        """Let the host decide what a client that stopped sending is owed."""
        if self._admitted:
            self._host.on_eof(self)
        if self._admitted and not self._closing:
            self._watch_hang_up()
        return self._admitted and not self._closing

    def pause_writing(self) -> None:
        """Stop writing; the client has `stall_s` to read something."""
        self._paused = True
        self._stall = asyncio.get_running_loop().call_later(self._host.limits.stall_s, self.abort)

    def resume_writing(self) -> None:
        """Go on writing, in the loop's next turn.

        Closing from inside this call would make asyncio tell of the lost connection twice.
        """
        self._paused = False
        self._cancel_stall()
        asyncio.get_running_loop().call_soon(self.pump)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel every timer and tell the host."""
        self._closing = True
        self._cancel_stall()
        self._cancel_slow_line()
        if self._hang_up is not None:
            self._hang_up.cancel()
        if self._admitted:
            self._admitted = False
            self._host.on_gone(self)

    # --- the host calls these ---

    def send(self, message: Message) -> None:
        """Queue a greeting or an answer; a client without room for it is cut off."""
        if self._transport is None or self._transport.is_closing():
            return  # it left before its answer came
        try:
            self.outbox.push(encode(message))
        except BoxFullError:
            self.abort()
            return
        self.pump()

    def refuse(self, error: PeerError) -> None:
        """Send one `error` and, if it is that kind, close."""
        self.send(Error(code=error.code, message=error.sentence, hint=error.hint))
        if error.closes:
            self.close()

    def pump(self) -> None:
        """Write until the kernel would block or nothing is left."""
        while not self._paused and self._transport is not None and not self._transport.is_closing():
            line = self.outbox.pop()
            if line is not None:
                self._transport.write(line)
            elif self._closing:
                self._transport.close()
            else:
                return

    def close(self) -> None:
        """Read no more, and close once everything queued is sent or the stall deadline has passed."""
        self._closing = True
        self._cancel_slow_line()
        self.pump()

    def abort(self) -> None:
        """Close now and give the memory back; `close` alone would keep what was written."""
        self._closing = True
        if self._transport is not None:
            self._transport.abort()

    # --- timers ---

    def _watch_hang_up(self) -> None:
        """Ask now and then whether a client that sends no more is still there: the loop no longer tells."""
        assert self._transport is not None
        if has_hung_up(self._transport.get_extra_info("socket")):
            self.abort()
            return
        self._hang_up = asyncio.get_running_loop().call_later(_HANG_UP_POLL_S, self._watch_hang_up)

    def _watch_line(self, *, same_line: bool) -> None:
        if same_line and self._slow_line is not None:
            return  # a byte now and then does not buy an old line more time
        self._cancel_slow_line()
        if self.framer.pending_bytes and not self._closing:
            self._slow_line = asyncio.get_running_loop().call_later(self._host.limits.line_s, self._too_slow)

    def _too_slow(self) -> None:
        sentence = f"a started line did not end within `{self._host.limits.line_s:g}` s"
        self.refuse(PeerError(ErrorCode.TOO_SLOW, sentence, closes=True))

    def _cancel_stall(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _cancel_slow_line(self) -> None:
        if self._slow_line is not None:
            self._slow_line.cancel()
            self._slow_line = None
