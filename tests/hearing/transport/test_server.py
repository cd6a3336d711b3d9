"""One message, one answer; a bad message costs its sender, never anybody else."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hearing.errors import ErrorCode
from hearing.messages.common import Transcript
from hearing.messages.control import Ack, ControlRequest, Listen, Queue
from hearing.testing.clock import FakeClock
from hearing.testing.wire import Wire, eventually, turns
from hearing.transport.connection import Limits
from hearing.transport.peers import Peer
from hearing.transport.server import Client, RequestServer
from hearing.types import Channel

Start = Callable[..., Awaitable[RequestServer[ControlRequest]]]
Connect = Callable[[], Awaitable[Wire]]


def said(text: str) -> Transcript:
    return Transcript(seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=1, text=text)


async def greeted(connect: Connect) -> Wire:
    wire = await connect()
    assert (await wire.message())["type"] == "hello"
    return wire


async def test_an_answer_carries_the_id_of_its_request(server: Start, connect: Connect) -> None:
    await server()
    wire = await greeted(connect)
    wire.send({"type": "status", "request_id": "a"}, {"type": "listen", "on": True, "request_id": 7})
    wire.send({"type": "clear"})
    assert await wire.message() == {"type": "ack", "command": "status", "ok": True, "request_id": "a"}
    assert await wire.message() == {"type": "ack", "command": "listen", "ok": True, "request_id": 7}
    assert await wire.message() == {"type": "ack", "command": "clear", "ok": True}


async def test_requests_are_the_same_at_any_chunking(server: Start, connect: Connect) -> None:
    await server()
    wire = await greeted(connect)
    for byte in b'{"type":"status","request_id":1}\n\n{"type":"clear"}\n':
        wire.send(bytes([byte]))
        await asyncio.sleep(0)
    assert [(await wire.message())["command"] for _ in range(2)] == ["status", "clear"]


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        ({"type": "fly", "request_id": 4}, 4),
        ({"type": "listen", "request_id": "x"}, "x"),
        ({"type": "listen", "on": 3}, None),
        ({}, None),
    ],
)
async def test_a_bad_message_is_refused_with_its_id_and_the_connection_stays(
    server: Start, connect: Connect, line: dict[str, Any], request_id: str | int | None
) -> None:
    await server()
    wire = await greeted(connect)
    wire.send(line, {"type": "status"})
    refusal = await wire.message()
    assert (refusal["type"], refusal["code"], refusal.get("request_id")) == (
        "error",
        ErrorCode.BAD_MESSAGE,
        request_id,
    )
    assert (await wire.message())["type"] == "ack"


@pytest.mark.parametrize(
    ("rubbish", "code"),
    [
        (b"GET / HTTP/1.1\r\n", ErrorCode.MALFORMED),
        (b'{"type":"status"\n', ErrorCode.MALFORMED),
        (b'{"x":' + b"[" * 2000 + b"\n", ErrorCode.TOO_DEEP),
        (b"x" * (64 * 1024 + 1), ErrorCode.OVERSIZE),
        (b"\xff\xfe\n", ErrorCode.MALFORMED),
    ],
)
async def test_rubbish_is_answered_with_one_error_and_closed_and_others_stay(
    server: Start, connect: Connect, rubbish: bytes, code: ErrorCode
) -> None:
    await server()
    other, wire = await greeted(connect), await greeted(connect)
    wire.send(rubbish, {"type": "status"})
    (refusal,) = await wire.rest()
    assert (refusal["type"], refusal["code"]) == ("error", code)
    other.send({"type": "status"})
    assert (await other.message())["type"] == "ack"


async def test_nothing_behind_a_malformed_line_is_carried_out(server: Start, connect: Connect) -> None:
    """The lines came in one piece, and the client is gone after the second."""
    done: list[ControlRequest] = []

    def handle(client: Client, request: ControlRequest) -> None:
        done.append(request)
        client.answer(request, Ack(command="listen"))

    await server(handle=handle)
    wire = await greeted(connect)
    wire.send(b'{"type":"listen","on":true}\nrubbish\n{"type":"listen","on":false}\n')
    assert [message["type"] for message in await wire.rest()] == ["ack", "error"]
    assert done == [Listen(on=True)]


async def test_nothing_is_carried_out_for_a_client_that_was_cut_off_by_its_own_answers(
    server: Start, connect: Connect
) -> None:
    done: list[ControlRequest] = []

    def handle(client: Client, request: ControlRequest) -> None:
        done.append(request)
        for _ in range(400):
            client._connection.send(Ack(command="x" * 1000))
        client.answer(request, Ack(command="listen"))

    await server(handle=handle, limits=Limits(queued_lines=3))
    wire = await greeted(connect)
    wire.send(b'{"type":"listen","on":true}\n' * 5)
    await wire.rest()
    assert len(done) == 1


async def test_more_than_the_allowed_requests_a_second_are_refused_then_welcome_again(
    server: Start, connect: Connect, clock: FakeClock
) -> None:
    await server(limits=Limits(requests_per_s=3))
    wire, other = await greeted(connect), await greeted(connect)
    wire.send(*({"type": "status", "request_id": n} for n in range(5)))
    answers = [await wire.message() for _ in range(5)]
    assert [answer["type"] for answer in answers] == ["ack"] * 3 + ["error"] * 2
    assert (answers[3]["code"], answers[3]["request_id"]) == (ErrorCode.RATE_LIMITED, 3)
    other.send({"type": "status"})
    assert (await other.message())["type"] == "ack"
    clock.advance(999)
    wire.send({"type": "status"})
    assert (await wire.message())["type"] == "error"
    clock.advance(1)
    wire.send({"type": "status"})
    assert (await wire.message())["type"] == "ack"


async def test_a_started_line_must_end_in_time_and_a_byte_now_and_then_buys_none(
    server: Start, connect: Connect
) -> None:
    await server(limits=Limits(line_s=0.3))
    wire = await greeted(connect)
    trickle = asyncio.create_task(trickled(wire))
    (refusal,) = await wire.rest()
    trickle.cancel()
    assert refusal["code"] == ErrorCode.TOO_SLOW
    assert "`0.3` s" in refusal["message"]


async def trickled(wire: Wire) -> None:
    while True:
        wire.send(b" ")
        await asyncio.sleep(0.02)


async def test_each_line_has_its_own_time_and_bytes_in_it_change_nothing(
    server: Start, connect: Connect
) -> None:
    running = await server()
    wire = await greeted(connect)
    (connection,) = running._connections
    wire.send(b'{"type":')
    await eventually(lambda: connection._slow_line)
    first = connection._slow_line
    wire.send(b'"status"}\n{"type":')
    assert (await wire.message())["type"] == "ack"
    second = connection._slow_line
    assert first is not None
    assert second is not None
    assert first.cancelled()
    wire.send(b" ")
    await eventually(lambda: connection.framer.pending_bytes == len(b'{"type": '))
    assert connection._slow_line is second
    wire.send(b'"status"}\n')
    assert (await wire.message())["type"] == "ack"
    assert connection._slow_line is None


async def test_answers_come_before_the_end_for_a_client_that_half_closed(
    server: Start, connect: Connect
) -> None:
    """`printf … | socat - UNIX-CONNECT:…` has its answer, even one that takes a while."""
    waiting: list[tuple[Client, ControlRequest]] = []
    await server(handle=lambda client, request: waiting.append((client, request)))
    wire = await greeted(connect)
    wire.send({"type": "status", "request_id": 1}, {"type": "clear", "request_id": 2})
    wire.half_close()
    await eventually(lambda: len(waiting) == 2)
    await turns()
    for client, request in waiting:
        client.answer(request, Ack(command="late"))
    assert [message["request_id"] for message in await wire.rest()] == [1, 2]


async def test_a_client_that_half_closed_without_a_question_is_closed(
    server: Start, connect: Connect
) -> None:
    left: list[Client] = []
    await server(on_left=left.append)
    wire = await greeted(connect)
    wire.half_close()
    assert await wire.rest() == []
    await eventually(lambda: len(left) == 1)


async def test_a_half_closed_client_that_then_leaves_is_noticed(server: Start, connect: Connect) -> None:
    waiting: list[Client] = []
    left: list[Client] = []
    await server(handle=lambda client, _request: waiting.append(client), on_left=left.append)
    wire = await greeted(connect)
    wire.send({"type": "status"})
    wire.half_close()
    await eventually(lambda: waiting)
    await turns()
    assert not left
    await wire.close()
    await eventually(lambda: left)


async def test_a_late_answer_to_a_client_that_left_goes_nowhere(server: Start, connect: Connect) -> None:
    waiting: list[tuple[Client, ControlRequest]] = []
    left: list[Client] = []
    running = await server(
        handle=lambda client, request: waiting.append((client, request)), on_left=left.append
    )
    wire = await greeted(connect)
    wire.send({"type": "subscribe"})
    await eventually(lambda: waiting)
    await wire.close()
    await eventually(lambda: left)
    client, request = waiting[0]
    client.answer(request, Ack(command="subscribe"))
    client.subscribe([Ack(command="greeting")])
    running.publish(said("x"))
    assert client._connection.outbox.queued_bytes == 0
    assert len(running._broadcast) == 0


async def test_only_who_subscribed_gets_events_and_the_greeting_comes_first(
    server: Start, connect: Connect
) -> None:
    running = await server()
    running.publish(said("before"))
    wire, other = await greeted(connect), await greeted(connect)
    wire.send({"type": "subscribe", "viewer": True, "name": "t"})
    assert [(await wire.message()).get("command") for _ in range(2)] == ["subscribe", "greeting"]
    assert (await wire.message())["text"] == "before"
    running.publish(said("after"))
    assert (await wire.message())["text"] == "after"
    other.send({"type": "status"})
    assert (await other.message())["type"] == "ack"
    assert running.viewers == 1
    assert running.last_seq == 2
    await wire.close()
    await eventually(lambda: running.viewers == 0)


async def test_an_answer_that_still_waits_comes_before_the_snapshot(server: Start, connect: Connect) -> None:
    """The client reads nothing until both are queued."""
    running = await server(limits=Limits(stall_s=30))
    wire = await greeted(connect)
    wire.stop_reading()
    (connection,) = running._connections
    while "paused=True" not in repr(connection):
        connection.send(Ack(command="x" * 4000))
    wire.send({"type": "subscribe"})
    await eventually(lambda: len(running._broadcast) == 1)
    wire.read_on()
    commands = []
    while "greeting" not in commands:
        commands.append((await wire.message())["command"])
    assert commands[-2:] == ["subscribe", "greeting"]


async def test_who_subscribes_twice_is_greeted_twice_and_gets_each_event_once(
    server: Start, connect: Connect
) -> None:
    running = await server()
    wire = await greeted(connect)
    wire.send({"type": "subscribe"}, {"type": "subscribe"})
    assert [(await wire.message())["command"] for _ in range(4)] == ["subscribe", "greeting"] * 2
    running.publish(said("once"))
    running.publish(said("end"))
    assert [(await wire.message())["text"] for _ in range(2)] == ["once", "end"]


async def test_a_foreign_user_is_closed_before_a_byte_is_parsed(server: Start, connect: Connect) -> None:
    handled: list[ControlRequest] = []

    def identify(_socket: socket.socket) -> Peer:
        return Peer(os.geteuid() + 1, 7)

    await server(handle=lambda _client, request: handled.append(request), identify=identify)
    wire = await connect()
    wire.send({"type": "listen", "on": False})
    assert await wire.rest() == []
    assert not handled


async def test_a_client_knows_its_peers_pid(server: Start, connect: Connect) -> None:
    pids: list[int | None] = []

    def handle(client: Client, request: ControlRequest) -> None:
        pids.append(client.pid)
        client.answer(request, Ack(command="status"))

    await server(handle=handle)
    wire = await greeted(connect)
    wire.send({"type": "status"})
    await wire.message()
    assert pids == [os.getpid()]


async def test_a_handler_that_fails_closes_its_client_alone(server: Start, connect: Connect) -> None:
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: failures.append(context))
    gone: list[Client] = []

    def handle(client: Client, request: ControlRequest) -> None:
        if isinstance(request, Listen):
            raise ZeroDivisionError
        client.answer(request, Ack(command="status"))

    await server(handle=handle, on_left=gone.append)
    other, wire = await greeted(connect), await greeted(connect)
    wire.send({"type": "listen", "on": True})
    assert await wire.rest() == []
    other.send({"type": "status"})
    assert (await other.message())["type"] == "ack"
    assert len(gone) == len(failures) == 1


async def test_updates_reach_subscribers_without_a_number(server: Start, connect: Connect) -> None:
    running = await server()
    wire = await greeted(connect)
    wire.send({"type": "subscribe"})
    await wire.until("ack")
    await wire.until("ack")
    running.update(Queue(depth=1, busy=True))
    update = await wire.message()
    assert (update["type"], update.get("seq")) == ("queue", None)
