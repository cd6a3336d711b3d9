"""A clock that moves when a test says so."""

from datetime import UTC, datetime, timedelta

_START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class FakeClock:
    """Both readings advance together; `jump_wall` moves the wall alone, as a user or NTP does."""

    def __init__(self, monotonic_ms: int = 1_000_000) -> None:
        self._monotonic_ms = monotonic_ms
        self._wall = _START

    def monotonic_ms(self) -> int:
        """Give the time a test has let pass."""
        return self._monotonic_ms

    def wall(self) -> datetime:
        """Give the wall clock in UTC."""
        return self._wall

    def advance(self, ms: int) -> None:
        """Let time pass."""
        self._monotonic_ms += ms
        self._wall += timedelta(milliseconds=ms)

    def jump_wall(self, ms: int) -> None:
        """Set the wall clock forward or back."""
        self._wall += timedelta(milliseconds=ms)
