"""Small readings for people."""

import math

import pytest

from hearing_tui.labels import duration, level_cells, level_text


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0.0 s"), (2_400, "2.4 s"), (59_949, "59.9 s"), (60_000, "1:00"), (125_500, "2:05")]
)
def test_durations(ms: int, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("dbfs", "cells"),
    [(None, 0), (math.nan, 0), (-math.inf, 0), (-60, 0), (-30, 6), (0, 12), (6, 12), (math.inf, 12)],
)
def test_a_level_fills_its_share_of_the_meter(dbfs: float | None, cells: int) -> None:
    assert level_cells(dbfs, 12) == cells


@pytest.mark.parametrize("dbfs", [None, math.nan, -math.inf, -120.4, -7.2, 0.0, math.inf])
def test_a_level_is_always_as_wide(dbfs: float | None) -> None:
    assert len(level_text(dbfs)) == 6
