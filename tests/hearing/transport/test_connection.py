"""One client: written to until the kernel would block, watched by its deadlines, gone without a trace."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator

import pytest

from hearing.errors import ErrorCode, PeerError
from hearing.messages.control import Ack
from hearing.testing.wire import Wire, eventually, turns
from hearing.transport.connection import Connection, Limits


class Recorder:
    """A host that greets with one `ack` and writes down what happens."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.happened: list[str] = []

    def admit(self, connection: Connection) -> PeerError | None:
        self.happened.append("admitted")
        connection.send(Ack(command="hello"))
        return None

    def on_bytes(self, connection: Connection, data: bytes) -> None:
        self.happened.append(data.decode())
        connection.framer.feed(data)

    def on_eof(self, connection: Connection) -> None:
        self.happened.append("eof")

    def on_gone(self, connection: Connection) -> None:
        self.happened.append("gone")


class Pair:
    """A connection on one end of a socket pair, a bare client on the other."""

    def __init__(self, host: Recorder, connection: Connection, wire: Wire) -> None:
        self.host, self.connection, self.wire = host, connection, wire

    async def fill(self) -> None:
        """Send until the kernel takes no more and a line waits."""
        self.wire.stop_reading()
        while "paused=True" not in repr(self.connection):
            self.connection.send(Ack(command="x" * 4000))
        self.connection.send(Ack(command="waits"))


LIMITS = Limits(stall_s=60, line_s=60, queued_lines=4)


@pytest.fixture
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    host = Recorder(getattr(request, "param", LIMITS))
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    loop = asyncio.get_running_loop()
    connection = Connection(host, own_uid=os.geteuid())
    await loop.connect_accepted_socket(lambda: connection, ours)
    wire = Wire(*await asyncio.open_unix_connection(sock=theirs, limit=1 << 20))
    yield Pair(host, connection, wire)
    connection.abort()
    await wire.close()
    await turns(5)
    assert host.happened[-1] == "gone"
    assert host.happened.count("gone") == 1


async def test_it_is_admitted_once_and_says_who_connected(pair: Pair) -> None:
    assert (await pair.wire.message())["command"] == "hello"
    assert pair.host.happened == ["admitted"]
    assert pair.connection.peer.uid == os.geteuid()
    assert repr(pair.connection) == (
        f"<Connection pid={os.getpid()} paused=False closing=False <Outbox lines=0 bytes=0 lost=0>>"
    )


async def test_the_kernels_buffer_is_small_so_that_a_stall_shows_early(pair: Pair) -> None:
    """Linux doubles what is asked for; hundreds of small events would else fit before a write blocks."""
    assert pair.connection._transport is not None
    raw = pair.connection._transport.get_extra_info("socket")
    assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 32 * 1024


async def test_close_sends_what_waits_first(pair: Pair) -> None:
    await pair.fill()
    pair.connection.close()
    assert pair.connection.closing
    pair.wire.read_on()
    assert [message["command"] for message in await pair.wire.rest()][-1] == "waits"


async def test_nothing_that_comes_after_close_is_read(pair: Pair) -> None:
    await pair.fill()
    pair.connection.close()
    pair.wire.send(b"too late\n")
    await turns()
    assert pair.host.happened == ["admitted"]


async def test_abort_throws_away_what_waits_at_once(pair: Pair) -> None:
    await pair.fill()
    pair.connection.abort()
    await eventually(lambda: pair.host.happened[-1] == "gone")
    pair.wire.read_on()
    assert "waits" not in [message["command"] for message in await pair.wire.rest()]


async def test_an_answer_without_room_ends_the_client(pair: Pair) -> None:
    await pair.fill()
    for _ in range(LIMITS.queued_lines):
        assert not pair.connection.closing
        pair.connection.send(Ack(command="more"))
    assert pair.connection.closing
    await eventually(lambda: pair.host.happened[-1] == "gone")


async def test_an_answer_to_who_is_gone_takes_no_memory(pair: Pair) -> None:
    await pair.wire.close()
    await eventually(lambda: pair.host.happened[-1] == "gone" or "eof" in pair.host.happened)
    pair.connection.abort()
    await eventually(lambda: pair.host.happened[-1] == "gone")
    pair.connection.send(Ack(command="late"))
    assert pair.connection.outbox.queued_bytes == 0


@pytest.mark.parametrize("pair", [Limits(stall_s=0.1)], indirect=True)
async def test_a_stall_ends_it_even_while_it_is_closing(pair: Pair) -> None:
    await pair.fill()
    pair.connection.close()
    await eventually(lambda: pair.host.happened[-1] == "gone")


async def test_reading_again_in_time_calls_the_stall_off(pair: Pair) -> None:
    await pair.fill()
    deadline = pair.connection._stall
    assert deadline is not None
    pair.wire.read_on()
    await eventually(lambda: pair.connection._stall is None)
    assert deadline.cancelled()
    assert not pair.connection.closing


@pytest.mark.parametrize("pair", [Limits(line_s=0.05)], indirect=True)
async def test_a_slow_line_is_refused_once_and_closed(pair: Pair) -> None:
    pair.wire.send(b'{"type"')
    messages = await pair.wire.rest()
    assert [message.get("code") for message in messages] == [None, ErrorCode.TOO_SLOW]


async def test_closing_ends_the_clock_of_an_unfinished_line(pair: Pair) -> None:
    """Else the client would be told a second error while its first is on the way."""
    pair.wire.send(b'{"type"')
    await eventually(lambda: pair.connection._slow_line)
    await pair.fill()
    pair.connection.refuse(PeerError(ErrorCode.MALFORMED, "no", closes=True))
    assert pair.connection._slow_line is None


async def test_a_client_that_only_stops_sending_is_kept_for_its_answer(pair: Pair) -> None:
    pair.wire.half_close()
    await eventually(lambda: "eof" in pair.host.happened)
    pair.connection.send(Ack(command="answer"))
    assert [(await pair.wire.message())["command"] for _ in range(2)] == ["hello", "answer"]


async def test_a_client_that_left_after_it_stopped_sending_is_noticed(pair: Pair) -> None:
    pair.wire.half_close()
    await eventually(lambda: "eof" in pair.host.happened)
    await pair.wire.close()
    await eventually(lambda: pair.host.happened[-1] == "gone")
