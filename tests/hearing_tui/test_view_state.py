"""The state after each message: nothing lost, nothing doubled, nothing unbounded."""

from collections.abc import Callable

import pytest

from hearing.messages.common import (
    Health,
    HealthPart,
    HealthState,
    Lost,
    Partial,
    Speaker,
    Speakers,
    SpeechStart,
    SpeechStop,
    Transcript,
)
from hearing.messages.control import (
    Cleared,
    Heartbeat,
    Mode,
    Queue,
    QueueDepth,
    Snapshot,
    SttChanged,
    SttStatus,
)
from hearing.messages.daemon import Dropped, Gap, SegmentDone
from hearing.types import Channel
from hearing_tui import view_state
from hearing_tui.entries import Note, Spoken
from hearing_tui.view_state import LinkDown, LinkSilent, LinkState, LinkUp, ViewState, update

Say = Callable[..., Transcript]

HEALTHY = SttStatus(connected=True, healthy=True, model="tiny.en")
NO_DAEMON = SttStatus(connected=False, healthy=False, detail="connection refused")
START = SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0)
BEAT = Heartbeat(seg=3, inf=2, busy=True, level_dbfs={Channel.MIC: -20.0})


def after(*messages: object, state: ViewState | None = None) -> ViewState:
    state = state or ViewState()
    for message in messages:
        state = update(state, message)
    return state


def snapshot(**fields: object) -> Snapshot:
    known: dict[str, object] = {
        "mode": Mode.IDLE,
        "command_text": "",
        "queue": QueueDepth(),
        "chat_capture": False,
    }
    known |= {"triage_chat": False, "health": [], "speakers": [], "last_seq": 0, "stt": HEALTHY}
    return Snapshot(**(known | fields))  # type: ignore[arg-type]


def texts(state: ViewState) -> list[str]:
    return [entry.text for entry in state.entries]


# --- the link ---


def test_a_link_that_never_came_up_is_absent() -> None:
    state = after(LinkDown("connection refused", 1), LinkDown("connection refused", 2))
    assert (state.link, state.attempt) == (LinkState.ABSENT, 2)


def test_a_link_that_was_up_is_lost_and_comes_back() -> None:
    state = after(LinkUp(True), LinkDown("gone", 1))
    assert state.link is LinkState.LOST
    assert after(LinkUp(False), state=state).link is LinkState.UP


def test_silence_ends_with_the_next_message() -> None:
    state = after(LinkUp(True), LinkSilent(5.0))
    assert state.link is LinkState.SILENT
    assert after(BEAT, state=state).link is LinkState.UP


def test_a_message_that_is_not_for_the_screen_changes_nothing() -> None:
    state = after(LinkUp(True))
    assert update(state, Cleared()) is state
    assert update(state, object()) is state


# --- words ---


def test_a_segment_lives_and_becomes_words(say: Say) -> None:
    state = after(START, Partial(seg_id=1, leg=Channel.MIC, stable="hello", unstable="wor"))
    assert state.live[1].stable == "hello"
    state = after(SpeechStop(seg_id=1, leg=Channel.MIC, at_ms=9), say("hello world"), state=state)
    assert (texts(state), state.live[1].stable) == (["hello world"], "")
    assert after(SegmentDone(seg_id=1, pieces=1), state=state).live == {}


def test_a_late_partial_does_not_bring_a_finished_segment_back() -> None:
    late = Partial(seg_id=1, leg=Channel.MIC, stable="ghost", unstable="")
    assert after(START, SegmentDone(seg_id=1, pieces=1), late).live == {}


def test_a_dropped_segment_leaves_a_note_with_its_leg() -> None:
    state = after(START, SegmentDone(seg_id=1, pieces=0, dropped=Dropped.NOISE))
    assert state.entries == (Note("noise, no words", Channel.MIC, "", 1),)


def test_the_same_note_again_is_counted() -> None:
    done = [SegmentDone(seg_id=seg_id, pieces=0, dropped=Dropped.NOISE) for seg_id in (1, 2, 3)]
    state = after(*done)
    assert [(note.text, getattr(note, "count", 0)) for note in state.entries] == [("noise, no words", 3)]


def test_a_gap_is_a_note() -> None:
    gap = Gap(leg=Channel.MIC, from_ms=0, to_ms=1500, reason="suspend")
    assert texts(after(gap)) == ["1.5 s missing: suspend"]


def test_lost_events_leave_a_note_and_nothing_half_open() -> None:
    state = after(START, Lost(from_seq=3, count=2))
    assert (len(state.entries), state.live) == (1, {})


def test_the_history_is_bounded_and_numbers_stay(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_state, "MAX_ENTRIES", 5)
    state = after(*(say(f"line {n}", seg_id=n) for n in range(8)))
    assert (texts(state), state.first, state.total) == ([f"line {n}" for n in range(3, 8)], 3, 8)


# --- a restarted assistant, a restarted daemon ---


def test_a_restarted_assistant_replays_and_nothing_is_doubled_or_lost(say: Say) -> None:
    state = after(LinkUp(True), snapshot(), say("one", seg_id=1), say("two", seg_id=2))
    state = after(LinkDown("gone", 1), LinkUp(True), snapshot(), state=state)
    state = after(say("two", seg_id=2), say("three", seg_id=3), state=state)
    assert texts(state) == ["one", "two", "three"]


def test_a_restarted_assistant_may_find_the_daemon_only_after_we_found_it(say: Say) -> None:
    state = after(LinkUp(True), snapshot(), say("one", seg_id=1), LinkDown("gone", 1))
    state = after(LinkUp(True), snapshot(stt=NO_DAEMON), SttChanged(stt=HEALTHY), state=state)
    assert texts(after(say("one", seg_id=1), say("two", seg_id=2), state=state)) == ["one", "two"]


def test_the_same_words_said_again_are_shown_again(say: Say) -> None:
    state = after(LinkUp(True), snapshot(), say("yes", seg_id=1), say("yes", seg_id=2))
    assert texts(state) == ["yes", "yes"]


def test_a_restarted_daemon_may_say_what_the_last_one_said(say: Say) -> None:
    state = after(LinkUp(True), snapshot(), say("yes", seg_id=1), LinkDown("x", 1), LinkUp(True), snapshot())
    later = say("yes", seg_id=1, ts="2026-01-02T03:09:00.000+01:00")
    assert texts(after(later, state=state)) == ["yes", "yes"]


@pytest.mark.parametrize("loss", [LinkDown("gone", 1), SttChanged(stt=NO_DAEMON)])
def test_a_loss_leaves_nothing_open_and_no_level(loss: object) -> None:
    state = after(LinkUp(True), snapshot(), START, BEAT, loss)
    assert (state.live, state.levels, state.backlog) == ({}, {}, 0)


# --- health, counters, names ---


def test_the_snapshot_replaces_what_was_known_of_health() -> None:
    old = Health(part=HealthPart.MIC, state=HealthState.NO_DEVICE)
    new = Health(part=HealthPart.STT, state=HealthState.READY)
    state = after(LinkUp(True), old, snapshot(health=[new]))
    assert set(state.health) == {HealthPart.STT}


def test_health_is_harmless() -> None:
    state = after(Health(part=HealthPart.MIC, state=HealthState.QUIET, device="\x1b]0;x\x07", hint="\x9b"))
    assert (state.health[HealthPart.MIC].device, state.health[HealthPart.MIC].hint) == ("]0;x", "")


def test_the_heartbeat_carries_counters_and_levels() -> None:
    state = after(BEAT)
    assert (state.backlog, state.queue.depth, state.queue.busy) == (3, 2, True)
    assert state.levels == {Channel.MIC: -20.0}
    assert after(Queue(depth=4, busy=False, kind="chat")).queue.kind == "chat"


@pytest.mark.parametrize(
    "message",
    [
        SttChanged(stt=SttStatus(connected=True, healthy=True, muted=True)),
        Health(part=HealthPart.MIC, state=HealthState.MUTED),
    ],
)
def test_muted_is_known_from_either_side(message: object) -> None:
    assert after(LinkUp(True), message).muted


def test_names_of_voices_are_kept_harmless() -> None:
    voice = Speaker(id="v1", name="A\x1bda", status="x", cumulative_s=1, sample_path=None, created_at="")
    assert after(Speakers(speakers=[voice])).names == {"v1": "Ada"}


def test_entries_are_of_the_two_kinds_the_pane_can_draw(say: Say) -> None:
    state = after(say("x"), SegmentDone(seg_id=1, pieces=0, dropped=Dropped.ECHO))
    assert [type(entry) for entry in state.entries] == [Spoken, Note]
