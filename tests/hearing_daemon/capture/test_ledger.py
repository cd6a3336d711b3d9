"""Every block has its place in stream time, and every hole is named."""

import numpy as np
import pytest

from hearing.types import Channel
from hearing_daemon.capture.events import LegEvent, Missing, Overflow, Sound
from hearing_daemon.capture.ledger import Ledger

BLOCK = np.zeros(640, np.int16)  # 40 ms


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Channel.MIC)


def starts(events: list[LegEvent]) -> list[int]:
    return [event.start_ms for event in events if isinstance(event, Sound)]


def gaps(events: list[LegEvent]) -> list[tuple[int, int, str]]:
    return [(event.from_ms, event.to_ms, event.reason) for event in events if isinstance(event, Missing)]


def test_a_file_runs_on_sample_time_alone(ledger: Ledger) -> None:
    events = [event for _ in range(3) for event in ledger.sound(BLOCK, None)]
    assert starts(events) == [0, 40, 80]
    assert not gaps(events)


def test_a_device_begins_when_it_began_and_lost_nothing_before(ledger: Ledger) -> None:
    events = ledger.sound(BLOCK, now_ms=1_500) + ledger.sound(BLOCK, now_ms=9_999)
    assert starts(events) == [1_460, 1_500], "the clock places a take, samples place what follows"
    assert not gaps(events)


def test_a_new_take_says_what_nobody_has(ledger: Ledger) -> None:
    ledger.sound(BLOCK, now_ms=1_000)
    ledger.break_off("reopened")
    events = ledger.sound(BLOCK, now_ms=4_000)
    assert gaps(events) == [(1_000, 3_960, "reopened")]
    assert starts(events) == [3_960]
    assert isinstance(events[0], Missing), "the gap comes before what follows it"


def test_the_first_reason_counts_when_a_muted_device_is_closed(ledger: Ledger) -> None:
    ledger.sound(BLOCK, now_ms=1_000)
    ledger.break_off("muted")
    ledger.break_off("reopened")
    assert gaps(ledger.sound(BLOCK, now_ms=2_000)) == [(1_000, 1_960, "muted")]


def test_sound_that_is_let_pass_is_missing_afterwards(ledger: Ledger) -> None:
    ledger.sound(BLOCK, None)
    ledger.break_off("muted")
    ledger.skip(16_000)
    events = ledger.sound(BLOCK, None)
    assert gaps(events) == [(40, 1_040, "muted")]
    assert starts(events) == [1_040]


def test_a_take_never_begins_before_the_last_one_ended(ledger: Ledger) -> None:
    ledger.sound(np.zeros(16_000, np.int16), now_ms=1_000)
    ledger.break_off("reopened")
    events = ledger.sound(BLOCK, now_ms=900)
    assert starts(events) == [1_000]
    assert not gaps(events)


def test_overflows_are_counted_over_all_takes(ledger: Ledger) -> None:
    ledger.sound(BLOCK, 0)
    assert ledger.xruns(2) == [Overflow(Channel.MIC, 2)]
    assert ledger.xruns(2) == []
    ledger.break_off("reopened")
    assert ledger.xruns(1) == [Overflow(Channel.MIC, 3)]
