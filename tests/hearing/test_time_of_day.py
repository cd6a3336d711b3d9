"""What stands beside words is when they began."""

import pytest

from hearing.time_of_day import time_of_day


@pytest.mark.parametrize(
    ("ts", "before_ms", "said"),
    [
        ("2026-01-02T23:59:58.001-08:00", 0, "23:59:58"),
        ("2026-01-02T12:00:00.500+00:00", 600, "11:59:59"),
        ("2026-01-02T12:00:00Z", 1, "11:59:59"),
        ("2026-01-02T00:00:03.000+00:00", 8_500, "23:59:54"),
        ("2026-01-02T00:00:00+00:00", 10**9, "10:13:20"),
    ],
)
def test_a_time_of_day_is_that_of_the_zone_the_stamp_carries(ts: str, before_ms: int, said: str) -> None:
    assert time_of_day(ts, before_ms=before_ms) == said


@pytest.mark.parametrize(
    "ts",
    [None, "", "yesterday", 12, "\x1b[2026-01-02T03:04:05", "2026-01-02T\u0660\u0663:04:05"],
)
def test_an_odd_stamp_gives_no_time(ts: object) -> None:
    assert time_of_day(ts) == ""
