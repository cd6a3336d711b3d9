"""Promise 3: a stalled client is removed <= 6 s after the first write that would block."""

import time
from pathlib import Path

from hearing import paths
from hearing.messages.common import SpeechStart
from hearing.testing.crowd import DrippingSubscriber, stopped_subscriber
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import Wire, eventually
from hearing.types import Channel


async def test_one_that_is_stopped_and_one_that_takes_a_byte_a_second_are_gone_within_six(
    runtime_dir: Path,
) -> None:
    """The real deadlines, for both at once; a third that reads stays."""
    path = runtime_dir / paths.DAEMON_SOCKET
    async with FakeDaemon(runtime_dir) as daemon:
        publisher = daemon.publisher
        with DrippingSubscriber(path) as dripping, stopped_subscriber(path):
            await eventually(lambda: publisher.subscribers == 2)
            small_events = 0
            while repr(publisher._connections).count("paused=True") < 2:
                publisher.publish(SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0))
                small_events += 1
            blocked_at_s = time.monotonic()
            assert small_events < 150, "a small send buffer shows a stall early"
            reader = await Wire.connect(path)
            await eventually(lambda: publisher.subscribers == 3)
            first_gone_s = 0.0

            def gone() -> bool:
                nonlocal first_gone_s
                dripping.drip()
                if publisher.subscribers < 3 and not first_gone_s:
                    first_gone_s = time.monotonic() - blocked_at_s
                return publisher.subscribers == 1

            await eventually(gone)
            assert time.monotonic() - blocked_at_s <= 6
            assert first_gone_s >= 4, "and none is cut off before its time"
            publisher.publish(SpeechStart(seg_id=2, leg=Channel.MIC, at_ms=0))
            assert (await reader.until("speech_start"))["seg_id"] == 2
            await reader.close()
