"""Time, injected: every deadline of the suite reads a `Clock`, so tests never wait for one."""

import time
from datetime import UTC, datetime
from typing import Protocol

_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", None)  # Linux; counts suspend, unlike CLOCK_MONOTONIC


class Clock(Protocol):
    """Two readings of now."""

    def monotonic_ms(self) -> int:
        """Give milliseconds that never jump back and that count suspend."""
        ...

    def wall(self) -> datetime:
        """Give the wall clock with its zone; it may jump, so it only ever labels."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def monotonic_ms(self) -> int:
        """Read CLOCK_BOOTTIME; where it is missing (macOS) the wall clock, which counts sleep too."""
        return time.clock_gettime_ns(_BOOT_CLOCK) // 1_000_000 if _BOOT_CLOCK else time.time_ns() // 1_000_000

    def wall(self) -> datetime:
        """Read the wall clock in the local zone."""
        return datetime.now(UTC).astimezone()


def stamp(clock: Clock) -> str:
    """Give the wall clock as ISO 8601 with zone and milliseconds, as every event's `ts` carries it."""
    return clock.wall().isoformat(timespec="milliseconds")
