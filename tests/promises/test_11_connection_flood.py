"""Promise 11: of a flood of connections at most 64 are served, and the others are told `too_many_clients`."""

import asyncio
from pathlib import Path

from hearing import paths
from hearing.errors import ErrorCode
from hearing.messages.common import SpeechStart
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import Wire, eventually
from hearing.types import Channel

FLOOD = 500
SERVED = 64


async def test_of_500_connections_64_are_served_and_each_other_is_told(runtime_dir: Path) -> None:
    path = runtime_dir / paths.DAEMON_SOCKET
    async with FakeDaemon(runtime_dir) as daemon:
        first = await Wire.connect(path)
        await first.until("snapshot")
        wires = [await connected(path) for _ in range(FLOOD - 1)]
        greetings = [await wire.message() for wire in wires]
        served = [wire for wire, said in zip(wires, greetings, strict=True) if said["type"] == "hello"]
        codes = [said["code"] for said in greetings if said["type"] == "error"]
        assert len(served) == SERVED - 1
        assert codes == [ErrorCode.TOO_MANY_CLIENTS] * (FLOOD - SERVED)
        assert daemon.publisher.subscribers == SERVED
        daemon.publisher.publish(SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0))
        for wire in (first, *served):
            await wire.until("speech_start")
        for wire in served:
            await wire.close()
        await eventually(lambda: daemon.publisher.subscribers == 1)
        newcomer = await Wire.connect(path)
        assert (await newcomer.message())["type"] == "hello", "a place that is free again is given away"
        for wire in (first, newcomer, *wires):
            await wire.close()


async def connected(path: Path) -> Wire:
    """Connect; the kernel's queue of those who wait may be full for a moment."""
    while True:
        try:
            return await Wire.connect(path)
        except (BlockingIOError, ConnectionError):
            await asyncio.sleep(0)
