"""What a leg has heard: the place of every block, what nobody has, how often samples were dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearing.types import SAMPLE_RATE_HZ, Channel
from hearing_daemon.capture.events import LegEvent, Missing, Overflow, Sound
from hearing_daemon.capture.timeline import Timeline

if TYPE_CHECKING:
    from hearing.interfaces import Samples


class Ledger:
    """Turns samples and counts into events; it decides nothing and reads no clock."""

    def __init__(self, leg: Channel) -> None:
        self._leg = leg
        self._given = Timeline()  # the end of the last sound that was handed on
        self._at = Timeline()  # the place of the next sample
        self._new_take = True
        self._reason = ""
        self._heard = False
        self._xruns_gone = 0  # of the takes before
        self._xruns = 0

    def break_off(self, reason: str) -> None:
        """End the take: the next sound does not follow the last one; the first reason counts."""
        if not self._new_take:
            self._new_take, self._reason = True, reason
        self._xruns_gone, self._xruns = self._xruns_gone + self._xruns, 0

    def skip(self, samples: int) -> None:
        """Let sound pass that nobody may keep."""
        self._at = self._at.after(samples)

    def sound(self, samples: Samples, now_ms: int | None) -> list[LegEvent]:
        """Place a block; a take begins at `now_ms` less the block, or (None) where the last one ended."""
        events: list[LegEvent] = []
        if self._new_take:
            events += self._begin(len(samples), now_ms)
        events.append(Sound(self._leg, self._at.now_ms, samples))
        self._given = self._at = self._at.after(len(samples))
        self._heard = True
        return events

    def _begin(self, samples: int, now_ms: int | None) -> list[LegEvent]:
        self._new_take = False
        if now_ms is not None:
            self._at = self._at.moved_to(now_ms - samples * 1_000 // SAMPLE_RATE_HZ)
        missing = self._given.missing_until(self._at)
        if missing is None or not self._heard:  # before the first sound nothing was lost
            return []
        return [Missing(self._leg, missing.start_ms, missing.end_ms, self._reason)]

    def xruns(self, count: int) -> list[LegEvent]:
        """Take a source's own count of overflows, which begins anew with every take."""
        if count <= self._xruns:
            return []
        self._xruns = count
        return [Overflow(self._leg, self._xruns_gone + count)]
