"""Promise 1: a blocked subscriber never delays others (p99 delivery <= 20 ms with 1 of 50 stopped)."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hearing import paths
from hearing.messages.common import SpeechStart
from hearing.messages.daemon import DaemonMessage
from hearing.protocol import DAEMON
from hearing.testing.crowd import DrippingSubscriber, stopped_subscriber
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import eventually
from hearing.transport.client import Link
from hearing.types import Channel

READERS = 48


class Reader:
    """A well-behaved subscriber: notes each event's number and when it came."""

    def __init__(self, path: Path) -> None:
        self.came: list[tuple[int, float]] = []
        self._link: Link[DaemonMessage] = Link(path, DAEMON)

    async def read(self) -> None:
        async with contextlib.aclosing(self._link.stream()) as stream:
            async for item in stream:
                if isinstance(item, SpeechStart) and isinstance(item.seq, int):
                    self.came.append((item.seq, time.monotonic()))


@contextlib.asynccontextmanager
async def crowd(daemon: FakeDaemon, path: Path) -> AsyncIterator[tuple[list[Reader], DrippingSubscriber]]:
    """48 readers, one subscriber that is stopped, and one that takes a byte a second."""
    readers = [Reader(path) for _ in range(READERS)]
    with DrippingSubscriber(path) as dripping, stopped_subscriber(path):
        tasks = [asyncio.create_task(reader.read()) for reader in readers]
        await eventually(lambda: daemon.publisher.subscribers == READERS + 2)
        yield readers, dripping
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def publish(daemon: FakeDaemon) -> int:
    event = daemon.publisher.publish(SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0))
    assert isinstance(event.seq, int)
    return event.seq


def blocked(daemon: FakeDaemon) -> int:
    """Count the subscribers for whom the kernel takes no more."""
    return repr(daemon.publisher._connections).count("paused=True")


async def all_have(readers: list[Reader], last: int) -> None:
    await eventually(lambda: all(reader.came and reader.came[-1][0] == last for reader in readers))


async def test_everybody_else_gets_every_event_while_two_are_blocked(runtime_dir: Path) -> None:
    path = runtime_dir / paths.DAEMON_SOCKET
    async with FakeDaemon(runtime_dir) as daemon, crowd(daemon, path) as (readers, dripping):
        while blocked(daemon) < 2:
            dripping.drip()
            await all_have(readers, publish(daemon))
        for _ in range(50):
            last = publish(daemon)
        await all_have(readers, last)
        assert blocked(daemon) == 2, "the blocked ones are still there: nobody waited for them to go"
        for reader in readers:
            assert [seq for seq, _ in reader.came] == list(range(1, last + 1))


@pytest.mark.long
async def test_the_slowest_hundredth_waits_20_ms_at_most(runtime_dir: Path) -> None:
    """Over four seconds at 50 events a second, the blocked ones still connected at the end."""
    path = runtime_dir / paths.DAEMON_SOCKET
    published: dict[int, float] = {}
    async with FakeDaemon(runtime_dir) as daemon, crowd(daemon, path) as (readers, dripping):
        for _ in range(200):
            now_s = time.monotonic()
            published[publish(daemon)] = now_s
            dripping.drip()
            await asyncio.sleep(0.02)
        await eventually(lambda: all(len(reader.came) == len(published) for reader in readers))
        assert daemon.publisher.subscribers == READERS + 2
    delays_s = sorted(at_s - published[seq] for reader in readers for seq, at_s in reader.came)
    assert delays_s[len(delays_s) * 99 // 100] <= 0.020
