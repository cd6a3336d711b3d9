"""Promise 4: finals are never silently lost: every gap is announced, `seq` is contiguous otherwise."""

import asyncio
import random
from pathlib import Path

import pytest

from hearing import paths
from hearing.messages.common import Partial, SpeechStart, Transcript
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import Wire, turns
from hearing.transport.connection import Limits
from hearing.transport.publisher import Publisher
from hearing.types import Channel

LIMITS = Limits(queued_lines=6, stall_s=3600)


class Follower:
    """A client that now and then reads nothing, and checks that it misses nothing unannounced."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.covered = 0
        self.lost = 0
        self.finals: set[int] = set()

    async def begin(self) -> None:
        self.covered = (await self.wire.until("snapshot"))["last_seq"]

    async def read_to(self, last: int) -> None:
        while self.covered < last:
            message = await self.wire.message()
            if message["type"] == "lost":
                assert message["from_seq"] == self.covered + 1, "a loss begins where the last event ended"
                self.covered += message["count"]
                self.lost += message["count"]
            elif "seq" in message:
                if message["type"] == "transcript":
                    self.finals.add(message["seq"])
                if message["seq"] > self.covered:  # else a final replayed at the start
                    assert message["seq"] == self.covered + 1, "an event is missing and nothing was said"
                    self.covered += 1


def burst(publisher: Publisher, dice: random.Random) -> None:
    for _ in range(dice.randrange(1, 40)):
        words = "x" * dice.choice((1, 300, 5_000))
        match dice.randrange(3):
            case 0:
                publisher.publish(Transcript(seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=1, text=words))
            case 1:
                publisher.publish(SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0))
            case _:
                publisher.update(
                    Partial(seg_id=dice.randrange(3), leg=Channel.MIC, stable=words, unstable="")
                )


async def chaos(runtime_dir: Path, seed: int, steps: int) -> int:
    """Stop and go at random, newcomers on the way; give how many events were announced as lost."""
    dice = random.Random(seed)
    async with FakeDaemon(runtime_dir, limits=LIMITS) as daemon:
        followers: list[Follower] = []
        for step in range(steps):
            if step % 10 == 0 and len(followers) < 6:
                followers.append(Follower(await Wire.connect(runtime_dir / paths.DAEMON_SOCKET)))
                await followers[-1].begin()
            burst(daemon.publisher, dice)
            follower = dice.choice(followers)
            dice.choice((follower.wire.stop_reading, follower.wire.read_on))()
            await turns(dice.randrange(6))
        last = daemon.publisher._broadcast.last_seq
        for follower in followers:
            follower.wire.read_on()
        await asyncio.gather(*(follower.read_to(last) for follower in followers))
        for follower in followers:
            await follower.wire.close()
    return sum(follower.lost for follower in followers)


async def test_every_event_comes_or_is_covered_by_exactly_one_announcement(runtime_dir: Path) -> None:
    assert sum([await chaos(runtime_dir, seed, 60) for seed in range(5)]) > 0, "nothing was ever lost"


@pytest.mark.long
async def test_the_same_through_ten_thousand_steps(runtime_dir: Path) -> None:
    assert sum([await chaos(runtime_dir, seed, 500) for seed in range(100, 120)]) > 0
