"""One worker kept alive: real child processes with a fake engine."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from hearing.clock import SystemClock
from hearing.errors import ModelError
from hearing.messages.common import HealthState
from hearing_daemon.recognizer import GivenUp, Recognized, Recognizer, Result, patience_s
from hearing_daemon.utterance import Utterance

FAKE_WORKER = Path(__file__).parent / "fake_worker.py"
DEADLINE_S = 20.0

MakeUtterance = Callable[..., Utterance]


@dataclass
class Desk:
    """A source of given utterances that notes what comes back."""

    waiting: list[Utterance] = field(default_factory=list)
    results: dict[int, Result] = field(default_factory=dict)
    health: list[tuple[HealthState, str]] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def next_utterance(self) -> Utterance:
        """Give the next, or wait for ever."""
        await self.until(lambda: bool(self.waiting))
        return self.waiting.pop(0)

    def on_result(self, utterance: Utterance, result: Result, queue_ms: int) -> None:
        """Note it; two results of one utterance are a fault."""
        assert utterance.seg_id not in self.results
        assert queue_ms >= 0
        self.results[utterance.seg_id] = result
        self.changed.set()

    def on_health(self, state: HealthState, *, model: str | None, detail: str, hint: str) -> None:
        """Note it."""
        assert (model == "fake") is (state is HealthState.READY)
        self.health.append((state, detail))
        self.changed.set()

    @property
    def states(self) -> list[HealthState]:
        """Give the states alone."""
        return [state for state, _ in self.health]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something holds."""
        while not true():
            self.changed.clear()
            await self.changed.wait()


async def play(
    desk: Desk,
    until: Callable[[], bool],
    *arguments: str,
    locate: Callable[[], Path] = lambda: Path("/nowhere"),
    deadline_s: float = 10.0,
    meanwhile: Callable[[Recognizer], None] = lambda recognizer: None,
) -> list[float]:
    """Run a recognizer until something holds, and give the waits it asked for."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        desk.changed.set()
        await asyncio.sleep(0)

    recognizer = Recognizer(
        desk,
        locate=locate,
        command=lambda weights: [sys.executable, str(FAKE_WORKER), *arguments],
        clock=SystemClock(),
        sleep=sleep,
        deadline_s=lambda utterance: deadline_s,
    )
    running = asyncio.create_task(recognizer.run())
    try:
        async with asyncio.timeout(DEADLINE_S):
            await desk.until(lambda: HealthState.READY in desk.states or until())
            meanwhile(recognizer)
            await desk.until(until)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert recognizer.worker_pid is None
    return waits


def text_of(result: Result) -> str:
    assert isinstance(result, Recognized)
    return " ".join(recognition.text for recognition in result.recognitions)


async def test_utterances_are_recognized_in_order(utterance: MakeUtterance) -> None:
    desk = Desk([utterance(1), utterance(2)])
    await play(desk, lambda: len(desk.results) == 2, "say:one", "say:two")
    assert [text_of(desk.results[seg_id]) for seg_id in (1, 2)] == ["one", "two"]
    assert desk.states == [HealthState.LOADING, HealthState.READY]


async def test_a_worker_that_dies_gets_the_unfinished_utterance_again(
    utterance: MakeUtterance, tmp_path: Path
) -> None:
    desk = Desk([utterance(1), utterance(2)])
    await play(desk, lambda: len(desk.results) == 2, "crash", "say:two", "--once", str(tmp_path / "did"))
    assert text_of(desk.results[1]) == "recovered"
    assert text_of(desk.results[2]) == "two"
    assert desk.states == [
        HealthState.LOADING,
        HealthState.READY,
        HealthState.RESTARTING,
        HealthState.READY,
    ]


async def test_an_utterance_that_kills_twice_is_given_up_and_the_next_is_recognized(
    utterance: MakeUtterance,
) -> None:
    desk = Desk([utterance(1, 700), utterance(2)])
    waits = await play(desk, lambda: len(desk.results) == 2, "crash")
    assert desk.results[1] == GivenUp("was ended by signal 9")
    assert waits[:2] == [0.0, 0.5]


async def test_a_worker_that_hangs_is_killed(utterance: MakeUtterance, tmp_path: Path) -> None:
    desk = Desk([utterance(1)])
    did = str(tmp_path / "did")
    await play(desk, lambda: bool(desk.results), "hang", "--once", did, deadline_s=0.3)
    assert text_of(desk.results[1]) == "recovered"


async def test_a_refused_utterance_is_given_up_without_a_restart(utterance: MakeUtterance) -> None:
    desk = Desk([utterance(1), utterance(2)])
    await play(desk, lambda: len(desk.results) == 2, "refuse", "refuse", "say:two")
    assert desk.results[1] == GivenUp("the engine refused it")
    assert text_of(desk.results[2]) == "two"
    assert desk.states == [HealthState.LOADING, HealthState.READY]


async def test_a_worker_killed_while_idle_is_back_before_anybody_speaks() -> None:
    desk = Desk()

    def kill(recognizer: Recognizer) -> None:
        assert recognizer.worker_pid is not None
        os.kill(recognizer.worker_pid, signal.SIGKILL)

    await play(desk, lambda: desk.states.count(HealthState.READY) == 2, meanwhile=kill)


async def test_a_missing_model_is_looked_for_until_it_is_there() -> None:
    desk, looks = Desk(), 0

    def locate() -> Path:
        nonlocal looks
        looks += 1
        if looks < 4:
            raise ModelError("model `fake` is not here", hint="pull it")
        return Path("/nowhere")

    await play(desk, lambda: HealthState.READY in desk.states, locate=locate)
    assert desk.health[0] == (HealthState.NO_MODEL, "model `fake` is not here")
    assert desk.states == [HealthState.NO_MODEL, HealthState.LOADING, HealthState.READY], "said once"


async def test_an_unusable_model_is_said_once_and_tried_again() -> None:
    desk = Desk()
    waits: list[float] = []
    tries = 0

    def locate() -> Path:
        nonlocal tries
        tries += 1
        desk.changed.set()
        return Path("/nowhere")

    waits = await play(desk, lambda: tries == 3, "--unusable", locate=locate)
    assert desk.health == [(HealthState.LOADING, ""), (HealthState.FAILED, "model `fake` is torn")]
    assert waits == [10.0, 10.0]


async def test_a_worker_that_keeps_dying_is_called_failed_and_tried_later() -> None:
    desk = Desk()
    waits = await play(desk, lambda: HealthState.FAILED in desk.states, "--stillborn")
    assert waits[:4] == [0.0, 0.5, 1.0, 2.0]
    assert desk.health[-1][1] == "the worker ended with status 7 5 times in a minute"


async def test_a_command_that_does_not_exist_is_a_death_like_others() -> None:
    desk = Desk()
    recognizer = Recognizer(
        desk,
        locate=lambda: Path("/nowhere"),
        command=lambda weights: ["/nonexistent/worker"],
        clock=SystemClock(),
        sleep=lambda seconds: asyncio.sleep(0),
    )
    running = asyncio.create_task(recognizer.run())
    async with asyncio.timeout(DEADLINE_S):
        await desk.until(lambda: HealthState.FAILED in desk.states)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_the_worker_ends_with_the_recognizer(utterance: MakeUtterance) -> None:
    desk, pids = Desk([utterance(1)]), []

    def note(recognizer: Recognizer) -> None:
        assert recognizer.worker_pid is not None
        pids.append(recognizer.worker_pid)

    await play(desk, lambda: bool(desk.results), meanwhile=note)
    assert not psutil.pid_exists(pids[0])


async def test_nothing_said_is_logged(utterance: MakeUtterance, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    desk = Desk([utterance(1), utterance(2, 700)])
    await play(desk, lambda: len(desk.results) == 2, "say:canary", "crash")
    assert "last words" in caplog.text, "the worker's stderr is drained and shown"
    assert "canary" not in caplog.text


def test_patience_grows_with_the_utterance(utterance: MakeUtterance) -> None:
    assert patience_s(utterance(1, 10_000)) == 70.0
