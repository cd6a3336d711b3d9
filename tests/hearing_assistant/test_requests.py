"""What clients may ask: every request has a row, and each row its answer."""

import json
from collections.abc import Iterable

import pytest

from hearing.errors import ErrorCode
from hearing.messages import control
from hearing.messages.common import Error, Speaker, Transcript
from hearing.types import Channel
from hearing_assistant.hearing_facts import HearingState
from hearing_assistant.requests import HANDLERS, reply_to
from hearing_assistant.transcripts import Transcripts

VOICE = Speaker(
    id="spk_0001", name="Ann", status="confirmed", cumulative_s=1.0, sample_path=None, created_at="2026-01-01"
)


class FakeDesk:
    """A desk with nothing behind it."""

    def __init__(self, failure: OSError | None = None) -> None:
        self.hearing = HearingState(speakers=(VOICE,), muted=True)
        self.transcripts = Transcripts(5_000)
        self.last_seq = 41
        self.viewers = 2
        self.uptime_ms = 1_234
        self.asked_to_listen: list[bool] = []
        self._failure = failure

    def set_listening(self, *, on: bool) -> None:
        if self._failure is not None:
            raise self._failure
        self.asked_to_listen.append(on)

    def hears(self, texts: Iterable[str]) -> None:
        for second, text in enumerate(texts):
            self.transcripts.add(
                Transcript(
                    seg_id=second,
                    leg=Channel.MIC,
                    start_ms=second * 1_000,
                    end_ms=second * 1_000 + 900,
                    text=text,
                )
            )


def test_every_request_of_the_protocol_has_a_handler() -> None:
    assert set(HANDLERS) == set(control.ControlRequest.__args__)


def test_subscribe_gets_an_ack_then_all_state() -> None:
    reply = reply_to(FakeDesk(), control.Subscribe(viewer=True))
    assert reply.answer == control.Ack(command="subscribe")
    (snapshot,) = reply.greeting
    assert isinstance(snapshot, control.Snapshot)
    assert (snapshot.mode, snapshot.last_seq, snapshot.speakers) == (control.Mode.IDLE, 41, [VOICE])
    assert (snapshot.queue, snapshot.stt.muted) == (control.QueueDepth(), True)


def test_status_says_it_all() -> None:
    status = reply_to(FakeDesk(), control.StatusGet()).answer
    assert isinstance(status, control.Status)
    assert (status.viewers, status.uptime_ms, status.llm, status.session) == (2, 1_234, None, None)
    assert (status.stt.connected, status.stt.muted) == (False, True)
    assert [health.part for health in status.health] == ["stt"]


@pytest.mark.parametrize("on", [True, False])
def test_listen_is_done_then_acknowledged(on: bool) -> None:
    desk = FakeDesk()
    assert reply_to(desk, control.Listen(on=on)).answer == control.Ack(command="listen")
    assert desk.asked_to_listen == [on]


def test_listen_that_cannot_be_written_down_is_refused() -> None:
    answer = reply_to(FakeDesk(OSError(28, "No space left on device")), control.Listen(on=False)).answer
    assert isinstance(answer, Error)
    assert answer.code == ErrorCode.WRITE_FAILED
    assert answer.message == "the `listening` file cannot be written: no space left on device"
    assert answer.hint


def test_clear_is_acknowledged_then_told_to_all() -> None:
    reply = reply_to(FakeDesk(), control.Clear())
    assert (reply.answer, reply.events) == (control.Ack(command="clear"), (control.Cleared(),))


def test_the_roster_is_the_daemons() -> None:
    assert reply_to(FakeDesk(), control.SpeakerListGet()).answer == control.SpeakerList(speakers=[VOICE])


def _document(desk: FakeDesk, **fields: int) -> tuple[list[str], int]:
    text, index, pages = "", 0, 0
    while True:
        request = control.TranscriptGet(format=control.TranscriptFormat.JSON, from_index=index, **fields)
        page = reply_to(desk, request).answer
        assert isinstance(page, control.TranscriptText)
        text, pages = text + page.text, pages + 1
        if page.next_index is None:
            return [line["text"] for line in json.loads(text)], pages
        index = page.next_index


def test_a_long_transcript_comes_in_pages() -> None:
    desk = FakeDesk()
    texts = [f"{number} " + "word " * 80 for number in range(2_000)]
    desk.hears(texts)
    found, pages = _document(desk)
    assert found == texts
    assert pages > 2


def test_the_last_minutes_go_on_over_the_pages() -> None:
    desk = FakeDesk()
    texts = [f"{number} " + "word " * 80 for number in range(2_000)]
    desk.hears(texts)
    found, pages = _document(desk, last_ms=1_000_000)
    assert found == texts[-1_000:]
    assert pages > 1


def test_pages_survive_lines_that_come_and_go_meanwhile() -> None:
    desk = FakeDesk()
    desk.transcripts = Transcripts(1_000)
    desk.hears("word " * 100 for _ in range(1_000))
    first = reply_to(desk, control.TranscriptGet(format=control.TranscriptFormat.JSON)).answer
    assert isinstance(first, control.TranscriptText)
    assert first.next_index is not None
    desk.hears("later" for _ in range(1_000))
    rest = reply_to(
        desk,
        control.TranscriptGet(format=control.TranscriptFormat.JSON, from_index=first.next_index),
    ).answer
    assert isinstance(rest, control.TranscriptText)
    assert len(json.loads(first.text + rest.text)) == first.segments + 1_000


@pytest.mark.parametrize(("from_index", "lines"), [(-5, 3), (2, 1), (3, 0), (10**9, 0)])
def test_any_index_has_an_answer(from_index: int, lines: int) -> None:
    desk = FakeDesk()
    desk.hears(["a", "b", "c"])
    answer = reply_to(desk, control.TranscriptGet(from_index=from_index)).answer
    assert isinstance(answer, control.TranscriptText)
    assert (answer.segments, answer.next_index) == (lines, None)


@pytest.mark.parametrize("last_ms", [0, -1, 10**15])
def test_any_stretch_has_an_answer(last_ms: int) -> None:
    desk = FakeDesk()
    desk.hears(["a", "b", "c"])
    answer = reply_to(desk, control.TranscriptGet(last_ms=last_ms)).answer
    assert isinstance(answer, control.TranscriptText)
    assert answer.segments == (3 if last_ms > 0 else 0)
