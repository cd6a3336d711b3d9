"""The way to the daemon: reconnects for ever, and knows a hung one from a quiet one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from hearing.messages import daemon
from hearing.messages.common import Transcript
from hearing.testing.daemon import FakeDaemon, said
from hearing_assistant.daemon_link import DaemonLink
from hearing_assistant.hearing_facts import Gone, Hung, Incoming, Rebooted


class Taken:
    """What the link gave, with a way to wait for more of it."""

    def __init__(self) -> None:
        self.items: list[Incoming] = []
        self._changed = asyncio.Event()

    def take(self, item: Incoming) -> None:
        self.items.append(item)
        self._changed.set()

    def of(self, kind: type) -> list[Incoming]:
        return [item for item in self.items if isinstance(item, kind)]

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def _running(link: DaemonLink) -> AsyncIterator[None]:
    task = asyncio.create_task(link.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_messages_come_in_order_after_the_reboot(runtime_dir: Path) -> None:
    taken = Taken()
    async with FakeDaemon(runtime_dir) as fake, _running(DaemonLink(runtime_dir, taken.take)):
        await taken.until(lambda: len(taken.items) == 2)
        fake.play(said("hello"))
        await taken.until(lambda: bool(taken.of(daemon.TurnEnd)))
    assert [type(item).__name__ for item in taken.items[:4]] == [
        "Rebooted",
        "Snapshot",
        "SpeechStart",
        "Partial",
    ]


async def test_it_tries_for_ever_and_says_why_not(runtime_dir: Path) -> None:
    taken = Taken()
    async with _running(DaemonLink(runtime_dir, taken.take)):
        await taken.until(lambda: len(taken.of(Gone)) == 3)
        async with FakeDaemon(runtime_dir):
            await taken.until(lambda: bool(taken.of(daemon.Snapshot)))
    assert taken.items[0] == Gone("no such file or directory")


async def test_a_replay_after_a_lost_connection_has_no_doubles(runtime_dir: Path) -> None:
    taken = Taken()
    async with FakeDaemon(runtime_dir) as fake, _running(DaemonLink(runtime_dir, taken.take)):
        await taken.until(lambda: bool(taken.of(daemon.Snapshot)))
        fake.play(said("one", seg_id=1))
        await taken.until(lambda: bool(taken.of(daemon.TurnEnd)))
        for connection in tuple(fake.publisher._connections):
            connection.abort()
        fake.play(said("two", seg_id=2))
        await taken.until(lambda: len(taken.of(daemon.Snapshot)) == 2)
        fake.play(said("three", seg_id=3))
        await taken.until(lambda: len(taken.of(Transcript)) == 3)
    assert [getattr(item, "text", None) for item in taken.of(Transcript)] == ["one", "two", "three"]
    assert len(taken.of(Rebooted)) == 1


async def test_words_without_a_heartbeat_are_no_sign_of_life(runtime_dir: Path) -> None:
    taken = Taken()
    link = DaemonLink(runtime_dir, taken.take, heartbeat_s=0.2)
    async with FakeDaemon(runtime_dir) as fake, _running(link):
        await taken.until(lambda: bool(taken.of(daemon.Snapshot)))
        while not taken.of(Hung):
            fake.play(said("hello"))
            await asyncio.sleep(0.01)
        fake.heartbeat()
        await taken.until(lambda: bool(taken.of(daemon.Heartbeat)))
        await taken.until(lambda: len(taken.of(Hung)) == 2)
    assert taken.of(Hung)[0] == Hung(0.2)


async def test_a_daemon_that_is_gone_is_not_hung_too(runtime_dir: Path) -> None:
    taken = Taken()
    link = DaemonLink(runtime_dir, taken.take, heartbeat_s=0.3)
    async with _running(link):
        async with FakeDaemon(runtime_dir):
            await taken.until(lambda: bool(taken.of(daemon.Snapshot)))
        await taken.until(lambda: len(taken.of(Gone)) >= 3)
    assert not taken.of(Hung)
