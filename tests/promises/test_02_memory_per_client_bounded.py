"""Promise 2: what one client may cost is bounded (<= 1 MiB queued; the process grows by <= 10 MB)."""

from pathlib import Path

import psutil

from hearing import paths
from hearing.messages.common import Health, HealthPart, HealthState, Partial
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import Wire, eventually
from hearing.transport.outbox import MAX_QUEUED_BYTES
from hearing.types import Channel

FLOOD_BYTES = 20_000_000
DETAIL = "x" * 20_000


async def test_20_mb_for_a_client_that_never_reads_are_not_kept(runtime_dir: Path) -> None:
    """The event loop's own buffer would hold all of it."""
    async with FakeDaemon(runtime_dir) as daemon:
        wire = await Wire.connect(runtime_dir / paths.DAEMON_SOCKET)
        wire.stop_reading()
        await daemon.subscribed()
        (connection,) = daemon.publisher._connections
        assert connection._transport is not None
        before = psutil.Process().memory_info().rss
        for _ in range(FLOOD_BYTES // len(DETAIL)):
            daemon.publisher.publish(Health(part=HealthPart.MIC, state=HealthState.LISTENING, detail=DETAIL))
            assert connection.outbox.queued_bytes <= MAX_QUEUED_BYTES
            assert connection._transport.get_write_buffer_size() <= 2 * len(DETAIL), "one line at a time"
        assert psutil.Process().memory_info().rss - before <= 10_000_000
        await wire.close()


async def test_newest_wins_readings_that_grow_are_held_to_the_same_limit(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as daemon:
        wire = await Wire.connect(runtime_dir / paths.DAEMON_SOCKET)
        wire.stop_reading()
        await daemon.subscribed()
        (connection,) = daemon.publisher._connections
        for size in (10, 1_000, 100_000):
            for seg_id in range(200):
                daemon.publisher.update(
                    Partial(seg_id=seg_id, leg=Channel.MIC, stable="x" * size, unstable="")
                )
                assert connection.outbox.queued_bytes <= MAX_QUEUED_BYTES
        await wire.close()
        await eventually(lambda: daemon.publisher.subscribers == 0)
