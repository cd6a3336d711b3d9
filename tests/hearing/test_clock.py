"""Deadlines never jump; the wall clock only labels."""

import re
import time

import pytest

from hearing import clock
from hearing.clock import SystemClock, stamp
from hearing.testing.clock import FakeClock


def test_the_system_clock_goes_on_and_counts_suspend() -> None:
    ours = SystemClock()
    first, boot_ms = ours.monotonic_ms(), time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    assert 0 <= boot_ms - first < 10_000
    assert ours.monotonic_ms() >= first


def test_where_no_clock_counts_suspend_the_wall_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_BOOT_CLOCK", None)
    assert abs(SystemClock().monotonic_ms() - time.time_ns() // 1_000_000) < 10_000


def test_the_wall_has_its_zone() -> None:
    assert SystemClock().wall().tzinfo is not None


def test_a_stamp_is_iso_8601_with_zone_and_milliseconds() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d", stamp(SystemClock()))
    assert stamp(FakeClock()) == "2026-01-02T03:04:05.000+00:00"


def test_a_fake_clock_moves_only_when_told() -> None:
    fake = FakeClock(monotonic_ms=5)
    fake.advance(1500)
    fake.jump_wall(-86_400_000)
    assert fake.monotonic_ms() == 1505
    assert stamp(fake) == "2026-01-01T03:04:06.500+00:00"
