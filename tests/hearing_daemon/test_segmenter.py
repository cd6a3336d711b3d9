"""Where speech begins and ends."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.config import VadConfig
from hearing_daemon.segmenter import (
    _TABLE,
    Closed,
    Discarded,
    Effect,
    Frame,
    Heard,
    Limits,
    Opened,
    Phase,
    State,
    flush,
    restart,
    samples,
    step,
)
from hearing_daemon.short_window import LONGEST_MS

FRAME = 512
LIMITS = Limits(
    threshold=0.5,
    release=0.35,
    onset=3 * FRAME,
    hang_over=10 * FRAME,
    pre_roll=8 * FRAME,
    min_speech=4 * FRAME,
    max_segment=60 * FRAME,
    overlap=6 * FRAME,
    search=20 * FRAME,
)


def played(probabilities: list[float], limits: Limits = LIMITS, start: int = 0) -> list[Effect]:
    """Feed one frame a probability, then end the source."""
    state = restart(start)
    effects: list[Effect] = []
    for index, probability in enumerate(probabilities):
        at = start + index * FRAME
        state, new = step(limits, state, Frame(at, at + FRAME, probability))
        effects += new
    return [*effects, *flush(limits, state)[1]]


def test_every_phase_has_a_row() -> None:
    assert set(_TABLE) == {(phase, heard) for phase in Phase for heard in Heard}


def test_a_word_is_one_segment_with_pre_roll_and_hang_over() -> None:
    effects = played([0.0] * 20 + [0.9] * 12 + [0.0] * 20)
    assert effects == [
        Opened(12 * FRAME),
        Closed(12 * FRAME, 42 * FRAME, speech_end=32 * FRAME),
    ]


def test_pre_roll_never_goes_behind_the_beginning() -> None:
    assert played([0.9] * 12 + [0.0] * 10, start=5 * FRAME)[0] == Opened(5 * FRAME)


def test_pre_roll_never_goes_into_the_segment_before() -> None:
    effects = played([0.9] * 10 + [0.0] * 12 + [0.9] * 10 + [0.0] * 10)
    assert isinstance(effects[1], Closed)
    assert effects[1].end == 20 * FRAME
    assert effects[2] == Opened(20 * FRAME)


def test_a_click_shorter_than_the_onset_announces_nothing() -> None:
    assert played([0.0] * 5 + [0.9] * 2 + [0.0] * 20) == []


def test_a_noise_long_enough_to_be_announced_and_too_short_to_be_speech_is_discarded() -> None:
    effects = played([0.0] * 10 + [0.9] * 3 + [0.0] * 12)
    assert effects == [Opened(2 * FRAME), Discarded(23 * FRAME)]


def test_a_pause_shorter_than_the_hang_over_ends_nothing() -> None:
    effects = played([0.9] * 6 + [0.0] * 9 + [0.9] * 6 + [0.0] * 10)
    assert effects == [Opened(0), Closed(0, 31 * FRAME, speech_end=21 * FRAME)]


def test_speech_goes_on_at_a_likelihood_that_would_not_begin_it() -> None:
    assert played([0.4] * 20) == []
    effects = played([0.9] * 6 + [0.4] * 20 + [0.0] * 10)
    assert effects[1] == Closed(0, 36 * FRAME, speech_end=26 * FRAME)


def test_the_end_of_the_source_closes_what_is_open() -> None:
    assert played([0.9] * 6) == [Opened(0), Closed(0, 6 * FRAME, speech_end=6 * FRAME)]


def test_unbroken_speech_is_cut_with_overlap() -> None:
    effects = played([0.9] * 70)
    assert effects == [
        Opened(0),
        Closed(0, 60 * FRAME, speech_end=60 * FRAME, forced=True),
        Opened(54 * FRAME, repeats=6 * FRAME),
        Closed(54 * FRAME, 70 * FRAME, speech_end=70 * FRAME),
    ]


def test_long_speech_with_a_pause_is_cut_in_it_without_overlap() -> None:
    effects = played([0.9] * 50 + [0.2, 0.1, 0.2] + [0.9] * 20)
    assert effects == [
        Opened(0),
        Closed(0, 51 * FRAME, speech_end=50 * FRAME, forced=True),
        Opened(51 * FRAME),
        Closed(51 * FRAME, 73 * FRAME, speech_end=73 * FRAME),
    ]


def test_a_pause_longer_ago_than_the_search_is_no_place_to_cut() -> None:
    effects = played([0.9] * 20 + [0.1] * 3 + [0.9] * 45)
    assert isinstance(effects[1], Closed)
    assert effects[1].end == 60 * FRAME


def test_a_cut_in_the_pause_that_ends_the_speech_opens_no_empty_segment() -> None:
    effects = played([0.9] * 54 + [0.0] * 12)
    assert effects == [Opened(0), Closed(0, 60 * FRAME, speech_end=54 * FRAME)]


def test_a_new_take_forgets_the_old_one() -> None:
    assert restart(7) == State(floor=7, end=7)


def test_configured_overlap_never_exceeds_half_a_segment() -> None:
    limits = Limits.of(VadConfig(max_segment_ms=2_000, overlap_ms=2_000))
    assert limits.overlap == limits.search == samples(1_000)


def test_the_defaults_fit_together() -> None:
    limits = Limits.of(VadConfig())
    assert limits.onset <= limits.min_speech
    assert limits.max_segment < samples(LONGEST_MS), "all utterances fit the short window"


probabilities = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.95]), st.integers(1, 40)), max_size=40
).map(lambda runs: [probability for probability, count in runs for _ in range(count)])


@given(probabilities)
def test_every_opened_segment_ends_exactly_once_and_before_the_next(heard: list[float]) -> None:
    effects = played(heard)
    assert len(effects) % 2 == 0
    for opened, ended in zip(effects[::2], effects[1::2], strict=True):
        assert isinstance(opened, Opened)
        assert isinstance(ended, Closed | Discarded)
        if isinstance(ended, Closed):
            assert ended.start == opened.at
            assert opened.at < ended.speech_end <= ended.end


@given(probabilities)
def test_spans_are_ordered_and_overlap_only_after_a_forced_cut(heard: list[float]) -> None:
    effects = played(heard)
    ends = effects[1::2]
    for before, after in zip(ends, effects[2::2], strict=False):
        assert isinstance(after, Opened)
        assert not isinstance(before, Opened)
        assert after.at == before.end - after.repeats if after.repeats else after.at >= before.end
        if after.repeats:
            assert isinstance(before, Closed)
            assert before.forced


@given(probabilities)
def test_no_run_of_speech_is_lost(heard: list[float]) -> None:
    effects = played(heard)
    spans = [
        (opened.at, ended.end)
        for opened, ended in zip(effects[::2], effects[1::2], strict=True)
        if isinstance(opened, Opened) and isinstance(ended, Closed | Discarded)
    ]
    for first, last in runs_of_speech(heard):
        covered = {at for start, end in spans for at in range(start, end, FRAME)}
        assert all(at * FRAME in covered for at in range(first, last))


@given(probabilities)
def test_no_segment_is_longer_than_allowed(heard: list[float]) -> None:
    longest = LIMITS.max_segment + FRAME
    for effect in played(heard):
        if isinstance(effect, Closed):
            assert effect.end - effect.start <= longest


@given(probabilities, st.integers(0, 3))
def test_ending_the_source_anywhere_leaves_nothing_open(heard: list[float], rest: int) -> None:
    state = restart(0)
    for at, probability in enumerate(heard):
        state, _ = step(LIMITS, state, Frame(at * FRAME, (at + 1) * FRAME, probability))
    state, _ = flush(LIMITS, state)
    assert state == restart(state.end)
    assert flush(LIMITS, state) == (state, ())


def runs_of_speech(heard: list[float]) -> list[tuple[int, int]]:
    """Find the frames of each run long enough to be believed, as half-open ranges."""
    runs, start = [], None
    for at, probability in enumerate([*heard, 0.0]):
        if probability >= LIMITS.threshold:
            start = at if start is None else start
        elif start is not None:
            runs.append((start, at))
            start = None
    needed = LIMITS.onset // FRAME
    return [(first, last) for first, last in runs if last - first >= needed]


@pytest.mark.parametrize("overlap", [0, 6 * FRAME])
def test_a_cut_loses_no_frame(overlap: int) -> None:
    effects = played([0.9] * 200, replace(LIMITS, overlap=overlap))
    ends = [effect for effect in effects if isinstance(effect, Closed)]
    for before, after in pairwise(ends):
        assert after.start == before.end - overlap
    assert ends[-1].end == 200 * FRAME
