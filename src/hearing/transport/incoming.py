"""The client's end of one connection: lines as they come, awaited without a timer or a copy for each."""

import asyncio
from collections import deque
from typing import Final

from hearing.errors import HearingError, PeerError
from hearing.protocol import OUTBOUND_LINE_BYTES, Framer

_QUEUED_LINES: Final = 256  # then the kernel holds the rest, and after it the server notices
_READ_BYTES: Final = 32 * 1024  # into one buffer: asyncio else allocates 256 KiB for each small message


class Incoming(asyncio.BufferedProtocol):
    """What one server says, for one reader.

    A reader that is slow leaves the rest to the kernel's buffer: the server shall notice, not we grow.

    Attributes:
        transport: What the loop gave; requests are written to it.
    """

    transport: asyncio.Transport

    def __init__(self, silence_s: float | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._silence_s = silence_s
        self._framer = Framer(OUTBOUND_LINE_BYTES)
        self._buffer = memoryview(bytearray(_READ_BYTES))
        self._lines: deque[bytes] = deque()
        self._ended = False
        self._failure: HearingError | OSError | None = None
        self._heard_at_s = self._loop.time()
        self._silent = False
        self._watch: asyncio.TimerHandle | None = None
        self._waiter: asyncio.Future[None] | None = None

    def __repr__(self) -> str:
        return f"<Incoming lines={len(self._lines)} ended={self._ended} silent={self._silent}>"

    def next_line(self) -> bytes | None:
        """Give a line that has come already, or None; costs nothing but itself."""
        return self._lines.popleft() if self._lines else None

    async def more(self) -> bool:
        """Wait for a line; False after `silence_s` without a byte.

        Raises:
            EOFError: The server closed.
            PeerError: It sent a line longer than the limit.
            OSError: The connection broke.
        """
        while not self._lines:
            if self._ended:
                raise self._failure or EOFError
            if self._silent:
                self._silent = False
                return False
            self.transport.resume_reading()
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return True

    def abort(self) -> None:
        """Let go of the connection at once, whatever is unsent: a server may never read it."""
        self.transport.abort()

    # --- the loop calls these ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to watch for silence."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if self._silence_s is not None:
            self._watch = self._loop.call_later(self._silence_s, self._check_silence, self._silence_s)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Give the loop the place to read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Cut lines and wake the reader."""
        self._heard_at_s = self._loop.time()
        self._silent = False
        try:
            self._lines.extend(self._framer.feed(bytes(self._buffer[:nbytes])))
        except PeerError as error:
            self._failure = error
            self.transport.abort()
            return
        if len(self._lines) > _QUEUED_LINES:
            self.transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the reader once it has read what came before."""
        self._ended = True
        if self._failure is None and isinstance(exc, OSError):
            self._failure = exc
        if self._watch is not None:
            self._watch.cancel()
        self._wake()

    # --- waiting ---

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _check_silence(self, silence_s: float) -> None:
        """Look once per silence, not once per message: a timer for each would cost more than the message."""
        quiet_s = self._loop.time() - self._heard_at_s
        if quiet_s >= silence_s:
            self._silent = True
            self._wake()
            quiet_s = 0.0
        self._watch = self._loop.call_later(silence_s - quiet_s, self._check_silence, silence_s)
