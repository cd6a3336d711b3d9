"""When a recording has been heard to its end, and what was heard of it."""

from hearing.messages import control
from hearing.messages.common import Health, HealthPart, HealthState, SpeechStart, Transcript
from hearing.messages.daemon import SegmentDone
from hearing.types import Channel
from hearing_cli.demo.heard import Heard

ENDED = Health(part=HealthPart.MIC, state=HealthState.ENDED)


def start(seg_id: int) -> SpeechStart:
    return SpeechStart(seg_id=seg_id, leg=Channel.MIC, at_ms=seg_id * 1_000)


def words(seg_id: int, text: str) -> Transcript:
    return Transcript(
        seg_id=seg_id, leg=Channel.MIC, start_ms=seg_id * 1_000, end_ms=seg_id * 1_000 + 900, text=text
    )


def beat(seg: int) -> control.Heartbeat:
    return control.Heartbeat(seg=seg, inf=0, busy=False, level_dbfs={})


def after(*messages: object) -> Heard:
    heard = Heard()
    for message in messages:
        heard.take(message)
    return heard


def test_it_is_complete_when_the_source_ended_and_every_segment_is_done_and_nothing_waits() -> None:
    done = SegmentDone(seg_id=1, pieces=1)
    assert after(start(1), words(1, "one"), done, ENDED, beat(0)).complete
    assert after(start(1), ENDED, beat(0), words(1, "one"), done).complete
    assert not after(start(1), words(1, "one"), ENDED, beat(0)).complete
    assert not after(start(1), done, beat(0)).complete
    assert not after(start(1), done, ENDED, beat(1)).complete
    assert not after(start(1), done, beat(0), ENDED).complete  # that heartbeat is older than the end


def test_words_are_given_in_the_order_they_were_spoken() -> None:
    assert after(words(2, "world"), words(1, "hello")).text == "hello world"


def test_recognition_that_failed_is_trouble_until_it_is_back() -> None:
    failed = Health(part=HealthPart.STT, state=HealthState.FAILED, detail="out of memory")
    assert after(failed).trouble == "recognition: out of memory"
    assert after(failed, Health(part=HealthPart.STT, state=HealthState.READY)).trouble == ""
    assert after(Health(part=HealthPart.STT, state=HealthState.NO_MODEL)).trouble == "recognition: no_model"


def test_a_snapshot_counts_as_what_it_tells() -> None:
    snapshot = control.Snapshot(
        mode=control.Mode.IDLE,
        command_text="",
        queue=control.QueueDepth(),
        chat_capture=False,
        triage_chat=False,
        health=[ENDED],
        speakers=[],
        last_seq=0,
        stt=control.SttStatus(connected=True, healthy=True),
    )
    assert after(snapshot, beat(0)).complete
