"""What was said lately: bounded, and indexed for good."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing import rendering
from hearing.messages.common import Transcript
from hearing.messages.control import TranscriptFormat, TranscriptText
from hearing.protocol import encode
from hearing.types import Channel
from hearing_assistant.hearing_state import RELAY_BYTES
from hearing_assistant.transcripts import Transcripts


def _said(text: str = "x", start_ms: int = 0, end_ms: int = 1_000) -> Transcript:
    return Transcript(seg_id=1, leg=Channel.MIC, start_ms=start_ms, end_ms=end_ms, text=text)


def _texts(store: Transcripts, index: int = 0) -> list[str]:
    return [line.transcript.text for line in store.lines_from(index)]


@given(st.integers(1, 20), st.integers(0, 60), st.integers(0, 70))
def test_lines_from_an_index_are_the_kept_ones_from_there_on(capacity: int, count: int, index: int) -> None:
    store = Transcripts(capacity)
    for number in range(count):
        store.add(_said(str(number)))
    kept = range(max(0, count - capacity), count)
    assert _texts(store, index) == [str(number) for number in kept if number >= index]
    assert [line.index for line in store.lines_from(0)] == list(kept)
    assert (len(store), store.next_index, store.first_index) == (len(kept), count, kept.start)


def test_long_texts_go_before_the_memory_does() -> None:
    store = Transcripts(1_000, max_text_bytes=10_000)
    for number in range(30):
        store.add(_said(f"{number:1000}"))
    assert 5 <= len(store) <= 10
    assert store.next_index == 30


def test_after_a_restart_of_the_daemon_time_goes_on_where_it_ended() -> None:
    store = Transcripts(10)
    store.add(_said(start_ms=1_000, end_ms=5_000))
    store.new_timeline()
    line = store.add(_said(start_ms=200, end_ms=900))
    assert (line.start_ms, line.end_ms) == (5_200, 5_900)
    store.new_timeline()
    store.new_timeline()
    assert store.add(_said(start_ms=0, end_ms=1)).start_ms == 5_900


def test_the_last_minutes_count_back_from_the_newest_word() -> None:
    store = Transcripts(10)
    for second in range(5):
        store.add(_said(start_ms=second * 1_000, end_ms=second * 1_000 + 900))
    assert store.index_of_last(1_000) == 4
    assert store.index_of_last(1_001) == 3
    assert store.index_of_last(10**9) == 0
    assert store.index_of_last(0) == store.next_index == 5
    assert Transcripts(10).index_of_last(1) == 0


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_nonsense_stamps_stay_a_span(start_ms: int, end_ms: int) -> None:
    store = Transcripts(10)
    for _ in range(3):
        line = store.add(_said(start_ms=start_ms, end_ms=end_ms))
        assert 0 <= line.start_ms <= line.end_ms <= 2 * 10**12
        store.new_timeline()


@pytest.mark.parametrize("index", [3, 4, 2**63, 10**30])
def test_an_index_beyond_the_end_gives_no_lines(index: int) -> None:
    store = Transcripts(10)
    for _ in range(3):
        store.add(_said(start_ms=0, end_ms=1))
    assert list(store.lines_from(index)) == []


@pytest.mark.parametrize("form", TranscriptFormat)
@pytest.mark.parametrize("char", ['"', "\\", "*", "\x01", "\n", "é", "\U0001f600", "a"])
def test_the_longest_texts_that_are_kept_fit_one_answer(form: TranscriptFormat, char: str) -> None:
    once = len(msgspec.json.encode(char)) - 2
    store = Transcripts(100)
    for _ in range(6):
        said = _said(char * ((RELAY_BYTES - 300) // once))
        store.add(msgspec.structs.replace(said, speaker=char * 20))
    index = 0
    for _ in range(6):
        page = rendering.page(store.lines_from(index), form, first=index == 0)
        encode(TranscriptText(format=form, text=page.text, segments=page.lines, next_index=page.next_index))
        if page.next_index is None:
            break
        index = page.next_index
    assert page.next_index is None
