"""A link reconnects for ever, says so, and gives each event once."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hearing.errors import UnavailableError
from hearing.messages.common import Hello, Transcript
from hearing.messages.control import ControlMessage, StatusGet, Subscribe
from hearing.messages.daemon import DaemonMessage
from hearing.protocol import CONTROL, DAEMON, encode
from hearing.testing.wire import DEADLINE_S, eventually, turns
from hearing.transport.client import Down, Link, Silent, Up, backoff_s
from hearing.transport.publisher import Publisher
from hearing.types import Channel

HELLO = Hello(server="hearing-test", version="1", pid=4242, boot_id="boot-1")
Item = DaemonMessage | Up | Down | Silent
Start = Callable[..., Awaitable[Publisher]]


def said(text: str) -> Transcript:
    return Transcript(seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=1, text=text)


class Sleeps:
    """A sleep that takes no time and remembers what was asked of it."""

    def __init__(self) -> None:
        self.asked_s: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked_s.append(seconds)
        await asyncio.sleep(0.001)


class Reader:
    """The stream of one link, item by item, under a deadline."""

    def __init__(self, stream: AsyncGenerator[Any, None]) -> None:
        self.stream = stream

    async def next(self) -> Any:
        async with asyncio.timeout(DEADLINE_S):
            return await anext(self.stream)

    async def until(self, kind: type[Any]) -> Any:
        while not isinstance(item := await self.next(), kind):
            pass
        return item


@pytest.fixture
async def follow(path: Path) -> AsyncIterator[Callable[..., tuple[Link[Any], Reader]]]:
    """Give a way to open links; all are closed after the test."""
    async with contextlib.AsyncExitStack() as stack:

        def one(**options: Any) -> tuple[Link[Any], Reader]:
            options.setdefault("sleep", Sleeps())
            link: Link[Any] = Link(path, options.pop("dialect", DAEMON), **options)
            stream = link.stream()
            stack.push_async_callback(stream.aclose)
            return link, Reader(stream)

        yield one


Follow = Callable[..., tuple[Link[Any], Reader]]


@contextlib.asynccontextmanager
async def scripted(path: Path, *scripts: bytes, hold: bool = False) -> AsyncIterator[list[bytes]]:
    """A server that says one script per connection (the last for ever); gives all it was sent."""
    heard: list[bytes] = []
    left = list(scripts)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(left.pop(0) if len(left) > 1 else left[0])
            if hold:
                while chunk := await reader.read(65536):
                    heard.append(chunk)
        finally:
            writer.close()

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        server = await asyncio.start_unix_server(serve, sock=listening)
        try:
            yield heard
        finally:
            server.close()
            path.unlink(missing_ok=True)
            await turns()


async def test_it_is_down_until_the_server_comes_then_up(publisher: Start, follow: Follow) -> None:
    link, items = follow()
    first, second = await items.next(), await items.next()
    assert (first, second) == (Down("no such file or directory", 1), Down("no such file or directory", 2))
    assert not link.connected
    await publisher()
    up = await items.until(Up)
    assert (up.hello, up.new_boot) == (HELLO, True)
    assert link.connected


async def test_a_message_comes_as_its_struct(publisher: Start, follow: Follow) -> None:
    server = await publisher()
    _, items = follow()
    await items.until(Up)
    sent = server.publish(said("hello"))
    assert await items.next() == sent


async def test_the_replay_after_a_reconnect_adds_only_what_was_missed(
    publisher: Start, follow: Follow
) -> None:
    server = await publisher()
    _, items = follow()
    await items.until(Up)
    for text in ("one", "two"):
        server.publish(said(text))
        assert (await items.next()).text == text
    (connection,) = server._connections
    connection.abort()
    server.publish(said("three"))
    assert isinstance(await items.next(), Down)
    up = await items.next()
    assert isinstance(up, Up)
    assert not up.new_boot
    assert (await items.next()).text == "three"
    server.publish(said("four"))
    assert (await items.next()).text == "four"


async def test_another_boot_starts_the_numbers_anew(path: Path, follow: Follow) -> None:
    line = encode(Transcript(seq=1, ts="t", seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=1, text="x"))
    boots = [encode(HELLO) + line, encode(HELLO) + line]
    boots.append(encode(Hello(server="s", version="1", pid=1, boot_id="boot-2")) + line)
    _, items = follow()
    async with scripted(path, *boots):
        seen = [await items.next() for _ in range(7)]
    assert [type(item).__name__ for item in seen] == [
        *("Up", "Transcript", "Down"),
        *("Up", "Down"),
        *("Up", "Transcript"),
    ]
    assert [item.new_boot for item in seen if isinstance(item, Up)] == [True, False, True]


async def test_a_server_that_says_nothing_is_silent_and_one_that_speaks_again_is_heard(
    publisher: Start, follow: Follow
) -> None:
    server = await publisher()
    _, items = follow(silence_s=0.05)
    await items.until(Up)
    assert await items.next() == Silent(0.05)
    assert await items.next() == Silent(0.05)
    server.publish(said("back"))
    assert (await items.until(Transcript)).text == "back"


async def test_silence_may_be_no_matter(publisher: Start, follow: Follow) -> None:
    server = await publisher()
    _, items = follow(silence_s=None)
    await items.until(Up)
    server.publish(said("x"))
    assert isinstance(await items.next(), Transcript)


@pytest.mark.parametrize(
    ("said_first", "reason"),
    [
        (b"", "the server closed the connection without a word"),
        (b"SSH-2.0\n", "a line is not a JSON object"),
        (encode(said("x")), "the server does not greet"),
        (b'{"type":"error","code":"too_many_clients","message":"64 are here"}\n', "64 are here"),
        (b'{"type":"fly"}\n', "`fly` is no known type"),
        (
            b'{"type":"hello","server":"s","version":"9","pid":1,"boot_id":"b","proto":2}\n',
            "`s` 9 speaks protocol `2`, we speak `1`",
        ),
        (b"x" * 300_000, "a line is longer than `262144` bytes"),
    ],
)
async def test_a_server_that_does_not_greet_is_down_with_the_reason(
    path: Path, follow: Follow, said_first: bytes, reason: str
) -> None:
    link, items = follow()
    async with scripted(path, said_first):
        down = await items.next()
        assert isinstance(down, Down)
        assert down.reason == reason
        assert not link.connected


async def test_a_server_that_does_not_greet_in_time_is_down(
    path: Path, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearing.transport.client.HELLO_TIMEOUT_S", 0.05)
    _, items = follow()
    async with scripted(path, b"", hold=True):
        assert await items.next() == Down("`hearing-test.sock` does not greet", 1)


async def test_unknown_types_are_ignored_and_a_malformed_line_reconnects(path: Path, follow: Follow) -> None:
    _, items = follow()
    script = encode(HELLO) + b'{"type":"new_thing","x":1}\n{"type":"health","part":"nose"}\n'
    async with scripted(path, script + encode(said("x")) + b"rubbish\n"):
        assert [type(await items.next()).__name__ for _ in range(4)] == ["Up", "Transcript", "Down", "Up"]


async def test_any_chunking_of_the_stream_gives_the_same_messages(path: Path, follow: Follow) -> None:
    script = encode(HELLO) + encode(said("é")) + encode(said("two"))

    async def drip(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in script:
            writer.write(bytes([byte]))
            await asyncio.sleep(0)
        writer.close()

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        server = await asyncio.start_unix_server(drip, sock=listening)
        _, items = follow()
        assert isinstance(await items.next(), Up)
        assert [(await items.next()).text for _ in range(2)] == ["é", "two"]
        server.close()
        await turns()


# --- requests ---


async def test_the_opening_requests_are_sent_at_every_connection(path: Path, follow: Follow) -> None:
    link, items = follow(dialect=CONTROL, opening=lambda: [Subscribe(viewer=True)])
    async with scripted(path, encode(HELLO), hold=True) as heard:
        await items.until(Up)
        assert link.connected
        link.send(StatusGet(request_id=1))
        await eventually(lambda: b"".join(heard).count(b"\n") == 2)
    assert b"".join(heard) == encode(Subscribe(viewer=True)) + encode(StatusGet(request_id=1))


async def test_nothing_can_be_sent_while_down(path: Path) -> None:
    link: Link[ControlMessage] = Link(path, CONTROL)
    with pytest.raises(UnavailableError, match=r"`hearing-test\.sock` is not connected"):
        link.send(StatusGet())


async def test_a_server_that_does_not_read_bounds_what_can_be_sent_and_cannot_hold_the_link(
    path: Path, follow: Follow
) -> None:
    link, items = follow(dialect=CONTROL)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        connecting = asyncio.create_task(items.next())
        await turns()
        hung, _ = listening.accept()
        with hung:
            hung.sendall(encode(HELLO))
            assert isinstance(await connecting, Up)
            with pytest.raises(UnavailableError, match="does not read what it is sent"):
                send_for_ever(link)
            await items.stream.aclose()
            await turns()
            assert not link.connected
            hung.settimeout(5)
            with contextlib.suppress(ConnectionResetError):
                while hung.recv(1 << 20):
                    pass


def send_for_ever(link: Link[Any]) -> None:
    for _ in range(1000):
        link.send(Subscribe(name="x" * 10_000))


# --- the end ---


async def test_leaving_the_stream_closes_the_socket_at_once(publisher: Start, follow: Follow) -> None:
    server = await publisher()
    link, items = follow()
    await items.until(Up)
    await items.stream.aclose()
    assert not link.connected
    await eventually(lambda: server.subscribers == 0)


@pytest.mark.parametrize("when", ["down", "greeting", "up"])
async def test_cancelling_leaves_no_socket_and_no_task(
    path: Path, follow: Follow, when: str, publisher: Start
) -> None:
    _, items = follow(sleep=asyncio.sleep, silence_s=None)
    reached = asyncio.Event()

    async def run() -> None:
        async for item in items.stream:
            if isinstance(item, {"down": Down, "up": Up}.get(when, ())):
                reached.set()

    async with contextlib.AsyncExitStack() as stack:
        if when == "up":
            await publisher()
        if when == "greeting":
            heard = await stack.enter_async_context(scripted(path, b"", hold=True))
            assert heard == []
        task = asyncio.create_task(run())
        await (turns() if when == "greeting" else asyncio.wait_for(reached.wait(), DEADLINE_S))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


# --- waiting ---


def test_the_wait_doubles_from_a_tenth_to_five_seconds_and_is_spread_by_a_quarter() -> None:
    assert [backoff_s(attempt, 0.5) for attempt in range(1, 8)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0]
    assert backoff_s(10**9, 0.5) == 5.0
    assert (backoff_s(1, 0.0), backoff_s(1, 1.0)) == pytest.approx((0.075, 0.125))


async def test_a_server_that_greets_and_dies_is_waited_for_longer_each_time(
    path: Path, follow: Follow
) -> None:
    """Else a request it chokes on would be sent ten times a second, for ever."""
    sleeps = Sleeps()
    _, items = follow(sleep=sleeps)
    async with scripted(path, encode(HELLO)):
        for _ in range(6):
            assert (await items.until(Down)).attempt == 1
    assert sleeps.asked_s == sorted(sleeps.asked_s)
    assert sleeps.asked_s[-1] > 1


async def test_a_connection_that_lasted_starts_the_waits_anew(
    publisher: Start, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearing.transport.client._LASTING_S", 0.0)
    sleeps = Sleeps()
    server = await publisher()
    _, items = follow(sleep=sleeps)
    for _ in range(4):
        await items.until(Up)
        next(iter(server._connections)).abort()
        await items.until(Down)
    await items.until(Up)
    assert max(sleeps.asked_s) < 0.13
