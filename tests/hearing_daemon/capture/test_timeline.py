"""Stream time is counted in samples and never goes back."""

from hypothesis import given
from hypothesis import strategies as st

from hearing.types import TimeSpan
from hearing_daemon.capture.timeline import Timeline


def test_time_is_counted_in_samples_and_loses_none_to_rounding() -> None:
    timeline = Timeline()
    for _ in range(1_000):
        timeline = timeline.after(333)
    assert timeline.position_samples == 333_000
    assert timeline.now_ms == 333_000 // 16


@given(st.integers(0, 10**9), st.integers(-(10**6), 10**6))
def test_moving_never_goes_back(position: int, at_ms: int) -> None:
    timeline = Timeline(position)
    moved = timeline.moved_to(at_ms)
    assert moved.position_samples == max(position, at_ms * 16)


def test_what_is_missing_lies_between_two_places() -> None:
    before, after = Timeline(16_000), Timeline().moved_to(5_000)
    assert before.missing_until(after) == TimeSpan(1_000, 5_000)
    assert after.missing_until(after) is None
    assert after.missing_until(before) is None
