"""Promise 8: a frame over 64 KiB is refused, and no more than 128 KiB of it are ever held."""

from pathlib import Path

import pytest

from hearing.clock import SystemClock
from hearing.errors import ErrorCode
from hearing.messages.common import Hello
from hearing.messages.control import Ack, ControlRequest
from hearing.protocol import REQUESTS
from hearing.testing.loopback import LoopbackServer, feed
from hearing.testing.wire import Wire
from hearing.transport.listen import claim
from hearing.transport.server import Client, RequestServer

LIMIT = 64 * 1024
HELD = 128 * 1024


def acknowledge(client: Client, request: ControlRequest) -> None:
    client.answer(request, Ack(command="x"))


def request_of(size_bytes: int) -> bytes:
    """A valid request whose line, without its newline, has this many bytes."""
    head, tail = b'{"type":"status","x":"', b'"}'
    return head + b"x" * (size_bytes - len(head) - len(tail)) + tail


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT])
async def test_up_to_64_kib_it_is_a_request(size: int) -> None:
    connection, transport = LoopbackServer(REQUESTS, acknowledge).client()
    feed(connection, request_of(size) + b"\n")
    assert b'"type":"ack"' in transport.lines[-1]


@pytest.mark.parametrize("size", [LIMIT + 1, LIMIT + 2, 10 * LIMIT])
@pytest.mark.parametrize("end", [b"\n", b""], ids=["ended", "unended"])
async def test_over_64_kib_it_is_one_error_and_the_end(size: int, end: bytes) -> None:
    connection, transport = LoopbackServer(REQUESTS, acknowledge).client()
    feed(connection, request_of(size) + end)
    assert f'"code":"{ErrorCode.OVERSIZE}"'.encode() in transport.lines[-1]
    assert len(transport.lines) == 2, "hello and one error"
    assert transport.is_closing()


async def test_at_no_moment_are_more_than_128_kib_held() -> None:
    """What is held: the unfinished line, and the piece that was just read."""
    connection, transport = LoopbackServer(REQUESTS, acknowledge).client()
    piece = len(connection.get_buffer(-1))
    for _ in range(10 * LIMIT // piece):
        assert connection.framer.pending_bytes + piece <= HELD
        feed(connection, b"x" * piece)
    assert transport.is_closing()
    assert connection.framer.pending_bytes == 0


async def test_ten_megabytes_poured_into_a_real_socket_end_in_the_same_error(runtime_dir: Path) -> None:
    path = runtime_dir / "x.sock"
    hello = Hello(server="x", version="1", pid=1, boot_id="b")
    server: RequestServer[ControlRequest] = RequestServer(
        claim(path), hello, clock=SystemClock(), dialect=REQUESTS, handle=acknowledge, keep=lambda _: False
    )
    await server.start()
    wire = await Wire.connect(path)
    wire.send(b"x" * 10_000_000)
    assert [message.get("code") for message in await wire.rest()] == [None, ErrorCode.OVERSIZE]
    await wire.close()
    await server.stop()
