"""The daemon as the assistant sees it. Pure: `(state, message) -> (state, effects)`.

A lost daemon, or one without heartbeat, empties `open` and `pending` and makes the recognizer unhealthy;
what clients are told follows from comparing the view before with the view after.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import msgspec

from hearing.messages import daemon
from hearing.messages.common import (
    Error,
    Event,
    Health,
    HealthPart,
    Lost,
    Partial,
    Speakers,
    SpeechStart,
    SpeechStop,
    Transcript,
    Update,
)
from hearing.messages.control import Notice, NoticeLevel
from hearing_assistant.display import resolved
from hearing_assistant.hearing_facts import (
    RESTART_HINT,
    START_HINT,
    Contact,
    Effect,
    Gone,
    Heard,
    HearingState,
    Hung,
    Incoming,
    Muted,
    NewTimeline,
    Rebooted,
)
from hearing_assistant.hearing_view import changes

RELAY_BYTES: Final = 64 * 1024
"""Largest daemon message that is relayed: rendered and escaped again, four of it still fit one line."""

ROSTER_BYTES: Final = 128 * 1024
_SENTENCE_CHARS: Final = 500
_MAX_OPEN: Final = 16  # one a leg is usual; a daemon with more has lost count
_MAX_PENDING: Final = 1_000

_ABSENT = {
    "no such file or directory",
    "connection refused",
    "the server closed the connection",
    "the server closed the connection without a word",
    "connection reset by peer",
    "broken pipe",
}


Step = tuple[HearingState, list[Effect]]

_CONTACT: Final[dict[tuple[Contact, type], Contact]] = {
    (Contact.AWAY, daemon.Snapshot): Contact.LIVE,
    (Contact.AWAY, daemon.Heartbeat): Contact.AWAY,  # a snapshot has to come first
    (Contact.AWAY, Gone): Contact.AWAY,
    (Contact.AWAY, Hung): Contact.AWAY,
    (Contact.LIVE, daemon.Snapshot): Contact.LIVE,
    (Contact.LIVE, daemon.Heartbeat): Contact.LIVE,
    (Contact.LIVE, Gone): Contact.AWAY,
    (Contact.LIVE, Hung): Contact.SILENT,
    (Contact.SILENT, daemon.Snapshot): Contact.LIVE,
    (Contact.SILENT, daemon.Heartbeat): Contact.LIVE,
    (Contact.SILENT, Gone): Contact.AWAY,
    (Contact.SILENT, Hung): Contact.SILENT,
}


def step(state: HearingState, incoming: Incoming) -> tuple[HearingState, tuple[Effect, ...]]:
    """Take one message of the daemon, or one fact about it, and give what follows.

    A kind without a row (`hello`) changes nothing: a newer daemon may say more than we know.
    """
    decide = _STEPS.get(type(incoming))
    if decide is None:
        return state, ()
    after, effects = decide(state, incoming)
    return after, (*effects, *changes(state, after))


def _moved(state: HearingState, incoming: Incoming) -> HearingState:
    """Move the contact by the table; what was open or pending is known only while it is live."""
    contact = _CONTACT[state.contact, type(incoming)]
    if contact is Contact.LIVE:
        return replace(state, contact=contact)
    return replace(state, contact=contact, open={}, pending=frozenset(), backlog=0, level_dbfs={})


# --- one function a kind ---


def _gone(state: HearingState, gone: Gone) -> Step:
    if gone.reason in _ABSENT:
        why, hint = "no daemon is running", START_HINT
    else:
        why, hint = gone.reason[:_SENTENCE_CHARS], RESTART_HINT
    return replace(_moved(state, gone), why=why, hint=hint), []


def _hung(state: HearingState, hung: Hung) -> Step:
    why = f"the daemon has said nothing for {hung.for_s:g} s"
    return replace(_moved(state, hung), why=why, hint=RESTART_HINT), []


def _rebooted(state: HearingState, _: Rebooted) -> Step:
    forgotten = replace(state, open={}, pending=frozenset(), backlog=0, level_dbfs={}, model=None)
    return forgotten, [NewTimeline()]


def _muted(state: HearingState, asked: Muted) -> Step:
    return replace(state, muted=asked.muted), []


def _snapshot(state: HearingState, snapshot: daemon.Snapshot) -> Step:
    opened = {item.seg_id: item for item in snapshot.open[-_MAX_OPEN:]}
    after = replace(
        _moved(state, snapshot),
        health={item.part: _clipped(item) for item in snapshot.health},
        open={seg_id: item.leg for seg_id, item in opened.items()},
        pending=frozenset(snapshot.pending[-_MAX_PENDING:]),
        backlog=snapshot.backlog,
        model=snapshot.model and snapshot.model[:_SENTENCE_CHARS],
    )
    news: list[Effect] = [
        SpeechStart(seg_id=seg_id, leg=item.leg, at_ms=item.at_ms)
        for seg_id, item in opened.items()
        if seg_id not in state.open
    ]
    if tuple(snapshot.speakers) == state.speakers:
        return after, news
    after, more = _speakers(after, Speakers(speakers=snapshot.speakers))
    return after, news + more


def _heartbeat(state: HearingState, beat: daemon.Heartbeat) -> Step:
    after = _moved(state, beat)
    if after.contact is not Contact.LIVE:
        return after, []
    return replace(after, backlog=beat.backlog, level_dbfs=beat.level_dbfs), []


def _speech_start(state: HearingState, start: SpeechStart) -> Step:
    kept = dict(list(state.open.items())[-_MAX_OPEN + 1 :])
    return replace(state, open=kept | {start.seg_id: start.leg}), [start]


def _speech_stop(state: HearingState, stop: SpeechStop) -> Step:
    left = {seg_id: leg for seg_id, leg in state.open.items() if seg_id != stop.seg_id}
    pending = frozenset(sorted(state.pending | {stop.seg_id})[-_MAX_PENDING:])
    return replace(state, open=left, pending=pending), [stop]


def _segment_done(state: HearingState, done: daemon.SegmentDone) -> Step:
    left = {seg_id: leg for seg_id, leg in state.open.items() if seg_id != done.seg_id}
    return replace(state, open=left, pending=state.pending - {done.seg_id}), [done]


def _transcript(state: HearingState, transcript: Transcript) -> Step:
    if _too_long(transcript):
        return _dropped(state, transcript)
    return state, [Heard(resolved(transcript))]


def _relayed(state: HearingState, message: Event | Update) -> Step:
    if _too_long(message):
        return _dropped(state, message)
    return state, [message]


def _health(state: HearingState, health: Health) -> Step:
    clipped = _clipped(health)
    after = replace(state, health=state.health | {health.part: clipped})
    return (replace(after, model=clipped.device or None) if health.part is HealthPart.STT else after), []


def _speakers(state: HearingState, roster: Speakers) -> Step:
    if _too_long(roster, ROSTER_BYTES):
        return _dropped(state, roster)
    return replace(state, speakers=tuple(roster.speakers)), [roster]


def _lost(state: HearingState, lost: Lost) -> Step:
    text = f"{lost.count} events of the daemon were lost: the assistant was too slow for it"
    news = Notice(level=NoticeLevel.WARNING, text=text, source="daemon")
    return replace(state, open={}, pending=frozenset()), [news]


def _error(state: HearingState, error: Error) -> Step:
    text = f"the daemon says `{error.code[:40]}`"
    return state, [Notice(level=NoticeLevel.WARNING, text=text, source="daemon")]


_STEPS: Final[dict[type, Callable[[HearingState, Any], Step]]] = {
    Gone: _gone,
    Hung: _hung,
    Rebooted: _rebooted,
    Muted: _muted,
    daemon.Snapshot: _snapshot,
    daemon.Heartbeat: _heartbeat,
    SpeechStart: _speech_start,
    SpeechStop: _speech_stop,
    Partial: _relayed,
    Transcript: _transcript,
    daemon.SegmentDone: _segment_done,
    daemon.TurnEnd: _relayed,
    daemon.Gap: _relayed,
    Health: _health,
    Speakers: _speakers,
    Lost: _lost,
    Error: _error,
}


def _clipped(health: Health) -> Health:
    """Keep a health's sentences sentences, and its stamps the daemon's own business."""
    return Health(
        part=health.part,
        state=health.state,
        device=health.device[:_SENTENCE_CHARS],
        detail=health.detail[:_SENTENCE_CHARS],
        hint=health.hint[:_SENTENCE_CHARS],
    )


def _too_long(message: Event | Update, limit_bytes: int = RELAY_BYTES) -> bool:
    return len(msgspec.json.encode(message)) > limit_bytes


def _dropped(state: HearingState, message: Event | Update) -> Step:
    kind = type(message).__struct_config__.tag
    text = f"a `{kind}` of the daemon is too long and was left out"
    return state, [Notice(level=NoticeLevel.WARNING, text=text, source="daemon")]
