"""Speech of all legs from its first sample to its `segment_done`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hearing.clock import SystemClock
from hearing.config import Config, SttConfig, VadConfig
from hearing.interfaces import Recognition
from hearing.messages.common import Event, SpeechStart, SpeechStop, Transcript
from hearing.messages.daemon import Dropped, Gap, SegmentDone, TurnEnd
from hearing.testing.clock import FakeClock
from hearing.testing.vad import LoudnessVad
from hearing.types import Channel
from hearing_daemon.capture.events import Sound
from hearing_daemon.recognizer import GivenUp, Recognized
from hearing_daemon.speech import Speech

if TYPE_CHECKING:
    from hearing.interfaces import Samples

Draw = Callable[..., "Samples"]
CONFIG = Config(
    vad=VadConfig(pre_roll_ms=200, hang_over_ms=320, max_segment_ms=4_000), stt=SttConfig(backlog_s=10)
)


class Room:
    """A `Speech` with two legs and all it emitted."""

    def __init__(self, *, pulled: bool = False) -> None:
        self.events: list[Event] = []
        self.clock = FakeClock()
        self.speech = Speech(CONFIG, self.events.append, self.clock)
        self.at_ms = dict.fromkeys(Channel, 0)
        for leg in Channel:
            self.speech.add_leg(leg, LoudnessVad(), pulled=pulled)

    def hear(self, samples: "Samples", leg: Channel = Channel.MIC) -> None:
        """Let a leg hear what follows on what it heard before."""
        self.speech.hear(Sound(leg, self.at_ms[leg], samples))
        self.at_ms[leg] += len(samples) // 16

    def recognize(self, *texts: str, queue_ms: int = 5) -> None:
        """Answer the oldest utterances."""
        for text in texts:
            utterance = self.speech.take()
            assert utterance is not None
            said = Recognition(text, 0, utterance.duration_ms, "en", 0.9)
            self.speech.finish(utterance, Recognized((said,), 40), queue_ms)

    def of(self, kind: type[Event]) -> list[Event]:
        """Give the events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def kinds(self) -> list[str]:
        """Give the tags of all events, in order."""
        return [str(event.__struct_config__.tag) for event in self.events]


def test_a_segment_lives_in_order(sound: Draw) -> None:
    room = Room()
    room.hear(sound(-500, 800, -500))
    room.recognize("hello")
    room.hear(sound(-1_000))
    assert room.kinds == ["speech_start", "speech_stop", "transcript", "segment_done", "turn_end"]
    assert room.events[0] == SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=280)
    assert isinstance(room.events[2], Transcript)
    assert (room.events[2].seg_id, room.events[2].text) == (1, "hello")
    assert room.events[4] == TurnEnd(leg=Channel.MIC, seg_ids=[1], by=room.events[4].by)  # type: ignore[attr-defined]


def test_timing_says_where_the_latency_went(sound: Draw) -> None:
    room = Room()
    room.hear(sound(-512, 1_024, -512))
    room.recognize("hello", queue_ms=7)
    (done,) = room.of(SegmentDone)
    assert isinstance(done, SegmentDone)
    assert (done.timing.endpoint_ms, done.timing.queue_ms, done.timing.recognise_ms) == (320, 7, 40)


def test_a_noise_that_was_announced_is_taken_back(sound: Draw) -> None:
    room = Room()
    room.hear(sound(-512, 96, -900))
    assert room.kinds == ["speech_start", "speech_stop", "segment_done"]
    (done,) = room.of(SegmentDone)
    assert isinstance(done, SegmentDone)
    assert (done.pieces, done.dropped) == (0, Dropped.NOISE)
    assert room.speech.take() is None
    assert room.speech.is_settled(Channel.MIC)


def test_words_doubled_by_a_forced_cut_are_published_once(sound: Draw) -> None:
    room = Room()
    room.hear(sound(6_000, -500))
    room.recognize("we will send the boxes", "the boxes on Monday")
    texts = [event.text for event in room.of(Transcript) if isinstance(event, Transcript)]
    assert texts == ["we will send the boxes", "on Monday"]


def test_the_same_word_said_twice_in_two_segments_is_published_twice(sound: Draw) -> None:
    room = Room()
    room.hear(sound(1_000, -500, 1_000, -500))
    room.recognize("no", "no")
    assert len(room.of(Transcript)) == 2


def test_too_much_live_audio_loses_the_oldest_with_a_gap(sound: Draw) -> None:
    room = Room()
    for _ in range(3):
        room.hear(sound(3_000, -500))
    (gap,) = room.of(Gap)
    assert isinstance(gap, Gap)
    assert (gap.leg, gap.reason) == (Channel.MIC, "backlog")
    assert gap.to_ms - gap.from_ms > 3_000
    (done,) = room.of(SegmentDone)
    assert isinstance(done, SegmentDone)
    assert (done.seg_id, done.dropped) == (1, Dropped.BACKLOG)


def test_nothing_is_lost_of_a_file_that_can_wait(sound: Draw) -> None:
    room = Room(pulled=True)
    for _ in range(9):
        room.hear(sound(3_000, -500))
    assert room.of(Gap) == []
    assert not room.speech.backlog.has_room


def test_an_utterance_the_worker_died_of_is_a_gap(sound: Draw) -> None:
    room = Room()
    room.hear(sound(1_000, -500))
    utterance = room.speech.take()
    assert utterance is not None
    room.speech.finish(utterance, GivenUp("was ended by signal 9"), 5)
    (gap,), (done,) = room.of(Gap), room.of(SegmentDone)
    assert isinstance(gap, Gap)
    assert isinstance(done, SegmentDone)
    assert gap.reason == "worker_crash"
    assert (done.pieces, done.dropped) == (0, Dropped.WORKER_CRASH)


def test_two_legs_are_never_mixed(sound: Draw) -> None:
    room = Room()
    room.hear(sound(1_000))
    room.hear(sound(1_000, -500), Channel.SYSTEM)
    room.hear(sound(-500))
    room.recognize("them", "me")
    said = {event.text: event.leg for event in room.of(Transcript) if isinstance(event, Transcript)}
    assert said == {"them": Channel.SYSTEM, "me": Channel.MIC}


def test_the_end_closes_what_is_open_and_its_turn(sound: Draw) -> None:
    room = Room()
    room.hear(sound(1_000))
    room.speech.end(Channel.MIC)
    assert not room.speech.is_settled(Channel.MIC)
    room.recognize("hello")
    assert room.kinds[-2:] == ["segment_done", "turn_end"]
    assert room.speech.is_settled(Channel.MIC)


def test_a_leg_that_is_not_there_yet_can_end() -> None:
    speech = Speech(CONFIG, lambda event: None, SystemClock())
    speech.end(Channel.MIC)
    assert speech.is_settled(Channel.MIC)


runs = st.lists(st.tuples(st.sampled_from([1, -1]), st.integers(20, 1_500)), max_size=14)


@given(runs, st.lists(st.sampled_from(["word", "", "crash", "wait"]), max_size=14))
def test_every_announced_segment_is_done_exactly_once(
    spoken: list[tuple[int, int]], answers: list[str]
) -> None:
    room = Room()
    for index, (sign, ms) in enumerate(spoken):
        room.hear(np.full(ms * 16, 29_000 if sign > 0 else 0, dtype=np.int16))
        _answer(room, answers[index] if index < len(answers) else "wait")
    room.speech.end(Channel.MIC)
    while room.speech.backlog.waiting:
        _answer(room, "word")

    started = [event.seg_id for event in room.events if isinstance(event, SpeechStart)]
    stopped = [event.seg_id for event in room.events if isinstance(event, SpeechStop)]
    done = [event.seg_id for event in room.events if isinstance(event, SegmentDone)]
    assert stopped == started == sorted(started)
    assert sorted(done) == started
    where = {id(event): at for at, event in enumerate(room.events)}
    for event in room.events:
        if isinstance(event, Transcript):
            after = next(e for e in room.events if isinstance(e, SegmentDone) and e.seg_id == event.seg_id)
            assert where[id(event)] < where[id(after)]
    with_text = {event.seg_id for event in room.events if isinstance(event, Transcript)}
    turned = [seg_id for event in room.events if isinstance(event, TurnEnd) for seg_id in event.seg_ids]
    assert with_text <= set(turned)
    assert len(turned) == len(set(turned))
    assert room.speech.is_settled(Channel.MIC)


def _answer(room: Room, how: str) -> None:
    if how == "wait" or not room.speech.backlog.waiting:
        return
    if how == "crash":
        utterance = room.speech.take()
        assert utterance is not None
        room.speech.finish(utterance, GivenUp("died"), 0)
    else:
        room.recognize(how)
