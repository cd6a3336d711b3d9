"""Speech that has no final words yet: what is open, what waits for the recognizer, the words so far. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hearing.messages.common import Partial, SpeechStart, SpeechStop
from hearing.time_of_day import time_of_day
from hearing.types import Channel
from hearing_tui.entries import bounded

MAX_LIVE: Final = 64
"""Segments shown at once; the oldest gives way."""


@dataclass(frozen=True, slots=True)
class Live:
    """One unfinished segment: `open` while somebody speaks; `stable` words stay, `unstable` may change."""

    seg_id: int
    leg: Channel
    at: str = ""
    open: bool = True
    stable: str = ""
    unstable: str = ""


LiveSegments = Mapping[int, Live]


def started(live: LiveSegments, message: SpeechStart) -> LiveSegments:
    """Open a segment."""
    return _put(live, Live(message.seg_id, message.leg, time_of_day(message.ts)))


def stopped(live: LiveSegments, message: SpeechStop) -> LiveSegments:
    """Close a segment: it now waits for its words."""
    known = live.get(message.seg_id, Live(message.seg_id, message.leg, time_of_day(message.ts)))
    return _put(live, replace(known, open=False))


def heard(live: LiveSegments, message: Partial) -> LiveSegments:
    """Take the words so far."""
    known = live.get(message.seg_id, Live(message.seg_id, message.leg, time_of_day(message.ts)))
    return _put(live, replace(known, stable=bounded(message.stable), unstable=bounded(message.unstable)))


def landed(live: LiveSegments, seg_id: int) -> LiveSegments:
    """Drop the words so far of a segment: final ones have come, and more may."""
    known = live.get(seg_id)
    return live if known is None else _put(live, replace(known, stable="", unstable=""))


def finished(live: LiveSegments, seg_id: int) -> LiveSegments:
    """Forget a segment."""
    return {key: value for key, value in live.items() if key != seg_id}


def _put(live: LiveSegments, segment: Live) -> LiveSegments:
    kept = {**live, segment.seg_id: segment}
    if len(kept) > MAX_LIVE:
        kept.pop(next(iter(kept)))
    return kept
