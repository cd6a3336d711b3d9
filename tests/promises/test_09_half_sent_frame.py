"""Promise 9: a frame that is half sent and never ended closes its connection in 5 s."""

import asyncio
import time
from pathlib import Path

from hearing.clock import SystemClock
from hearing.errors import ErrorCode
from hearing.messages.common import Hello
from hearing.messages.control import Ack, ControlRequest
from hearing.protocol import REQUESTS
from hearing.testing.wire import Wire
from hearing.transport.listen import claim
from hearing.transport.server import Client, RequestServer


def acknowledge(client: Client, request: ControlRequest) -> None:
    client.answer(request, Ack(command="x"))


async def greeted(path: Path) -> Wire:
    wire = await Wire.connect(path)
    await wire.until("hello")
    return wire


async def refused_after_s(wire: Wire) -> float:
    began_s = time.monotonic()
    (refusal,) = await wire.rest()
    assert refusal["code"] == ErrorCode.TOO_SLOW
    return time.monotonic() - began_s


async def trickle(wire: Wire) -> None:
    while True:
        wire.send(b" ")
        await asyncio.sleep(0.3)


async def test_half_a_line_and_a_byte_now_and_then_are_closed_after_five_seconds(runtime_dir: Path) -> None:
    """The real deadline; a client that is idle between lines is not concerned."""
    path = runtime_dir / "x.sock"
    hello = Hello(server="x", version="1", pid=1, boot_id="b")
    server: RequestServer[ControlRequest] = RequestServer(
        claim(path), hello, clock=SystemClock(), dialect=REQUESTS, handle=acknowledge, keep=lambda _: False
    )
    await server.start()
    half, slow, idle = [await greeted(path) for _ in range(3)]
    half.send(b'{"type":"status"')
    slow.send(b'{"type":')
    trickling = asyncio.create_task(trickle(slow))
    waits_s = await asyncio.gather(refused_after_s(half), refused_after_s(slow))
    trickling.cancel()
    assert all(4 <= waited_s <= 5.9 for waited_s in waits_s), waits_s
    idle.send({"type": "status"})
    assert (await idle.message())["type"] == "ack"
    for wire in (half, slow, idle):
        await wire.close()
    await server.stop()
