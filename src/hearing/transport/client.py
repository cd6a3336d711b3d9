"""A client that stays connected: it reconnects for ever, with back-off, and says so."""

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from hearing.errors import HearingError, PeerError, UnavailableError
from hearing.messages.common import PROTO, Event, Hello, Message
from hearing.protocol import OUTBOUND_LINE_BYTES, Dialect, Framer, decode, encode

HELLO_TIMEOUT_S: Final = 5.0
SILENCE_S: Final = 5.0
_FIRST_DELAY_S: Final = 0.1
_LONGEST_DELAY_S: Final = 5.0
_LASTING_S: Final = 5.0
_READ_BYTES: Final = 64 * 1024
_UNSENT_BYTES: Final = 1024 * 1024  # of requests that a hung server has not read

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Up:
    """Connected and greeted; `new_boot` says that the server is another process than the last one."""

    hello: Hello
    new_boot: bool


@dataclass(frozen=True, slots=True)
class Down:
    """Not connected, and why; `attempt` counts the tries since the last `Up`, from 1."""

    reason: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Silent:
    """Connected, but nothing has come for a while: the server hangs."""

    for_s: float


def backoff_s(attempt: int, jitter: float) -> float:
    """Give the wait before try `attempt` (from 1): 0.1 s doubling to 5 s, ± 25 % by `jitter` in [0, 1)."""
    doubled = _FIRST_DELAY_S * 2.0 ** min(attempt - 1, 16)
    return min(_LONGEST_DELAY_S, doubled) * (0.75 + 0.5 * jitter)


class Link(Generic[M]):
    """One server's messages as an endless stream of `Up`, messages, `Silent` and `Down`.

    Events already seen (same `boot_id`, `seq` not above the newest) are left out, so the replay after a
    reconnect adds only what was missed.

    Args:
        path: The socket.
        dialect: What the server says.
        opening: Gives the requests to send after each `hello`.
        silence_s: After how long without a byte `Silent` is given; None never.
        sleep: Waits between tries; injected by tests.
    """

    def __init__(
        self,
        path: str | Path,
        dialect: Dialect[Any],
        *,
        opening: Callable[[], Sequence[Message]] = tuple,
        silence_s: float | None = SILENCE_S,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._path = Path(path)
        self._dialect = dialect
        self._opening = opening
        self._silence_s = silence_s
        self._sleep = sleep
        self._writer: asyncio.StreamWriter | None = None
        self._boot_id: str | None = None
        self._seen_seq = 0

    @property
    def connected(self) -> bool:
        """Say whether a request could be sent now."""
        return self._writer is not None

    def send(self, message: Message) -> None:
        """Send a request; its answer comes in the stream.

        Raises:
            UnavailableError: Not connected, or the server has stopped reading.
        """
        if self._writer is None:
            raise UnavailableError(f"`{self._path.name}` is not connected")
        if self._writer.transport.get_write_buffer_size() > _UNSENT_BYTES:
            raise UnavailableError(f"`{self._path.name}` does not read what it is sent")
        self._writer.write(encode(message))

    async def stream(self) -> AsyncGenerator[M | Up | Down | Silent, None]:
        """Connect and yield, for ever; cancel or `aclose()` to stop.

        A connection that does not last makes the next wait longer, as one that fails does.
        """
        now_s = asyncio.get_running_loop().time
        attempt = short_lived = 0
        while True:
            began_s = now_s()
            try:
                async with contextlib.aclosing(self._one_connection()) as connection:
                    async for item in connection:
                        if isinstance(item, Up):
                            attempt = 0
                        yield item
                reason = "the server closed the connection"
            except HearingError as error:
                reason = error.sentence
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
            attempt += 1
            short_lived = 1 if now_s() - began_s > _LASTING_S else short_lived + 1
            yield Down(reason, attempt)
            await self._sleep(backoff_s(short_lived, random.random()))  # noqa: S311 - spreads retries

    async def _one_connection(self) -> AsyncGenerator[M | Up | Silent, None]:
        reader, writer = await asyncio.open_unix_connection(self._path)
        framer = Framer(OUTBOUND_LINE_BYTES)
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                lines, hello = await self._greeting(reader, framer)
            up = self._greeted(hello)
            self._writer = writer
            for request in self._opening():
                self.send(request)
            yield up
            while True:
                for line in lines:
                    message = self._message(line)
                    if message is not None:
                        yield message
                chunk = await self._read(reader)
                if isinstance(chunk, Silent):
                    yield chunk
                    lines = []
                elif chunk:
                    lines = framer.feed(chunk)
                else:
                    return
        except TimeoutError:
            raise UnavailableError(f"`{self._path.name}` does not greet") from None
        finally:
            self._writer = None
            writer.transport.abort()  # `close` would wait for ever for a server that does not read

    async def _greeting(self, reader: asyncio.StreamReader, framer: Framer) -> tuple[list[bytes], Hello]:
        while True:
            chunk = await reader.read(_READ_BYTES)
            if not chunk:
                raise UnavailableError("the server closed the connection without a word")
            lines = framer.feed(chunk)
            if lines:
                first = decode(self._dialect, lines[0])
                if isinstance(first, Hello):
                    return lines[1:], first
                raise UnavailableError(getattr(first, "message", "the server does not greet"))

    def _greeted(self, hello: Hello) -> Up:
        if hello.proto != PROTO:
            raise UnavailableError(
                f"`{hello.server}` {hello.version} speaks protocol `{hello.proto}`, we speak `{PROTO}`",
                hint="install the same version of both",
            )
        new_boot = hello.boot_id != self._boot_id
        if new_boot:
            self._boot_id, self._seen_seq = hello.boot_id, 0
        return Up(hello, new_boot)

    async def _read(self, reader: asyncio.StreamReader) -> bytes | Silent:
        try:
            async with asyncio.timeout(self._silence_s):
                return await reader.read(_READ_BYTES)
        except TimeoutError:
            return Silent(self._silence_s or 0.0)

    def _message(self, line: bytes) -> M | None:
        """Decode a line; a type we do not know is ignored, an event seen before too."""
        try:
            message: M = decode(self._dialect, line)
        except PeerError as error:
            if error.closes:
                raise
            return None
        if isinstance(message, Event) and isinstance(message.seq, int):
            if message.seq <= self._seen_seq:
                return None
            self._seen_seq = message.seq
        return message
