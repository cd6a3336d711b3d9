"""Promise 5: whoever connects is replayed the last 500 finals or 10 minutes, unasked, as it drains."""

import contextlib
from pathlib import Path

from hearing import paths
from hearing.messages.common import Message, SpeechStart, Transcript
from hearing.messages.daemon import DaemonMessage
from hearing.protocol import DAEMON
from hearing.testing.clock import FakeClock
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import Wire, eventually
from hearing.transport.client import Down, Link
from hearing.types import Channel

COUNT = 500


def final(n: int, words: str = "") -> Transcript:
    return Transcript(seg_id=n, leg=Channel.MIC, start_ms=0, end_ms=1, text=words or str(n))


async def replayed(path: Path, count: int) -> list[int]:
    """Connect, ask for nothing, and read so many finals."""
    wire = await Wire.connect(path)
    await wire.until("snapshot")
    found = [(await wire.until("transcript"))["seg_id"] for _ in range(count)]
    await wire.close()
    return found


async def test_the_last_500_and_no_more(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as daemon:
        daemon.play([message for n in range(COUNT + 20) for message in both(n)])
        daemon.publisher.publish(final(9_999))
        found = await replayed(runtime_dir / paths.DAEMON_SOCKET, COUNT)
        assert found == [*range(21, COUNT + 20), 9_999]


def both(n: int) -> list[Message]:
    return [SpeechStart(seg_id=n, leg=Channel.MIC, at_ms=0), final(n)]


async def test_none_older_than_ten_minutes(runtime_dir: Path) -> None:
    clock = FakeClock()
    async with FakeDaemon(runtime_dir, clock=clock) as daemon:
        daemon.publisher.publish(final(1))
        clock.advance(1)
        daemon.publisher.publish(final(2))
        clock.advance(600_000)
        daemon.publisher.publish(final(3))
        assert await replayed(runtime_dir / paths.DAEMON_SOCKET, 2) == [2, 3]


async def test_a_replay_larger_than_the_queue_is_written_as_the_client_drains(runtime_dir: Path) -> None:
    """5 MB for a client that reads nothing at first: it is neither cut off nor told of a loss."""
    async with FakeDaemon(runtime_dir) as daemon:
        for n in range(COUNT):
            daemon.publisher.publish(final(n, "x" * 10_000))
        wire = await Wire.connect(runtime_dir / paths.DAEMON_SOCKET)
        wire.stop_reading()
        await daemon.subscribed()
        (connection,) = daemon.publisher._connections
        assert connection.outbox.queued_bytes == 0
        daemon.publisher.publish(final(COUNT))
        wire.read_on()
        await wire.until("snapshot")
        assert [(await wire.message())["seg_id"] for _ in range(COUNT + 1)] == list(range(COUNT + 1))
        await wire.close()


async def test_a_client_that_is_cut_off_again_and_again_has_every_final_once(runtime_dir: Path) -> None:
    link: Link[DaemonMessage] = Link(runtime_dir / paths.DAEMON_SOCKET, DAEMON)
    got: list[int] = []
    n = cuts = 0
    async with FakeDaemon(runtime_dir) as daemon, contextlib.aclosing(link.stream()) as stream:
        async for item in stream:
            if isinstance(item, Down) and cuts == 8:
                break
            if isinstance(item, Transcript):
                got.append(item.seg_id)
            if not got or got[-1] == n:
                for connection in tuple(daemon.publisher._connections):
                    connection.abort()
                cuts += 1
                await eventually(lambda: daemon.publisher.subscribers == 0)
                for _ in range(20):
                    n += 1
                    daemon.publisher.publish(final(n))
    assert got == list(range(1, got[-1] + 1))
    assert cuts == 8
