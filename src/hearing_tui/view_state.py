"""What the screen knows: `(state, message) -> state`, pure, the one function every event passes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

import msgspec

from hearing.messages.common import (
    Health,
    HealthPart,
    HealthState,
    Lost,
    Partial,
    Speakers,
    SpeechStart,
    SpeechStop,
    Transcript,
)
from hearing.messages.control import Heartbeat, Queue, QueueDepth, Snapshot, SttChanged, SttStatus
from hearing.messages.daemon import Gap, SegmentDone
from hearing.safe_text import safe_line
from hearing.time_of_day import time_of_day
from hearing.types import Channel
from hearing_tui import entries, live
from hearing_tui.entries import Entry, Note, Spoken
from hearing_tui.live import LiveSegments

MAX_ENTRIES: Final = 10_000
"""Lines of history kept; the oldest give way."""

_REMEMBERED_DONE: Final = 64


class LinkState(StrEnum):
    """How we stand with the assistant."""

    SEEKING = "seeking"  # never connected yet, and not refused either
    ABSENT = "absent"  # never connected: it does not run
    UP = "up"
    SILENT = "silent"  # connected, but it says nothing
    LOST = "lost"  # was connected


@dataclass(frozen=True, slots=True)
class LinkUp:
    """Connected; `new_boot` says that it is another process than the last one."""

    new_boot: bool


@dataclass(frozen=True, slots=True)
class LinkDown:
    """Not connected, and why; `attempt` counts the tries since, from 1."""

    reason: str
    attempt: int


@dataclass(frozen=True, slots=True)
class LinkSilent:
    """Connected, but nothing has come for `for_s` seconds."""

    for_s: float


Identity = tuple[int, Channel, str, str]


@dataclass(frozen=True, slots=True)
class ViewState:
    """All that is drawn.

    Attributes:
        entries: The history, at most `MAX_ENTRIES`; `first` is the number of the first one ever kept.
        live: Unfinished segments by id, oldest first; `done` names the last finished ones, so that a late
            partial does not bring one back.
        health: The newest state of each part.
        names: Voice id to name, so that a rename reaches what was said before.
        replayed: What was here before the assistant restarted: told again, it is not shown again.
    """

    link: LinkState = LinkState.SEEKING
    link_reason: str = ""
    attempt: int = 0
    entries: tuple[Entry, ...] = ()
    first: int = 0
    live: LiveSegments = field(default_factory=dict)
    done: tuple[int, ...] = ()
    health: Mapping[HealthPart, Health] = field(default_factory=dict)
    stt: SttStatus | None = None
    queue: QueueDepth = field(default_factory=QueueDepth)
    backlog: int = 0
    levels: Mapping[Channel, float | None] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    replayed: frozenset[Identity] = frozenset()

    @property
    def total(self) -> int:
        """Count every entry there ever was."""
        return self.first + len(self.entries)

    @property
    def muted(self) -> bool:
        """Say whether the user turned listening off."""
        if self.stt is not None and self.stt.muted:
            return True
        return any(health.state is HealthState.MUTED for health in self.health.values())


def update(state: ViewState, message: object) -> ViewState:
    """Take one message; one that changes nothing on screen gives the same state back."""
    step = _STEPS.get(type(message))
    state = _awake(state) if not isinstance(message, LinkDown | LinkSilent) else state
    return state if step is None else step(state, message)


def _awake(state: ViewState) -> ViewState:
    return replace(state, link=LinkState.UP) if state.link is LinkState.SILENT else state


# --- the link ---


def _link_up(state: ViewState, message: LinkUp) -> ViewState:
    known = _identities(state.entries) if message.new_boot else state.replayed
    return replace(state, link=LinkState.UP, link_reason="", attempt=0, replayed=known)


def _link_down(state: ViewState, message: LinkDown) -> ViewState:
    never = state.link in {LinkState.SEEKING, LinkState.ABSENT}
    return replace(
        _deaf(state),
        link=LinkState.ABSENT if never else LinkState.LOST,
        link_reason=safe_line(message.reason),
        attempt=message.attempt,
    )


def _link_silent(state: ViewState, _message: LinkSilent) -> ViewState:
    return replace(state, link=LinkState.SILENT)


def _snapshot(state: ViewState, message: Snapshot) -> ViewState:
    state = _stt(state, message.stt)
    state = replace(state, health={}, queue=message.queue)
    state = _speakers(state, Speakers(speakers=message.speakers))
    for health in message.health:
        state = _health(state, health)
    return state


# --- words ---


def _transcript(state: ViewState, message: Transcript) -> ViewState:
    entry = entries.spoken(message)
    if state.replayed and _identity(entry) in state.replayed:
        return state
    return _append(replace(state, live=live.landed(state.live, message.seg_id)), entry)


def _speech_start(state: ViewState, message: SpeechStart) -> ViewState:
    return replace(state, live=live.started(state.live, message))


def _speech_stop(state: ViewState, message: SpeechStop) -> ViewState:
    return replace(state, live=live.stopped(state.live, message))


def _partial(state: ViewState, message: Partial) -> ViewState:
    if message.seg_id in state.done:
        return state
    return replace(state, live=live.heard(state.live, message))


def _segment_done(state: ViewState, message: SegmentDone) -> ViewState:
    segment = state.live.get(message.seg_id)
    state = replace(
        state,
        live=live.finished(state.live, message.seg_id),
        done=(*state.done[1 - _REMEMBERED_DONE :], message.seg_id),
    )
    if message.dropped is None:
        return state
    leg = segment.leg if segment else None
    return _append(state, entries.dropped(message.dropped, leg, time_of_day(message.ts)))


def _gap(state: ViewState, message: Gap) -> ViewState:
    return _append(state, entries.gap(message))


def _lost(state: ViewState, message: Lost) -> ViewState:
    """Note it, and forget what is live: the events that would have ended it may be among the lost."""
    return _append(replace(state, live={}), entries.lost(message))


def _speakers(state: ViewState, message: Speakers) -> ViewState:
    names = {voice.id: safe_line(voice.name or "")[:40] for voice in message.speakers}
    return replace(state, names=names)


def _append(state: ViewState, entry: Entry) -> ViewState:
    """Add to the history; a note that says what the last one said is counted there."""
    last = state.entries[-1] if state.entries else None
    if isinstance(last, Note) and isinstance(entry, Note) and last.says_the_same(entry):
        again = replace(last, count=last.count + 1)
        return replace(state, entries=(*state.entries[:-1], again))
    over = max(0, len(state.entries) + 1 - MAX_ENTRIES)
    return replace(state, entries=(*state.entries[over:], entry), first=state.first + over)


# --- health and counters ---


def _health(state: ViewState, message: Health) -> ViewState:
    harmless = msgspec.structs.replace(
        message,
        device=safe_line(message.device)[:200],
        detail=safe_line(message.detail)[:400],
        hint=safe_line(message.hint)[:400],
    )
    return replace(state, health={**state.health, message.part: harmless})


def _stt_changed(state: ViewState, message: SttChanged) -> ViewState:
    return _stt(state, message.stt)


def _stt(state: ViewState, stt: SttStatus) -> ViewState:
    harmless = msgspec.structs.replace(
        stt,
        model=None if stt.model is None else safe_line(stt.model)[:80],
        detail=safe_line(stt.detail)[:400],
        hint=safe_line(stt.hint)[:400],
    )
    state = replace(state, stt=harmless, backlog=stt.backlog)
    return state if stt.connected else replace(_deaf(state), health={})


def _heartbeat(state: ViewState, message: Heartbeat) -> ViewState:
    queue = QueueDepth(depth=message.inf, busy=message.busy, kind=state.queue.kind)
    return replace(state, backlog=message.seg, levels=message.level_dbfs, queue=queue)


def _queue(state: ViewState, message: Queue) -> ViewState:
    return replace(state, queue=QueueDepth(depth=message.depth, busy=message.busy, kind=message.kind))


def _deaf(state: ViewState) -> ViewState:
    """Nobody listens: nothing is open, nothing pending, no level."""
    return replace(state, live={}, levels={}, backlog=0)


def _identity(entry: Spoken) -> Identity:
    return entry.seg_id, entry.leg, entry.stamp, entry.text


def _identities(history: tuple[Entry, ...]) -> frozenset[Identity]:
    return frozenset(_identity(entry) for entry in history if isinstance(entry, Spoken))


_STEPS: Final[dict[type, Callable[[ViewState, Any], ViewState]]] = {
    LinkUp: _link_up,
    LinkDown: _link_down,
    LinkSilent: _link_silent,
    Snapshot: _snapshot,
    Transcript: _transcript,
    SpeechStart: _speech_start,
    SpeechStop: _speech_stop,
    Partial: _partial,
    SegmentDone: _segment_done,
    Gap: _gap,
    Lost: _lost,
    Speakers: _speakers,
    Health: _health,
    SttChanged: _stt_changed,
    Heartbeat: _heartbeat,
    Queue: _queue,
}
