"""A leg over scripted sources: every way a source can behave, and what the service is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hearing.errors import AudioError
from hearing.interfaces import CaptureSource, CaptureStatus
from hearing.messages.common import HealthState
from hearing.testing.clock import FakeClock
from hearing.types import Channel
from hearing_daemon.capture.events import LegEvent, LegHealth, Missing, Overflow, Sound
from hearing_daemon.capture.leg import Leg, Patience
from hearing_daemon.capture.spec import MAX_SPEED, DeviceSource, FileSource, Source, StdinSource

if TYPE_CHECKING:
    from hearing.interfaces import Samples

BLOCK = np.zeros(640, np.int16)  # 40 ms
STATUS = CaptureStatus("USB mic", 48_000, 1)
GONE = AudioError("device `x` is not there", hint="plug it in")
HANGS = "hangs"
DEADLINE_S = 20.0

Step = CaptureStatus | AudioError | str | int  # a status, a failure, a hang, or so many blocks


class ScriptedSource(CaptureSource):
    """Plays its steps, then ends; it knows whether it was closed and how far it was read."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        self.is_closed = False
        self.blocks_given = 0

    def describe(self) -> str:
        return "scripted"

    async def blocks(self) -> AsyncIterator[Samples | CaptureStatus]:
        for step in self.steps:
            match step:
                case AudioError():
                    raise step
                case CaptureStatus():
                    yield step
                case int():
                    for _ in range(step):
                        self.blocks_given += 1
                        yield BLOCK
                        await asyncio.sleep(0)
                case _:
                    await asyncio.Event().wait()

    async def close(self) -> None:
        self.is_closed = True


class Bench:
    """A leg, its clock, and the sources it opens one after the other; the last one again and again."""

    def __init__(self, source: Source, *scripts: tuple[Step, ...]) -> None:
        self.clock = FakeClock()
        self.waits: list[int] = []
        self.opened: list[ScriptedSource] = []
        self._scripts = list(scripts)
        patience = Patience(opening_ms=30, stalled_ms=30, wait_ms=self._wait_ms)
        self.leg = Leg(Channel.MIC, source, self._open, self.clock, self.clock.monotonic_ms(), patience)
        self.events: list[LegEvent] = []

    def _open(self) -> CaptureSource:
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        self.opened.append(ScriptedSource(*script))
        return self.opened[-1]

    def _wait_ms(self, failures: int) -> int:
        self.waits.append(failures)
        self.clock.advance(1_000)
        return 1

    async def run(self, until: Callable[[LegEvent], bool] = lambda _: False) -> list[LegEvent]:
        """Read until an event fits (the leg is then closed), or to the end."""
        async with asyncio.timeout(DEADLINE_S):
            async for event in self.leg.events():
                self.events.append(event)
                if until(event):
                    break
            await self.leg.close()
        return self.events

    @property
    def states(self) -> list[HealthState]:
        return [event.state for event in self.events if isinstance(event, LegHealth)]

    @property
    def last_health(self) -> LegHealth:
        return [event for event in self.events if isinstance(event, LegHealth)][-1]

    def count(self, kind: type[LegEvent]) -> int:
        return sum(isinstance(event, kind) for event in self.events)


def is_state(state: HealthState) -> Callable[[LegEvent], bool]:
    return lambda event: isinstance(event, LegHealth) and event.state is state


def nth_sound(n: int) -> Callable[[LegEvent], bool]:
    seen: list[LegEvent] = []

    def fits(event: LegEvent) -> bool:
        seen.extend([event] if isinstance(event, Sound) else [])
        return len(seen) == n

    return fits


FILE = FileSource(Path("x.wav"))


async def test_a_file_is_heard_to_its_end() -> None:
    bench = Bench(FILE, (STATUS, 3))
    await bench.run()
    assert bench.states == [
        HealthState.STARTING,
        HealthState.STARTING,  # now with the device's name
        HealthState.LISTENING,
        HealthState.ENDED,
    ]
    assert [event.start_ms for event in bench.events if isinstance(event, Sound)] == [0, 40, 80]
    assert bench.last_health.device == "USB mic"
    assert all(source.is_closed for source in bench.opened)


async def test_a_leg_listens_only_after_the_first_real_samples() -> None:
    bench = Bench(DeviceSource(), (STATUS, HANGS))
    await bench.run(is_state(HealthState.NO_DEVICE))
    assert HealthState.LISTENING not in bench.states


async def test_a_file_without_sound_has_failed_and_says_why() -> None:
    bench = Bench(FILE, (GONE,))
    await bench.run()
    assert bench.last_health == LegHealth(
        Channel.MIC, HealthState.FAILED, "x.wav", "device `x` is not there", "plug it in"
    )
    assert len(bench.opened) == 1, "a file that failed once will fail again"


async def test_a_file_that_breaks_off_ends_after_what_was_readable() -> None:
    bench = Bench(FILE, (STATUS, 2, AudioError("file `x.wav` is cut short")))
    await bench.run()
    assert bench.count(Sound) == 2
    assert bench.last_health.state is HealthState.ENDED
    assert bench.last_health.detail == "file `x.wav` is cut short"


async def test_a_device_that_breaks_is_reopened_with_a_gap() -> None:
    bench = Bench(DeviceSource(), (STATUS, 2, GONE), (STATUS, HANGS), (STATUS, 1, HANGS))
    await bench.run(nth_sound(3))
    assert bench.states[2:] == [
        HealthState.LISTENING,
        HealthState.REOPENING,
        HealthState.NO_DEVICE,
        HealthState.LISTENING,
    ]
    assert bench.waits == [1, 2], "the wait grows with every failure in a row"
    [gap] = [event for event in bench.events if isinstance(event, Missing)]
    assert (gap.from_ms, gap.reason) == (80, "reopened")
    assert gap.to_ms == 1_960, "two waits of a second, less the block that ended it"
    assert [source.is_closed for source in bench.opened] == [True, True, True]


async def test_a_device_that_comes_back_starts_with_short_waits_again() -> None:
    bench = Bench(DeviceSource(), (GONE,), (GONE,), (1, GONE), (GONE,), (1, HANGS))
    await bench.run(nth_sound(2))
    assert bench.waits == [1, 2, 1, 2]


async def test_a_missing_device_is_looked_for_and_named_once() -> None:
    bench = Bench(DeviceSource(), (GONE,), (GONE,), (GONE,), (GONE,), (GONE,), (1, HANGS))
    await bench.run(nth_sound(1))
    assert bench.states == [HealthState.STARTING, HealthState.NO_DEVICE, HealthState.LISTENING]
    told = next(event for event in bench.events if is_state(HealthState.NO_DEVICE)(event))
    assert isinstance(told, LegHealth)
    assert (told.detail, told.hint) == (GONE.sentence, GONE.hint)
    assert bench.last_health.detail == "", "what was wrong is not said of a device that works"


async def test_a_device_that_ends_by_itself_is_reopened() -> None:
    bench = Bench(DeviceSource(), (STATUS, 1), (STATUS, 1, HANGS))
    await bench.run(nth_sound(2))
    assert HealthState.REOPENING in bench.states


async def test_a_device_that_hangs_is_closed_and_reopened() -> None:
    bench = Bench(DeviceSource(), (STATUS, 1, HANGS), (STATUS, 1, HANGS))
    await bench.run(nth_sound(2))
    lost = next(event for event in bench.events if is_state(HealthState.REOPENING)(event))
    assert isinstance(lost, LegHealth)
    assert lost.detail == "no data for 0.03 s"
    assert bench.opened[0].is_closed


async def test_a_pipe_may_be_silent_for_ever() -> None:
    bench = Bench(StdinSource(), (STATUS, HANGS))
    reading = asyncio.create_task(bench.run())
    done, _ = await asyncio.wait({reading}, timeout=0.2)  # many times the patience with a device
    assert not done
    await bench.leg.close()
    await reading
    assert bench.states == [HealthState.STARTING] * 2


async def test_muting_closes_a_device_and_unmuting_opens_it_anew() -> None:
    bench = Bench(DeviceSource(), (STATUS, 1, HANGS))

    def act(event: LegEvent) -> bool:
        if isinstance(event, Sound) and len(bench.opened) == 1:
            bench.leg.set_muted(True)
        if is_state(HealthState.MUTED)(event):
            assert bench.opened[0].is_closed, "muted is said when nothing listens any more"
            bench.clock.advance(5_000)
            bench.leg.set_muted(False)
        return isinstance(event, Sound) and len(bench.opened) == 2

    await bench.run(act)
    assert bench.states[-3:] == [HealthState.MUTED, HealthState.STARTING, HealthState.LISTENING]
    assert [event for event in bench.events if isinstance(event, Missing)] == [
        Missing(Channel.MIC, 40, 4_960, "muted")
    ]


async def test_a_wish_is_seen_while_nothing_comes_in() -> None:
    bench = Bench(StdinSource(), (STATUS, HANGS))

    def act(event: LegEvent) -> bool:
        if isinstance(event, LegHealth) and event.device == STATUS.device and not bench.leg._mute_wanted:
            asyncio.get_running_loop().call_later(0.05, bench.leg.set_muted, True)
        return is_state(HealthState.MUTED)(event)

    await bench.run(act)


async def test_a_leg_that_is_muted_from_the_start_opens_nothing() -> None:
    bench = Bench(DeviceSource(), (STATUS, 1, HANGS))
    bench.leg.set_muted(True)
    await bench.run(is_state(HealthState.MUTED))
    assert bench.opened == []


async def test_muting_ends_the_search_for_a_missing_device() -> None:
    bench = Bench(DeviceSource(), (GONE,))

    def act(event: LegEvent) -> bool:
        if is_state(HealthState.NO_DEVICE)(event):
            bench.leg.set_muted(True)
        return is_state(HealthState.MUTED)(event)

    await bench.run(act)
    assert bench.last_health.detail == ""


async def test_a_muted_file_waits_and_loses_nothing() -> None:
    bench = Bench(FILE, (STATUS, 5))
    given_when_muted = []

    def act(event: LegEvent) -> bool:
        if isinstance(event, Sound) and event.start_ms == 40:
            bench.leg.set_muted(True)
        if is_state(HealthState.MUTED)(event):
            given_when_muted.append(bench.opened[0].blocks_given)
            asyncio.get_running_loop().call_later(0.05, bench.leg.set_muted, False)
        return False

    await bench.run(act)
    assert len(bench.opened) == 1
    assert given_when_muted == [2]
    assert [event.start_ms for event in bench.events if isinstance(event, Sound)] == [0, 40, 80, 120, 160]
    assert bench.count(Missing) == 0
    assert bench.last_health.state is HealthState.ENDED


async def test_what_comes_through_a_muted_pipe_is_gone() -> None:
    bench = Bench(StdinSource(), (STATUS, 100))

    def act(event: LegEvent) -> bool:
        if isinstance(event, Sound):
            bench.leg.set_muted(True)
        return False

    await bench.run(act)
    assert bench.count(Sound) == 1
    assert bench.states[-2:] == [HealthState.MUTED, HealthState.ENDED]
    assert bench.opened[0].blocks_given == 100


async def test_a_warning_degrades_a_leg_that_listens_until_it_is_taken_back() -> None:
    warned = CaptureStatus("USB mic", 48_000, 1, warning="half of it is lost")
    bench = Bench(FILE, (STATUS, 1, warned, 1, STATUS, 1))
    await bench.run()
    assert bench.states[2:] == [
        HealthState.LISTENING,
        HealthState.DEGRADED,
        HealthState.LISTENING,
        HealthState.ENDED,
    ]
    degraded = next(event for event in bench.events if is_state(HealthState.DEGRADED)(event))
    assert isinstance(degraded, LegHealth)
    assert degraded.detail == "half of it is lost"


async def test_overflows_are_told_when_they_grow() -> None:
    bench = Bench(FILE, (STATUS, 1, CaptureStatus("USB mic", 48_000, 1, xruns=2), 1, STATUS))
    await bench.run()
    assert [event for event in bench.events if isinstance(event, Overflow)] == [Overflow(Channel.MIC, 2)]


async def test_a_pulled_file_is_read_no_faster_than_it_is_asked_for() -> None:
    bench = Bench(FileSource(Path("x.wav"), MAX_SPEED), (STATUS, 1_000))
    assert bench.leg.pulled
    await bench.run(nth_sound(5))
    assert bench.opened[0].blocks_given <= 6


@pytest.mark.parametrize("source", [FILE, StdinSource(), DeviceSource()])
async def test_closing_ends_the_stream_from_outside(source: Source) -> None:
    bench = Bench(source, (STATUS, 1, HANGS))
    heard = asyncio.Event()

    def act(event: LegEvent) -> bool:
        if isinstance(event, Sound):
            heard.set()
        return False

    reading = asyncio.create_task(bench.run(act))
    async with asyncio.timeout(DEADLINE_S):
        await heard.wait()
        await bench.leg.close()
        await reading
    assert bench.opened[-1].is_closed
    await bench.leg.close()
