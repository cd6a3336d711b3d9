"""Documents: their pages joined are the whole, and each fits one line of the protocol."""

import json
import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hearing.messages.common import Transcript
from hearing.messages.control import TranscriptFormat
from hearing.rendering import DocumentFormat, Line, document, page, speaker_only
from hearing.types import Channel


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


def _whole(lines: list[Line], form: DocumentFormat, limit_bytes: int) -> tuple[str, int]:
    text, index, pages = "", 0, 0
    while True:
        got = page(lines[index:], form, first=index == 0, limit_bytes=limit_bytes)
        text += got.text
        pages += 1
        if got.next_index is None:
            return text, pages
        assert got.next_index == index + got.lines > index
        index = got.next_index


@given(
    st.lists(st.text(max_size=30), max_size=12),
    st.sampled_from(DocumentFormat),
    st.integers(1, 400),
)
def test_pages_joined_are_the_whole_document(
    texts: list[str], form: DocumentFormat, limit_bytes: int
) -> None:
    lines = [_line(text, index) for index, text in enumerate(texts)]
    whole, pages = _whole(lines, form, 10**9)
    assert pages == 1
    assert _whole(lines, form, limit_bytes)[0] == whole


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(1, 400))
def test_json_pages_joined_are_json_with_every_word_as_it_was(texts: list[str], limit_bytes: int) -> None:
    lines = [_line(text, index) for index, text in enumerate(texts)]
    document = json.loads(_whole(lines, DocumentFormat.JSON, limit_bytes)[0])
    assert [item["text"] for item in document] == texts
    assert [item["index"] for item in document] == list(range(len(texts)))


@given(st.lists(st.text(), min_size=1, max_size=8))
def test_srt_cues_are_one_line_each_and_numbered_from_one(texts: list[str]) -> None:
    lines = [_line(text, index) for index, text in enumerate(texts)]
    cues = _whole(lines, DocumentFormat.SRT, 100)[0].split("\n\n")
    assert len(cues) == len(texts)
    for number, cue in enumerate(cues, start=1):
        first, times, *words = cue.rstrip("\n").split("\n")
        assert first == str(number)
        assert re.fullmatch(r"\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}", times)
        assert len(words) == 1
        assert "-->" not in "".join(words)


@given(st.text(), st.sampled_from([form for form in DocumentFormat if form is not DocumentFormat.JSON]))
def test_no_document_for_people_drives_a_terminal(text: str, form: DocumentFormat) -> None:
    said = document([_line(text, speaker=text)], form)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said)


def test_an_empty_transcript_is_an_empty_document_of_its_format() -> None:
    texts = {form.value: document([], form) for form in DocumentFormat}
    assert texts == {"txt": "", "json": "[]\n", "md": "# Transcript\n", "srt": "", "vtt": "WEBVTT\n"}


def test_a_line_bears_the_time_its_words_began() -> None:
    line = _line("long", 0, ts="2026-01-02T00:00:03.000+00:00", start_ms=1_000, end_ms=9_500)
    assert document([line], DocumentFormat.TXT) == "23:59:54 me: long\n"


def test_each_format_looks_like_this() -> None:
    lines = [
        _line("hello *there*", 0, ts="2026-01-02T03:04:05.678+00:00", start_ms=3_723_004, end_ms=3_724_000),
        _line("two\nlines", 1, speaker="Ann", start_ms=61_000, end_ms=62_000),
    ]
    pages = {form.value: document(lines, form) for form in DocumentFormat}
    assert pages["txt"] == "03:04:04 me: hello *there*\n00:01:01 Ann: two lines\n"
    assert pages["md"] == (
        "# Transcript\n\n**me** (03:04:04): hello \\*there\\*\n\n**Ann** (00:01:01): two lines\n"
    )
    assert pages["srt"] == (
        "1\n01:02:03,004 --> 01:02:04,000\nhello *there*\n\n"
        "2\n00:01:01,000 --> 00:01:02,000\nAnn: two lines\n"
    )
    assert pages["vtt"] == (
        "WEBVTT\n\n"
        "01:02:03.004 --> 01:02:04.000\nhello *there*\n\n"
        "00:01:01.000 --> 00:01:02.000\nAnn: two lines\n"
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


def test_where_nobody_is_named_words_stand_alone() -> None:
    lines = [_line("one", 0), _line("two", 1, speaker="Ann")]
    texts = {form: document(lines, form, name=speaker_only) for form in DocumentFormat}
    assert texts[DocumentFormat.TXT] == "one\n00:00:00 Ann: two\n"
    assert texts[DocumentFormat.MD] == "# Transcript\n\n(00:00:00) one\n\n**Ann** (00:00:00): two\n"


def test_words_that_look_like_a_tag_or_a_cue_stay_words_in_webvtt() -> None:
    said = document([_line("a <b>&amp; 00:01 --> 00:02", 0)], DocumentFormat.VTT)
    assert said.endswith("\na &lt;b&gt;&amp;amp; 00:01 -&gt; 00:02\n")


def test_all_that_an_assistant_renders_is_a_document() -> None:
    assert {*TranscriptFormat} < {*DocumentFormat}
