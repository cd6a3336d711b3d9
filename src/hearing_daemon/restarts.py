"""How soon a dead worker is started again: at once at first, later and later if it keeps dying. No clock."""

from dataclasses import dataclass
from typing import Final

WINDOW_MS: Final = 60_000
BUDGET: Final = 5
_FIRST_DELAY_MS: Final = 500
LONGEST_DELAY_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class Deaths:
    """When the worker died, oldest first, within the last minute."""

    at_ms: tuple[int, ...] = ()

    @property
    def is_hopeless(self) -> bool:
        """Say whether it died too often to be called merely restarting."""
        return len(self.at_ms) >= BUDGET


def died(deaths: Deaths, now_ms: int) -> Deaths:
    """Count a death and forget those of more than a minute ago."""
    recent = tuple(at_ms for at_ms in deaths.at_ms if now_ms - at_ms < WINDOW_MS)
    return Deaths((*recent, now_ms))


def delay_ms(deaths: Deaths) -> int:
    """Give the wait before the next start: none after one death, then 0.5 s doubling, 30 s when hopeless."""
    if deaths.is_hopeless:
        return LONGEST_DELAY_MS
    return 0 if len(deaths.at_ms) < 2 else _FIRST_DELAY_MS * 2 ** (len(deaths.at_ms) - 2)
