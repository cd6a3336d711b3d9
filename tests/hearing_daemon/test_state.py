"""What a new subscriber is told."""

from hearing.messages.common import Event, Health, HealthPart, HealthState, SpeechStart, SpeechStop
from hearing.messages.daemon import Gap, SegmentDone
from hearing.types import Channel
from hearing_daemon.state import DaemonState, apply, snapshot


def after(*events: Event) -> DaemonState:
    state = DaemonState(legs=(Channel.MIC,))
    for event in events:
        state = apply(state, event)
    return state


START = SpeechStart(seg_id=4, leg=Channel.MIC, at_ms=100)
STOP = SpeechStop(seg_id=4, leg=Channel.MIC, at_ms=900)
DONE = SegmentDone(seg_id=4, pieces=1)


def test_a_segment_is_open_then_pending_then_gone() -> None:
    assert [segment.seg_id for segment in after(START).open] == [4]
    assert after(START, STOP).open == ()
    assert after(START, STOP).pending == (4,)
    assert after(START, STOP, DONE).pending == ()


def test_only_the_newest_health_of_each_part_counts() -> None:
    def health(part: HealthPart, state: HealthState) -> Health:
        return Health(part=part, state=state)

    state = after(
        health(HealthPart.STT, HealthState.LOADING),
        health(HealthPart.MIC, HealthState.LISTENING),
        health(HealthPart.STT, HealthState.READY),
    )
    assert {health.part: health.state for health in state.health} == {
        HealthPart.MIC: HealthState.LISTENING,
        HealthPart.STT: HealthState.READY,
    }


def test_other_events_change_nothing() -> None:
    gap = Gap(leg=Channel.MIC, from_ms=0, to_ms=1, reason="muted")
    assert after(START, gap) == after(START)


def test_the_snapshot_says_all_of_it() -> None:
    state = DaemonState(legs=(Channel.MIC, Channel.SYSTEM), model="tiny.en", muted=True)
    said = snapshot(apply(apply(state, START), STOP), backlog=3, last_seq=17)
    assert said.legs == [Channel.MIC, Channel.SYSTEM]
    assert (said.model, said.muted, said.backlog, said.last_seq) == ("tiny.en", True, 3, 17)
    assert (said.open, said.pending) == ([], [4])
