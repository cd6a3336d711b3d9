"""A file sounds as if it were spoken now, without drift."""

import pytest

from hearing_daemon.capture.sources.pace import Pace


def play(speed: float, blocks: int, *, overshoot_s: float = 0.0, held_at: int = -1) -> list[float]:
    """Give when each block of 40 ms comes out, with a sleep that is always late."""
    pace, now_s, came = Pace(speed), 100.0, []
    for index in range(blocks):
        if index == held_at:
            now_s += 60.0
        if wait_s := pace.wait_s(640, now_s):
            now_s += wait_s + overshoot_s
        came.append(now_s - 100.0)
    return came


def test_real_time_does_not_drift_although_every_sleep_is_late() -> None:
    came = play(1.0, 10_000, overshoot_s=0.003)
    assert came[-1] == pytest.approx(400.0, abs=0.004)


def test_a_block_comes_when_its_last_sample_was_spoken() -> None:
    assert play(1.0, 3) == pytest.approx([0.04, 0.08, 0.12])


@pytest.mark.parametrize(("speed", "last_s"), [(20.0, 2.0), (0.5, 80.0), (float("inf"), 0.0)])
def test_speed_is_a_multiple_of_real_time(speed: float, last_s: float) -> None:
    assert play(speed, 1_000)[-1] == pytest.approx(last_s)


def test_a_reader_that_was_held_up_for_a_minute_gets_no_flood() -> None:
    came = play(1.0, 200, held_at=100)
    assert came[99] == pytest.approx(4.0)
    assert came[199] == pytest.approx(4.0 + 60.0 + 4.0 - 0.04, abs=0.05)
