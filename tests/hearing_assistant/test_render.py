"""Documents: their pages joined are the whole, and each fits one line of the protocol."""

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.messages.common import Transcript
from hearing.messages.control import TranscriptFormat, TranscriptText
from hearing.protocol import encode
from hearing.types import Channel
from hearing_assistant import render
from hearing_assistant.hearing_state import RELAY_BYTES
from hearing_assistant.transcripts import Line, Transcripts


def _line(text: str, index: int = 0, speaker: str | None = None, ts: str = "", **times: int) -> Line:
    said = Transcript(
        seg_id=index,
        leg=Channel.MIC,
        start_ms=0,
        end_ms=0,
        text=text,
        speaker=speaker,
        ts=ts or msgspec.UNSET,
    )
    return Line(index, times.get("start_ms", 0), times.get("end_ms", 1_000), said)


def _whole(lines: list[Line], form: TranscriptFormat, limit_bytes: int) -> tuple[str, int]:
    text, index, pages = "", 0, 0
    while True:
        page = render.page(lines[index:], form, first=index == 0, limit_bytes=limit_bytes)
        text += page.text
        pages += 1
        if page.next_index is None:
            return text, pages
        assert page.next_index == index + page.lines > index
        index = page.next_index


@given(
    st.lists(st.text(max_size=30), max_size=12),
    st.sampled_from(TranscriptFormat),
    st.integers(1, 400),
)
def test_pages_joined_are_the_whole_document(
    texts: list[str], form: TranscriptFormat, limit_bytes: int
) -> None:
    lines = [_line(text, index) for index, text in enumerate(texts)]
    whole, pages = _whole(lines, form, 10**9)
    assert pages == 1
    assert _whole(lines, form, limit_bytes)[0] == whole


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(1, 400))
def test_json_pages_joined_are_json_with_every_word_as_it_was(texts: list[str], limit_bytes: int) -> None:
    lines = [_line(text, index) for index, text in enumerate(texts)]
    document = json.loads(_whole(lines, TranscriptFormat.JSON, limit_bytes)[0])
    assert [item["text"] for item in document] == texts
    assert [item["index"] for item in document] == list(range(len(texts)))


@given(st.lists(st.text(), min_size=1, max_size=8))
def test_srt_cues_are_one_line_each_and_numbered_from_one(texts: list[str]) -> None:
    lines = [_line(text, index) for index, text in enumerate(texts)]
    cues = _whole(lines, TranscriptFormat.SRT, 100)[0].split("\n\n")
    assert len(cues) == len(texts)
    for number, cue in enumerate(cues, start=1):
        first, times, *words = cue.rstrip("\n").split("\n")
        assert first == str(number)
        assert re.fullmatch(r"\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}", times)
        assert len(words) == 1
        assert "-->" not in "".join(words)


@given(st.text(), st.sampled_from([TranscriptFormat.TXT, TranscriptFormat.MD, TranscriptFormat.SRT]))
def test_no_document_for_people_drives_a_terminal(text: str, form: TranscriptFormat) -> None:
    page = render.page([_line(text, speaker=text)], form, first=True)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page.text)


@pytest.mark.parametrize("form", TranscriptFormat)
@pytest.mark.parametrize("char", ['"', "\\", "*", "\x01", "\n", "é", "\U0001f600", "a"])
def test_the_longest_texts_that_are_kept_fit_one_answer(form: TranscriptFormat, char: str) -> None:
    once = len(msgspec.json.encode(char)) - 2
    store = Transcripts(100)
    for _ in range(6):
        store.add(_line(char * ((RELAY_BYTES - 300) // once), speaker=char * 20).transcript)
    index = 0
    for _ in range(6):
        page = render.page(store.lines_from(index), form, first=index == 0)
        encode(TranscriptText(format=form, text=page.text, segments=page.lines, next_index=page.next_index))
        if page.next_index is None:
            break
        index = page.next_index
    assert page.next_index is None


def test_an_empty_transcript_is_an_empty_document_of_its_format() -> None:
    texts = {form.value: render.page([], form, first=True).text for form in TranscriptFormat}
    assert texts == {"txt": "", "json": "[]\n", "md": "# Transcript\n", "srt": ""}


def test_a_line_bears_the_time_its_words_began() -> None:
    line = _line("long", 0, ts="2026-01-02T00:00:03.000+00:00", start_ms=1_000, end_ms=9_500)
    assert render.page([line], TranscriptFormat.TXT, first=True).text == "23:59:54 me: long\n"


def test_each_format_looks_like_this() -> None:
    lines = [
        _line("hello *there*", 0, ts="2026-01-02T03:04:05.678+00:00", start_ms=3_723_004, end_ms=3_724_000),
        _line("two\nlines", 1, speaker="Ann", start_ms=61_000, end_ms=62_000),
    ]
    pages = {form.value: render.page(lines, form, first=True).text for form in TranscriptFormat}
    assert pages["txt"] == "03:04:04 me: hello *there*\n00:01:01 Ann: two lines\n"
    assert pages["md"] == (
        "# Transcript\n\n**me** (03:04:04): hello \\*there\\*\n\n**Ann** (00:01:01): two lines\n"
    )
    assert pages["srt"] == (
        "1\n01:02:03,004 --> 01:02:04,000\nhello *there*\n\n"
        "2\n00:01:01,000 --> 00:01:02,000\nAnn: two lines\n"
    )
    assert json.loads(pages["json"])[1] == {
        "index": 1,
        "ts": None,
        "start_ms": 61_000,
        "end_ms": 62_000,
        "leg": "mic",
        "speaker": "Ann",
        "language": None,
        "confidence": None,
        "text": "two\nlines",
    }
