"""What waits for the recognizer, bounded in audio."""

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hearing.types import Channel, TimeSpan
from hearing_daemon.backlog import Backlog, put, take
from hearing_daemon.utterance import Utterance

MakeUtterance = Callable[..., Utterance]


def ids(utterances: tuple[Utterance, ...]) -> list[int]:
    return [utterance.seg_id for utterance in utterances]


def test_the_oldest_is_taken_first(utterance: MakeUtterance) -> None:
    backlog, _ = put(Backlog(60_000), utterance(1))
    backlog, _ = put(backlog, utterance(2))
    backlog, first = take(backlog)
    assert first is not None
    assert first.seg_id == 1
    assert ids(backlog.waiting) == [2]


def test_an_empty_one_gives_nothing() -> None:
    assert take(Backlog(60_000)) == (Backlog(60_000), None)


def test_the_oldest_goes_when_there_is_more_audio_than_allowed(utterance: MakeUtterance) -> None:
    backlog = Backlog(10_000)
    for seg_id in (1, 2, 3):
        backlog, dropped = put(backlog, utterance(seg_id, 4_000))
    assert ids(dropped) == [1]
    assert ids(backlog.waiting) == [2, 3]


def test_one_utterance_longer_than_all_room_is_kept(utterance: MakeUtterance) -> None:
    backlog, dropped = put(Backlog(10_000), utterance(1, 28_000))
    assert ids(backlog.waiting) == [1]
    assert dropped == ()


def test_nothing_of_a_source_that_can_wait_is_dropped(utterance: MakeUtterance) -> None:
    backlog, _ = put(Backlog(10_000), utterance(1, 9_000, pulled=True))
    backlog, dropped = put(backlog, utterance(2, 9_000, pulled=True))
    assert dropped == ()
    assert not backlog.has_room


def test_room_is_told_apart_from_no_room(utterance: MakeUtterance) -> None:
    backlog, _ = put(Backlog(10_000), utterance(1, 9_999))
    assert backlog.has_room
    backlog, _ = put(backlog, utterance(2, 1, pulled=True))
    assert not backlog.has_room


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=30))
def test_live_audio_is_bounded_and_nobody_is_forgotten(lengths: list[tuple[int, bool]]) -> None:
    backlog = Backlog(20_000)
    gone: list[int] = []
    for seg_id, (seconds, pulled) in enumerate(lengths):
        span = TimeSpan(0, seconds * 1_000)
        nothing = np.zeros(0, dtype=np.int16)
        newest = Utterance(seg_id, Channel.MIC, span, span.end_ms, nothing, False, pulled, 0)
        backlog, dropped = put(backlog, newest)
        gone += ids(dropped)
        assert not any(lost.pulled for lost in dropped)
        live_ms = sum(waiting.duration_ms for waiting in backlog.waiting if not waiting.pulled)
        assert live_ms <= 20_000
        assert newest in backlog.waiting
    assert sorted([*gone, *ids(backlog.waiting)]) == list(range(len(lengths)))
    assert ids(backlog.waiting) == sorted(ids(backlog.waiting))
