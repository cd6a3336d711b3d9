"""A publisher greets, replays and sends; it listens to nobody and waits for nobody."""

import asyncio
import contextlib
import os
import socket
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hearing.errors import ErrorCode
from hearing.messages.common import Hello, Message, Partial, SpeechStart, Transcript
from hearing.messages.daemon import Snapshot
from hearing.testing.clock import FakeClock
from hearing.testing.wire import Wire, eventually, turns
from hearing.transport.broadcast import RECENT_COUNT, RECENT_MS
from hearing.transport.connection import Limits
from hearing.transport.peers import Peer
from hearing.transport.publisher import Publisher
from hearing.types import Channel

Start = Callable[..., Awaitable[Publisher]]
Connect = Callable[[], Awaitable[Wire]]


def said(text: str, seg_id: int = 1) -> Transcript:
    return Transcript(seg_id=seg_id, leg=Channel.MIC, start_ms=0, end_ms=1, text=text)


def started(seg_id: int) -> SpeechStart:
    return SpeechStart(seg_id=seg_id, leg=Channel.MIC, at_ms=0)


def partial(words: str, seg_id: int = 1) -> Partial:
    return Partial(seg_id=seg_id, leg=Channel.MIC, stable=words, unstable="")


def snapshot(last_seq: int) -> list[Message]:
    return [
        Snapshot(
            legs=[Channel.MIC],
            health=[],
            open=[],
            pending=[],
            speakers=[],
            backlog=0,
            model=None,
            muted=False,
            last_seq=last_seq,
        )
    ]


async def test_hello_then_snapshot_then_recent_finals_then_what_happens(
    publisher: Start, connect: Connect
) -> None:
    server = await publisher(snapshot=snapshot)
    server.publish(said("before"))
    server.publish(started(2))
    wire = await connect()
    hello = await wire.message()
    assert hello == {
        "type": "hello",
        "server": "hearing-test",
        "version": "1",
        "pid": 4242,
        "boot_id": "boot-1",
        "proto": 1,
    }
    assert (await wire.message())["last_seq"] == 2
    replayed = await wire.message()
    assert (replayed["seq"], replayed["text"]) == (1, "before")
    server.publish(said("after"))
    assert (await wire.message())["seq"] == 3


async def test_every_event_has_the_next_number_and_the_wall_clock(publisher: Start, connect: Connect) -> None:
    server = await publisher()
    wire = await connect()
    await wire.until("hello")
    sent = [server.publish(started(n)) for n in range(3)]
    assert [event.seq for event in sent] == [1, 2, 3]
    assert sent[0].ts == "2026-01-02T03:04:05.000+00:00"
    assert [(await wire.message())["seq"] for _ in sent] == [1, 2, 3]


async def test_an_event_that_is_passed_on_keeps_its_time(publisher: Start) -> None:
    server = await publisher()
    assert server.publish(Transcript(**{**as_fields(said("x")), "ts": "then"})).ts == "then"


def as_fields(message: Message) -> dict[str, Any]:
    return {field: getattr(message, field) for field in message.__struct_fields__}


async def test_updates_have_no_number(publisher: Start, connect: Connect) -> None:
    server = await publisher()
    wire = await connect()
    await wire.until("hello")
    server.update(partial("hel"))
    message = await wire.message()
    assert "seq" not in message
    assert message["ts"]


async def test_the_replay_is_the_last_500_finals_or_ten_minutes(
    publisher: Start, connect: Connect, clock: FakeClock
) -> None:
    server = await publisher()
    for n in range(RECENT_COUNT + 10):
        server.publish(said(str(n)))
    first = await connect()
    await first.until("hello")
    replayed = [await first.message() for _ in range(RECENT_COUNT)]
    assert [message["text"] for message in replayed] == [str(n) for n in range(10, RECENT_COUNT + 10)]
    clock.advance(RECENT_MS)
    server.publish(said("new"))
    clock.advance(1)
    second = await connect()
    await second.until("hello")
    assert (await second.message())["text"] == "new"


async def test_a_subscriber_that_says_anything_is_closed_and_nobody_else_notices(
    publisher: Start, connect: Connect
) -> None:
    server = await publisher()
    listener, talker = await connect(), await connect()
    await listener.until("hello")
    await talker.until("hello")
    talker.send({"type": "status"})
    assert await talker.rest() == []
    await eventually(lambda: server.subscribers == 1)
    server.publish(said("still here"))
    assert (await listener.message())["text"] == "still here"


async def test_a_subscriber_that_stops_sending_is_closed(publisher: Start, connect: Connect) -> None:
    server = await publisher()
    wire = await connect()
    wire.half_close()
    assert [message["type"] for message in await wire.rest()] == ["hello"]
    await eventually(lambda: server.subscribers == 0)


async def test_one_client_too_many_is_told_so_and_a_place_that_is_free_again_is_given_away(
    publisher: Start, connect: Connect
) -> None:
    server = await publisher(limits=Limits(clients=2))
    first, second = await connect(), await connect()
    await first.until("hello")
    await second.until("hello")
    third = await connect()
    (refusal,) = await third.rest()
    assert (refusal["type"], refusal["code"]) == ("error", ErrorCode.TOO_MANY_CLIENTS)
    await first.close()
    await eventually(lambda: server.subscribers == 1)
    assert (await (await connect()).message())["type"] == "hello"


@pytest.mark.parametrize("answer", [Peer(os.geteuid() + 1, 7), OSError("nobody says")])
async def test_a_foreign_or_unknown_user_is_closed_without_a_byte(
    publisher: Start, connect: Connect, answer: Peer | OSError
) -> None:
    def identify(_socket: socket.socket) -> Peer:
        if isinstance(answer, OSError):
            raise answer
        return answer

    server = await publisher(identify=identify)
    wire = await connect()
    assert await wire.rest() == []
    assert server.subscribers == 0


async def fill(server: Publisher, wire: Wire) -> None:
    """Publish until the kernel takes no more for this client, which reads nothing, and its box has a line."""
    wire.stop_reading()
    while "paused=True" not in repr(list(server._connections)[-1]):
        server.publish(said("x" * 4000))
    server.publish(said("x" * 4000))


async def test_a_stalled_client_is_cut_off_after_its_deadline_and_others_go_on(
    publisher: Start, connect: Connect
) -> None:
    server = await publisher(limits=Limits(stall_s=0.2))
    stalled = await connect()
    await eventually(lambda: server.subscribers == 1)
    await fill(server, stalled)
    assert server.subscribers == 1
    await eventually(lambda: server.subscribers == 0)
    other = await connect()
    await other.until("hello")
    server.publish(started(9))
    await other.until("speech_start")


async def test_a_client_that_drains_in_time_is_kept_and_misses_nothing(
    publisher: Start, connect: Connect
) -> None:
    server = await publisher(limits=Limits(stall_s=30))
    wire = await connect()
    await eventually(lambda: server.subscribers == 1)
    await fill(server, wire)
    server.publish(started(77))
    wire.read_on()
    seqs = []
    while (message := await wire.message())["type"] != "speech_start":
        seqs.append(message.get("seq"))
    assert seqs == [None, *range(1, server._broadcast.last_seq)]


async def test_what_does_not_fit_is_announced_once_in_its_place(publisher: Start, connect: Connect) -> None:
    server = await publisher(limits=Limits(queued_lines=2, stall_s=30))
    wire = await connect()
    await eventually(lambda: server.subscribers == 1)
    await fill(server, wire)
    for n in range(10):
        server.publish(started(n))
    covered = 0
    wire.read_on()
    await wire.until("hello")
    while covered < server._broadcast.last_seq:
        message = await wire.message()
        if message["type"] == "lost":
            assert message["from_seq"] == covered + 1
            covered += message["count"]
        else:
            assert message["seq"] == covered + 1
            covered += 1


async def test_a_snapshot_that_fails_closes_the_client_and_leaves_no_trace_of_it(
    publisher: Start, connect: Connect
) -> None:
    """A client that was greeted and then gets nothing would look well and be deaf."""

    def broken(_last_seq: int) -> list[Message]:
        raise ValueError("n=1")

    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: failures.append(context))
    server = await publisher(snapshot=broken)
    wire = await connect()
    assert [message["type"] for message in await wire.rest()] in (["hello"], [])
    await eventually(lambda: not server._connections)
    assert server.subscribers == 0
    assert [type(failure["exception"]) for failure in failures] == [ValueError]


async def test_a_client_that_is_leaving_is_sent_nothing_new(publisher: Start, connect: Connect) -> None:
    """Else a slow one that must go would be kept by every event that comes meanwhile."""
    server = await publisher(limits=Limits(stall_s=30))
    wire = await connect()
    await eventually(lambda: server.subscribers == 1)
    await fill(server, wire)
    wire.half_close()
    await eventually(lambda: "closing=True" in repr(next(iter(server._connections))))
    last = server._broadcast.last_seq
    for n in range(5):
        server.publish(started(n))
        server.update(partial("x"))
    wire.read_on()
    messages = await wire.rest()
    assert messages[-1]["seq"] <= last


async def test_every_newcomer_is_announced(publisher: Start, connect: Connect) -> None:
    came: list[int] = []
    server = await publisher(on_subscriber=lambda: came.append(1))
    await (await connect()).until("hello")
    await (await connect()).until("hello")
    assert len(came) == server.subscribers == 2


async def test_stop_sends_what_is_queued_and_takes_the_socket_away(
    publisher: Start, connect: Connect, path: Path
) -> None:
    server = await publisher()
    wire = await connect()
    await wire.until("hello")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    server.publish(said("last words"))
    await server.stop()
    assert [message["text"] for message in await wire.rest()] == ["last words"]
    assert not path.exists()
    await server.stop()


async def test_stop_does_not_wait_for_a_client_that_does_not_read(publisher: Start, connect: Connect) -> None:
    server = await publisher(limits=Limits(stall_s=3600))
    wire = await connect()
    await eventually(lambda: server.subscribers == 1)
    await fill(server, wire)
    async with asyncio.timeout(5):
        await server.stop()
    assert server.subscribers == 0


async def test_who_connects_while_it_stops_is_refused(publisher: Start, path: Path) -> None:
    server = await publisher()
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as late:
        late.setblocking(False)
        late.connect(str(path))  # waits in the kernel's queue; the loop has not run since
        stopping = asyncio.create_task(server.stop())
        await stopping
        await turns()
        late.setblocking(True)
        late.settimeout(5)
        with contextlib.suppress(ConnectionResetError):
            assert b"hello" not in late.recv(65536)
    assert server.subscribers == 0


async def test_a_flood_of_connects_and_leaves_leaves_nothing_behind(
    publisher: Start, path: Path, clock: FakeClock
) -> None:
    server = await publisher(limits=Limits(clients=8))
    for _ in range(200):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as raw:
            raw.connect(str(path))
        server.publish(started(1))
        await asyncio.sleep(0)
    await eventually(lambda: not server._connections)
    assert server.subscribers == 0


async def test_the_server_speaks_as_the_hello_it_was_given(publisher: Start, connect: Connect) -> None:
    hello = Hello(server="other", version="2", pid=1, boot_id="b", proto=2)
    server = await publisher(hello=hello)
    assert server.hello is hello
    assert (await (await connect()).message())["proto"] == 2
