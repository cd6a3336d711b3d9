"""Spans are half-open integer milliseconds; the leg says who speaks."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.types import Channel, TimeSpan, TranscriptSegment

spans = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda ends: TimeSpan(min(ends), max(ends)))


def test_a_span_has_its_start_and_not_its_end() -> None:
    span = TimeSpan(100, 200)
    assert [span.contains(at) for at in (99, 100, 199, 200)] == [False, True, True, False]
    assert span.duration_ms == 100


def test_an_empty_span_is_fine_and_holds_nothing() -> None:
    assert TimeSpan(5, 5).duration_ms == 0
    assert not TimeSpan(5, 5).contains(5)


@pytest.mark.parametrize(("start_ms", "end_ms"), [(1, 0), (-1, 0), (-2, -1)])
def test_what_is_no_span_is_refused(start_ms: int, end_ms: int) -> None:
    with pytest.raises(ValueError, match="is no time span"):
        TimeSpan(start_ms, end_ms)


@given(spans, spans)
def test_two_spans_overlap_exactly_when_they_share_a_millisecond(one: TimeSpan, other: TimeSpan) -> None:
    shared = any(one.contains(at) and other.contains(at) for at in range(51))
    both_lie_around = one.duration_ms and other.duration_ms
    assert one.overlaps(other) is other.overlaps(one)
    if both_lie_around:
        assert one.overlaps(other) is shared


def test_spans_sort_by_start_then_end() -> None:
    assert sorted([TimeSpan(2, 3), TimeSpan(1, 9), TimeSpan(1, 2)])[0] == TimeSpan(1, 2)


def test_the_leg_says_who_speaks() -> None:
    mic = TranscriptSegment(TimeSpan(0, 1), "hi", Channel.MIC)
    system = TranscriptSegment(TimeSpan(0, 1), "hi", Channel.SYSTEM, speaker="Ann")
    assert (mic.is_me, system.is_me) == (True, False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        mic.text = "other"  # type: ignore[misc]
