"""Promise 6: malformed input never kills a process (0 crashes in 10^6 fuzz frames)."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from hearing.clock import SystemClock
from hearing.errors import ErrorCode, PeerError
from hearing.messages.common import Hello
from hearing.messages.control import Ack, ControlRequest
from hearing.protocol import CONTROL, DAEMON, REQUESTS, Dialect, decode
from hearing.testing.loopback import LoopbackServer, feed
from hearing.testing.wire import Wire
from hearing.transport.listen import claim
from hearing.transport.server import Client, RequestServer

SEEDS = [
    b'{"type":"status","request_id":1}',
    b'{"type":"subscribe","viewer":true,"name":"n\\u00e9"}',
    b'{"type":"listen","on":false,"request_id":"a"}',
    b'{"type":"transcript_get","last_ms":60000,"format":"srt","from_index":3}',
    b'{"type":"clear"}',
    b'{"type":"transcript","seq":3,"ts":"t","seg_id":1,"leg":"mic","start_ms":0,"end_ms":9,"text":"hi"}',
    b'{"type":"heartbeat","backlog":0,"backlog_ms":0,"rtf":0.1,"xruns":0,"level_dbfs":{"mic":-40.0},"uptime_ms":5}',
    b'{"type":"snapshot","legs":["mic"],"health":[],"open":[],"pending":[],"speakers":[],"backlog":0,"model":null,"muted":false,"last_seq":0}',
]
SPICES = [
    *(
        b"\x00",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\\ud800",
        b"\\u0000",
        b"\x1b[2J",
        b"\n",
        b"\r\n",
        b'"',
        b"\\",
    ),
    *(b"{", b"}", b"[" * 40, b"]", b'{"a":' * 40, b":", b",", b"null", b"true", b"-", b"1e999", b"9" * 400),
    *(b'"type":"status",', b'"type":7,', b'"request_id":[],', b" " * 500, b"\xef\xbb\xbf", b"NaN"),
]


def fuzzed(dice: random.Random) -> bytes:
    """A real message, changed in up to four places, or plain noise."""
    if dice.random() < 0.1:
        return dice.randbytes(dice.randrange(200)) + b"\n"
    frame = bytearray(dice.choice(SEEDS))
    for _ in range(dice.choice((0, 1, 1, 2, 4))):
        at = dice.randrange(len(frame) + 1)
        match dice.randrange(5):
            case 0:
                frame[at:at] = dice.choice(SPICES)
            case 1:
                del frame[at : at + dice.randrange(1, 12)]
            case 2:
                frame[at : at + 1] = dice.randbytes(1)
            case 3:
                frame[at:at] = dice.choice(SEEDS)[dice.randrange(40) :]
            case _:
                frame[at:at] = frame[: dice.randrange(30)]
    return bytes(frame) + (b"\n" if dice.random() < 0.97 else b"")


def acknowledge(client: Client, request: ControlRequest) -> None:
    client.answer(request, Ack(command=str(request.__struct_config__.tag)))


async def bombard(seed: int, frames: int) -> tuple[int, int]:
    """Feed a server's connections and every dialect; give how many were answered and how many refused."""
    dice = random.Random(seed)
    server = LoopbackServer(REQUESTS, acknowledge)
    answers = refusals = 0
    connection, transport = server.client()
    dialects: list[Dialect[Any]] = [DAEMON, CONTROL, REQUESTS]
    for _ in range(frames):
        frame = fuzzed(dice)
        feed(connection, frame)
        assert connection.framer.pending_bytes <= server.limits.line_bytes
        for line in transport.lines:
            message = json.loads(line)
            answers += message["type"] == "ack"
            refusals += message["type"] == "error"
            assert message["type"] in {"hello", "ack", "error"}
            assert message["type"] != "error" or message["code"] in set(ErrorCode)
        transport.lines.clear()
        if transport.is_closing():
            connection, transport = server.client()
        for dialect in dialects:
            try:
                decode(dialect, frame.strip())
            except PeerError:
                continue
    transport.close()
    assert not server._connections
    assert not server._clients
    return answers, refusals


async def test_ten_thousand_frames_are_answered_or_refused() -> None:
    answers, refusals = await bombard(1, 10_000)
    assert answers > 500, "the frames are so broken that they test the first check alone"
    assert refusals > 5_000


async def test_over_a_real_socket_a_good_client_is_served_all_the_while(runtime_dir: Path) -> None:
    path = runtime_dir / "x.sock"
    hello = Hello(server="x", version="1", pid=1, boot_id="b")
    server: RequestServer[ControlRequest] = RequestServer(
        claim(path), hello, clock=SystemClock(), dialect=REQUESTS, handle=acknowledge, keep=lambda _: False
    )
    await server.start()
    dice = random.Random(2)
    good = await Wire.connect(path)
    await good.until("hello")
    for n in range(40):
        bad = await Wire.connect(path)
        bad.send(*(fuzzed(dice) for _ in range(25)))
        bad.half_close()
        assert all(message["type"] in {"hello", "ack", "error"} for message in await bad.rest())
        await bad.close()
        if n % 10 == 0:
            good.send({"type": "status", "request_id": n})
            assert (await good.message())["request_id"] == n
    await good.close()
    await server.stop()


@pytest.mark.long
async def test_a_million_frames_are_answered_or_refused() -> None:
    for seed in range(100):
        await bombard(1_000 + seed, 10_000)
        await asyncio.sleep(0)
