"""The daemon as seen: what clients were told always adds up to what is so."""

from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.messages import daemon
from hearing.messages.common import (
    Error,
    Event,
    Health,
    HealthPart,
    HealthState,
    Hello,
    Lost,
    Partial,
    Speaker,
    Speakers,
    SpeechStart,
    SpeechStop,
    Transcript,
    Update,
)
from hearing.messages.control import Notice, SttChanged
from hearing.protocol import encode
from hearing.testing.daemon import heartbeat
from hearing.types import Channel
from hearing_assistant.hearing_facts import (
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
from hearing_assistant.hearing_state import _CONTACT, step
from hearing_assistant.hearing_view import view_health, view_stt

MIC = Health(part=HealthPart.MIC, state=HealthState.LISTENING, device="usb")
READY = Health(part=HealthPart.STT, state=HealthState.READY)


def _snapshot(
    *health: Health, open_: Iterable[int] = (), pending: Iterable[int] = (), speakers: Iterable[Speaker] = ()
) -> daemon.Snapshot:
    return daemon.Snapshot(
        legs=[Channel.MIC],
        health=list(health or (MIC, READY)),
        open=[daemon.OpenSegment(seg_id=seg_id, leg=Channel.MIC, at_ms=0) for seg_id in open_],
        pending=list(pending),
        speakers=list(speakers),
        backlog=0,
        model="tiny.en",
        muted=False,
        last_seq=0,
    )


def _run(*incoming: Incoming, state: HearingState | None = None) -> tuple[HearingState, list[Effect]]:
    state = state or HearingState()
    effects: list[Effect] = []
    for item in incoming:
        state, more = step(state, item)
        effects += more
    return state, effects


def _speaker(name: str | None = "Efren") -> Speaker:
    return Speaker(
        id="spk_0001",
        name=name,
        status="confirmed",
        cumulative_s=9.5,
        sample_path=None,
        created_at="2026-01-01",
    )


def _transcript(text: str = "hello", **more: str) -> Transcript:
    return Transcript(seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=900, text=text, **more)  # type: ignore[arg-type]


_IDS = st.integers(0, 5)
_TEXTS = st.text(max_size=8)
_HEALTH = st.builds(
    Health,
    part=st.sampled_from(HealthPart),
    state=st.sampled_from(HealthState),
    device=_TEXTS,
    detail=_TEXTS,
    hint=_TEXTS,
)
_INCOMING = st.one_of(
    st.builds(Gone, st.sampled_from(["connection refused", "too many", "the server closed the connection"])),
    st.just(Hung(5.0)),
    st.just(Rebooted()),
    st.builds(Muted, st.booleans()),
    st.builds(
        _snapshot,
        st.builds(Health, part=st.just(HealthPart.STT), state=st.sampled_from(HealthState)),
        open_=st.lists(_IDS),
        pending=st.lists(_IDS),
        speakers=st.lists(st.builds(_speaker, _TEXTS), max_size=2),
    ),
    st.builds(heartbeat, backlog=st.integers(0, 9)),
    st.builds(SpeechStart, seg_id=_IDS, leg=st.sampled_from(Channel), at_ms=_IDS),
    st.builds(SpeechStop, seg_id=_IDS, leg=st.sampled_from(Channel), at_ms=_IDS),
    st.builds(daemon.SegmentDone, seg_id=_IDS, pieces=_IDS),
    st.builds(Partial, seg_id=_IDS, leg=st.sampled_from(Channel), stable=_TEXTS, unstable=_TEXTS),
    st.builds(_transcript, _TEXTS),
    st.builds(Speakers, speakers=st.lists(st.builds(_speaker, _TEXTS), max_size=2)),
    st.builds(Lost, from_seq=_IDS, count=_IDS),
    st.builds(Error, code=_TEXTS, message=_TEXTS),
    st.just(Hello(server="hearing-daemon", version="0", pid=1, boot_id="b")),
    _HEALTH,
)


@given(st.lists(_INCOMING, max_size=30))
def test_a_client_that_follows_the_events_sees_what_a_newcomer_is_told(items: list[Incoming]) -> None:
    state = HearingState()
    parts = {health.part: health for health in view_health(state)}
    stt = view_stt(state)
    for item in items:
        state, effects = step(state, item)
        for effect in effects:
            if isinstance(effect, Health):
                parts[effect.part] = effect
            if isinstance(effect, SttChanged):
                stt = effect.stt
        told = {health.part: health for health in view_health(state)}
        left = {part for part in parts if part not in told}
        assert told == {part: health for part, health in parts.items() if part not in left}
        assert all(parts[part].state is HealthState.ENDED for part in left)
        assert msgspec.structs.replace(stt, backlog=0) == msgspec.structs.replace(view_stt(state), backlog=0)


@given(st.lists(_INCOMING, max_size=30))
def test_out_of_contact_nothing_is_open_pending_or_healthy(items: list[Incoming]) -> None:
    state, _ = _run(*items, state=None)
    if state.contact is Contact.LIVE:
        return
    state, _ = step(state, Gone("connection refused"))
    assert (state.open, state.pending, state.backlog) == ({}, frozenset(), 0)
    assert not view_stt(state).healthy
    assert [health.state for health in view_health(state) if health.part is HealthPart.STT] == [
        HealthState.FAILED
    ]


def test_every_state_has_a_row_for_all_that_moves_it() -> None:
    kinds = {kind for _, kind in _CONTACT}
    assert set(_CONTACT) == {(contact, kind) for contact in Contact for kind in kinds}


def test_a_daemon_found_is_told_part_by_part() -> None:
    state, effects = _run(_snapshot())
    assert [type(effect) for effect in effects] == [Notice, Health, Health, SttChanged]
    assert view_stt(state).healthy
    assert view_stt(state).model == "tiny.en"


def test_a_lost_daemon_empties_open_and_pending_and_says_so() -> None:
    state, _ = _run(_snapshot(open_=[1], pending=[2]))
    assert (state.open, state.pending) == ({1: Channel.MIC}, frozenset({2}))
    state, effects = _run(Gone("the server closed the connection"), state=state)
    assert (state.open, state.pending) == ({}, frozenset())
    notice, mic, stt, changed = effects
    assert isinstance(notice, Notice)
    assert notice.text == "the daemon is gone: no daemon is running"
    assert isinstance(mic, Health)
    assert (mic.part, mic.state) == (HealthPart.MIC, HealthState.REOPENING)
    assert isinstance(stt, Health)
    assert (stt.part, stt.state, stt.hint) == (
        HealthPart.STT,
        HealthState.FAILED,
        "start it with `hearing up`",
    )
    assert isinstance(changed, SttChanged)
    assert not changed.stt.connected


def test_tries_that_fail_alike_are_told_once() -> None:
    state, _ = _run(_snapshot(), Gone("connection refused"))
    assert _run(Gone("no such file or directory"), Gone("connection refused"), state=state)[1] == []


def test_another_reason_is_told_with_another_hint() -> None:
    state, _ = _run(Gone("`hearing-daemon.sock` does not greet"))
    assert view_stt(state).detail == "`hearing-daemon.sock` does not greet"
    assert view_stt(state).hint == "restart it: `hearing down`, then `hearing up`"


def test_without_heartbeat_it_is_connected_and_unhealthy_until_the_next_one() -> None:
    state, _ = _run(_snapshot(pending=[3]), heartbeat(backlog=1))
    state, effects = _run(Hung(5.0), state=state)
    assert (view_stt(state).connected, view_stt(state).healthy) == (True, False)
    assert view_stt(state).detail == "the daemon has said nothing for 5 s"
    assert state.pending == frozenset()
    assert any(isinstance(effect, Health) for effect in effects)
    state, effects = _run(heartbeat(), state=state)
    assert view_stt(state).healthy
    assert MIC in effects


def test_the_model_in_use_comes_with_the_recognizers_health() -> None:
    ready = Health(part=HealthPart.STT, state=HealthState.READY, device="base")
    state, effects = _run(_snapshot(), ready)
    assert view_stt(state).model == "base"
    assert SttChanged(stt=view_stt(state)) in effects
    loading = Health(part=HealthPart.STT, state=HealthState.LOADING)
    assert view_stt(_run(loading, MIC, state=state)[0]).model is None


def test_a_segment_goes_from_open_to_pending_to_done() -> None:
    state, _ = _run(_snapshot(), SpeechStart(seg_id=4, leg=Channel.MIC, at_ms=10))
    assert state.open == {4: Channel.MIC}
    state, _ = _run(SpeechStop(seg_id=4, leg=Channel.MIC, at_ms=20), state=state)
    assert (state.open, state.pending) == ({}, frozenset({4}))
    state, _ = _run(daemon.SegmentDone(seg_id=4, pieces=1), state=state)
    assert state.pending == frozenset()


def test_segments_open_when_we_connect_are_told_as_started() -> None:
    _, effects = _run(_snapshot(open_=[7]))
    assert SpeechStart(seg_id=7, leg=Channel.MIC, at_ms=0) in effects


def test_a_daemon_that_never_closes_segments_fills_no_memory() -> None:
    state, _ = _run(_snapshot())
    for seg_id in range(1_500):
        state, _ = step(state, SpeechStart(seg_id=seg_id, leg=Channel.MIC, at_ms=0))
    assert len(state.open) == 16
    assert max(state.open) == 1_499
    for seg_id in range(1_500, 3_000):
        state, _ = step(state, SpeechStop(seg_id=seg_id, leg=Channel.MIC, at_ms=0))
    assert len(state.pending) == 1_000


def test_a_final_is_resolved_once_for_all() -> None:
    said = _transcript(speaker="Efren", speaker_status="uncertain")
    (heard,) = _run(_snapshot(), said)[1][-1:]
    assert isinstance(heard, Heard)
    assert heard.transcript.speaker == "Unknown"


@pytest.mark.parametrize(
    "relayed",
    [
        Partial(seg_id=1, leg=Channel.MIC, stable="a", unstable="b"),
        daemon.TurnEnd(leg=Channel.MIC, seg_ids=[1], by=daemon.TurnBy.SILENCE),
        daemon.Gap(leg=Channel.MIC, from_ms=0, to_ms=9, reason="overflow"),
        daemon.SegmentDone(seg_id=1, pieces=0, dropped=daemon.Dropped.NOISE),
        Speakers(speakers=[_speaker()]),
    ],
)
def test_what_clients_should_know_is_passed_on(relayed: Event | Update) -> None:
    state, _ = _run(_snapshot())
    assert step(state, relayed)[1] == (relayed,)  # type: ignore[arg-type]


def test_a_roster_is_told_when_it_differs_from_the_known_one() -> None:
    state, effects = _run(_snapshot(speakers=[_speaker()]))
    assert Speakers(speakers=[_speaker()]) in effects
    assert state.speakers == (_speaker(),)
    _, effects = _run(Gone("connection refused"), _snapshot(speakers=[_speaker()]), state=state)
    assert not any(isinstance(effect, Speakers) for effect in effects)


def test_a_part_the_next_daemon_does_not_have_has_ended() -> None:
    state, _ = _run(_snapshot(), Gone("connection refused"), Rebooted())
    _, effects = _run(_snapshot(READY), state=state)
    assert [e.state for e in effects if isinstance(e, Health) and e.part is HealthPart.MIC] == [
        HealthState.ENDED
    ]


def test_a_reboot_begins_a_new_timeline() -> None:
    assert NewTimeline() in _run(_snapshot(), Gone("connection refused"), Rebooted())[1]


def test_events_lost_are_told_and_leave_nothing_open() -> None:
    state, effects = _run(_snapshot(open_=[1], pending=[2]), Lost(from_seq=5, count=3))
    assert (state.open, state.pending) == ({}, frozenset())
    assert isinstance(effects[-1], Notice)
    assert effects[-1].text.startswith("3 events")


def test_muting_is_told_and_survives_the_daemon() -> None:
    state, effects = _run(Muted(True))
    assert isinstance(effects[-1], SttChanged)
    assert effects[-1].stt.muted
    state, _ = _run(_snapshot(), Gone("connection refused"), state=state)
    assert view_stt(state).muted
    assert _run(Muted(True), state=state)[1] == []


@pytest.mark.parametrize(
    "hostile",
    [
        _transcript('"' * 40_000),
        Partial(seg_id=1, leg=Channel.MIC, stable="x" * 70_000, unstable=""),
        daemon.TurnEnd(leg=Channel.MIC, seg_ids=list(range(20_000)), by=daemon.TurnBy.SILENCE),
        daemon.Gap(leg=Channel.MIC, from_ms=0, to_ms=9, reason="\x01" * 20_000),
        Speakers(speakers=[_speaker("n" * 1_000)] * 200),
    ],
)
def test_what_is_too_long_to_pass_on_becomes_a_notice(hostile: Event | Update) -> None:
    state, _ = _run(_snapshot())
    _, effects = step(state, hostile)  # type: ignore[arg-type]
    (notice,) = effects
    assert isinstance(notice, Notice)
    assert notice.text.endswith("is too long and was left out")


def test_whatever_the_daemon_says_a_snapshot_of_it_fits_a_line() -> None:
    long = "\x01" * 10_000
    shouting = [
        Health(part=part, state=HealthState.FAILED, device=long, detail=long, hint=long)
        for part in HealthPart
    ]
    state, effects = _run(
        _snapshot(*shouting, open_=range(5_000), pending=range(5_000), speakers=[_speaker("n" * 900)] * 120)
    )
    assert len(state.speakers) == 120
    for effect in effects:
        if isinstance(effect, Event):
            encode(effect)
    assert len(msgspec.json.encode([view_health(state), view_stt(state), state.speakers])) < 240 * 1024
