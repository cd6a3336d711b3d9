"""What a new subscriber is told: the daemon's state as its own events have made it. No I/O."""

from dataclasses import dataclass, replace

from hearing.messages.common import Event, Health, HealthPart, SpeechStart, SpeechStop
from hearing.messages.daemon import OpenSegment, SegmentDone, Snapshot
from hearing.types import Channel


@dataclass(frozen=True, slots=True)
class DaemonState:
    """Open segments, those that wait for their text, the newest health of each part, and two switches."""

    legs: tuple[Channel, ...]
    health: tuple[Health, ...] = ()
    open: tuple[OpenSegment, ...] = ()
    pending: tuple[int, ...] = ()
    model: str | None = None
    muted: bool = False


def apply(state: DaemonState, event: Event) -> DaemonState:
    """Take an event as it was published."""
    match event:
        case SpeechStart():
            opened = OpenSegment(seg_id=event.seg_id, leg=event.leg, at_ms=event.at_ms)
            return replace(state, open=(*state.open, opened))
        case SpeechStop():
            still_open = tuple(segment for segment in state.open if segment.seg_id != event.seg_id)
            return replace(state, open=still_open, pending=(*state.pending, event.seg_id))
        case SegmentDone():
            return replace(state, pending=tuple(seg_id for seg_id in state.pending if seg_id != event.seg_id))
        case Health():
            others = tuple(health for health in state.health if health.part is not event.part)
            return replace(state, health=(*others, event))
        case _:
            return state


def health_of(state: DaemonState, part: HealthPart) -> Health | None:
    """Give the newest health of a part, or None before its first."""
    return next((health for health in state.health if health.part is part), None)


def snapshot(state: DaemonState, *, backlog: int, last_seq: int) -> Snapshot:
    """Say all of it; `backlog` counts the segments that wait for the recognizer."""
    return Snapshot(
        legs=list(state.legs),
        health=list(state.health),
        open=list(state.open),
        pending=list(state.pending),
        speakers=[],
        backlog=backlog,
        model=state.model,
        muted=state.muted,
        last_seq=last_seq,
    )
