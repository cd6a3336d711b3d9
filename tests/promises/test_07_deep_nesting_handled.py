"""Promise 7: nesting deeper than 32 is refused, and no RecursionError escapes."""

from pathlib import Path

import pytest

from hearing import paths
from hearing.errors import ErrorCode
from hearing.messages.control import Ack, ControlRequest
from hearing.messages.daemon import DaemonMessage
from hearing.protocol import DAEMON, REQUESTS
from hearing.testing.daemon import FakeDaemon
from hearing.testing.loopback import Loopback, LoopbackServer, feed
from hearing.transport.client import Down, Link
from hearing.transport.server import Client

DEPTHS = [33, 34, 100, 999, 1_000, 1_001, 5_000, 20_000]
SHAPES = {
    "lists in an unknown field": (b'{"type":"status","new":', b"[", b"1", b"]", b"}"),
    "objects in an unknown field": (b'{"type":"status","new":', b'{"a":', b"1", b"}", b"}"),
    "where a number is expected": (b'{"type":"transcript_get","last_ms":', b"[", b"1", b"]", b"}"),
    "where the type is expected": (b'{"type":', b"[", b"1", b"]", b"}"),
    "in the request id": (b'{"type":"fly","request_id":', b"[", b"1", b"]", b"}"),
    "without an end": (b'{"type":"status","new":', b"[", b"", b"", b""),
    "behind a string full of brackets": (b'{"type":"status","s":"}]}]\\"","new":', b"[", b"1", b"]", b"}"),
}


def line(shape: str, depth: int) -> bytes:
    """A line of this depth, the outermost braces counted."""
    head, opening, middle, closing, end = SHAPES[shape]
    return head + opening * (depth - 1) + middle + closing * (depth - 1) + end + b"\n"


def acknowledge(client: Client, request: ControlRequest) -> None:
    client.answer(request, Ack(command="x"))


def sent(data: bytes) -> Loopback:
    server = LoopbackServer(REQUESTS, acknowledge)
    connection, transport = server.client()
    transport.lines.clear()
    feed(connection, data)
    return transport


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("depth", DEPTHS)
async def test_deeper_than_32_is_one_error_and_the_end(shape: str, depth: int) -> None:
    data = line(shape, depth)
    transport = sent(data)
    (refusal,) = transport.lines
    expected = ErrorCode.TOO_DEEP if len(data) <= 65_537 else ErrorCode.OVERSIZE
    assert f'"code":"{expected}"'.encode() in refusal
    assert transport.is_closing()


@pytest.mark.parametrize("shape", list(SHAPES)[:2])
async def test_32_deep_is_an_ordinary_message(shape: str) -> None:
    transport = sent(line(shape, 32))
    assert b'"type":"ack"' in transport.lines[0]
    assert not transport.is_closing()


async def test_brackets_in_a_string_are_no_nesting() -> None:
    assert b'"type":"ack"' in sent(b'{"type":"status","s":"' + b"[{" * 5_000 + b'"}\n').lines[0]


async def test_a_client_survives_a_server_that_nests_too_deep(runtime_dir: Path) -> None:
    link: Link[DaemonMessage] = Link(runtime_dir / paths.DAEMON_SOCKET, DAEMON)
    stream = link.stream()
    async with FakeDaemon(runtime_dir) as daemon:
        async for item in stream:
            if isinstance(item, Down):
                assert item.reason == "a line nests deeper than `32`"
                break
            for connection in daemon.publisher._connections:
                connection.outbox.push(line("lists in an unknown field", 5_000))
                connection.pump()
        await stream.aclose()
