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
from hearing.protocol import Dialect, decode, encode
from hearing.transport.incoming import Incoming

HELLO_TIMEOUT_S: Final = 5.0
SILENCE_S: Final = 5.0
_FIRST_DELAY_S: Final = 0.1
_LONGEST_DELAY_S: Final = 5.0
_LASTING_S: Final = 5.0
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
        self._transport: asyncio.Transport | None = None
        self._boot_id: str | None = None
        self._seen_seq = 0

    @property
    def connected(self) -> bool:
        """Say whether a request could be sent now."""
        return self._transport is not None

    def send(self, message: Message) -> None:
        """Send a request; its answer comes in the stream.

        Raises:
            UnavailableError: Not connected, or the server has stopped reading.
        """
        if self._transport is None:
            raise UnavailableError(f"`{self._path.name}` is not connected")
        if self._transport.get_write_buffer_size() > _UNSENT_BYTES:
            raise UnavailableError(f"`{self._path.name}` does not read what it is sent")
        self._transport.write(encode(message))

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
            except EOFError:
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
        loop = asyncio.get_running_loop()
        _, incoming = await loop.create_unix_connection(lambda: Incoming(self._silence_s), str(self._path))
        try:
            up = await self._greeting(incoming)
            self._transport = incoming.transport
            for request in self._opening():
                self.send(request)
            yield up
            while True:
                while (line := incoming.next_line()) is not None:
                    if (message := self._message(line)) is not None:
                        yield message
                if not await incoming.more():
                    yield Silent(self._silence_s or 0.0)
        finally:
            self._transport = None
            incoming.abort()

    async def _greeting(self, incoming: Incoming) -> Up:
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                while (line := incoming.next_line()) is None:
                    await incoming.more()
        except EOFError:
            raise UnavailableError("the server closed the connection without a word") from None
        except TimeoutError:
            raise UnavailableError(f"`{self._path.name}` does not greet") from None
        first = decode(self._dialect, line)
        if isinstance(first, Hello):
            return self._greeted(first)
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
