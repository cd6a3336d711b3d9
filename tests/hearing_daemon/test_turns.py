"""When a turn is over."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hearing_daemon.turns import Closed, Done, Event, Opened, Passed, SourceEnded, Turns, step

SILENCE_MS = 900


def ended(*events: Event) -> list[tuple[int, ...]]:
    """Play a history and give the turns that ended, in order."""
    turns = Turns(SILENCE_MS)
    over: list[tuple[int, ...]] = []
    for event in events:
        turns, new = step(turns, event)
        over += new
    return over


def said(seg_id: int, until_ms: int) -> tuple[Event, ...]:
    return Opened(seg_id), Closed(seg_id, until_ms)


def test_a_turn_ends_when_it_is_silent_for_long_enough_and_recognized() -> None:
    assert ended(*said(1, 1_000), Done(1, True), Passed(1_899)) == []
    assert ended(*said(1, 1_000), Done(1, True), Passed(1_900)) == [(1,)]


def test_a_turn_waits_for_its_text() -> None:
    assert ended(*said(1, 1_000), Passed(5_000)) == []
    assert ended(*said(1, 1_000), Passed(5_000), Done(1, True)) == [(1,)]


def test_segments_with_short_pauses_are_one_turn() -> None:
    history = (*said(1, 1_000), Passed(1_500), *said(2, 3_000), Done(1, True), Done(2, True), Passed(4_000))
    assert ended(*history) == [(1, 2)]


def test_a_slow_recognizer_joins_no_two_turns() -> None:
    history = (*said(1, 1_000), Passed(2_000), *said(2, 4_000), Passed(9_000), Done(1, True), Done(2, True))
    assert ended(*history) == [(1,), (2,)]


def test_turns_end_in_the_order_they_were_spoken() -> None:
    history = (*said(1, 1_000), Passed(2_000), *said(2, 4_000), Passed(9_000), Done(2, True))
    assert ended(*history) == []
    assert ended(*history, Done(1, True)) == [(1,), (2,)]


def test_speech_in_progress_ends_no_turn() -> None:
    assert ended(*said(1, 1_000), Done(1, True), Opened(2), Passed(60_000)) == []


def test_a_long_speech_ends_its_turn_only_when_it_is_silent() -> None:
    history = (Opened(1), Passed(60_000), Closed(1, 61_000), Done(1, True))
    assert ended(*history) == []
    assert ended(*history, Passed(61_900)) == [(1,)]


def test_noise_alone_is_no_turn() -> None:
    assert ended(*said(1, 1_000), Done(1, False), Passed(5_000)) == []


def test_a_dropped_segment_among_others_belongs_to_its_turn() -> None:
    history = (*said(1, 1_000), *said(2, 1_500), Done(1, True), Done(2, False), Passed(5_000))
    assert ended(*history) == [(1, 2)]


def test_the_end_of_the_source_ends_the_turn() -> None:
    assert ended(*said(1, 1_000), SourceEnded(), Done(1, True)) == [(1,)]
    assert ended(SourceEnded()) == []


@given(st.lists(st.tuples(st.integers(100, 3_000), st.integers(0, 3_000)), max_size=12), st.randoms())
def test_every_segment_is_in_exactly_one_turn_and_in_order(
    spoken: list[tuple[int, int]], chance: Random
) -> None:
    now_ms = 0
    history: list[Event] = []
    undone: list[Event] = []
    for seg_id, (length_ms, pause_ms) in enumerate(spoken):
        history += [Opened(seg_id), Closed(seg_id, now_ms + length_ms)]
        now_ms += length_ms + pause_ms
        history.append(Passed(now_ms))
        undone.append(Done(seg_id, True))
    chance.shuffle(undone)
    over = ended(*history, *undone, SourceEnded())
    assert [seg_id for turn in over for seg_id in turn] == list(range(len(spoken)))
    long_pauses = [at for at, (_, pause_ms) in enumerate(spoken[:-1]) if pause_ms >= SILENCE_MS]
    assert [turn[-1] for turn in over[:-1]] == long_pauses
