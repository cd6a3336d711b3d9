"""How each row reads."""

from collections.abc import Callable

import pytest

from hearing.types import Channel
from hearing_tui.document import Place
from hearing_tui.entries import Note, Spoken
from hearing_tui.lines import Line, Role, line_at, live_lines
from hearing_tui.live import Live

Make = Callable[..., Spoken]


def text(line: Line) -> str:
    return "".join(piece for piece, _ in line)


def test_a_header_has_time_leg_language_speaker_and_duration(entry: Make) -> None:
    line = line_at(Place(entry("hi", speaker="Ada", speaker_status="matched"), 0), 40, {})
    assert text(line) == "▎ 03:04:05  me  en  Ada  2.4 s"
    assert ("Ada", Role.NAMED) in line


def test_an_unknown_voice_says_so(entry: Make) -> None:
    line = line_at(Place(entry("hi", speaker_status="unknown", leg=Channel.SYSTEM), 0), 40, {})
    assert text(line) == "▎ 03:04:05  them  en  Unknown  2.4 s"
    assert ("Unknown", Role.UNKNOWN) in line


def test_without_identification_no_speaker_is_shown_but_the_leg_is(entry: Make) -> None:
    line = line_at(Place(entry("hi", language=None, ts=None), 0), 40, {})
    assert text(line) == "▎ me  2.4 s"


def test_a_rename_reaches_what_was_said_before(entry: Make) -> None:
    old = entry("hi", speaker="Ada", speaker_status="matched", speaker_id="v1")
    assert "Countess" in text(line_at(Place(old, 0), 40, {"v1": "Countess"}))


def test_text_follows_the_header_and_a_blank_row_ends_it(entry: Make) -> None:
    rows = [text(line_at(Place(entry("one two three"), row), 7, {})) for row in (1, 2, 3)]
    assert rows == ["▎ one two", "▎ three", ""]


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (Note("noise, no words", Channel.MIC, "03:04:05"), "· 03:04:05  me: noise, no words"),
        (Note("noise, no words", None, "", 3), "· noise, no words, 3 times"),
    ],
)
def test_a_note_is_one_quiet_row(note: Note, shown: str) -> None:
    assert text(line_at(Place(note, 0), 40, {})) == shown
    assert line_at(Place(note, 1), 40, {}) == ()


def test_open_speech_says_listening_and_closed_speech_recognizing() -> None:
    lines = live_lines({1: Live(1, Channel.MIC, "03:04:05"), 2: Live(2, Channel.SYSTEM, open=False)}, 40)
    assert [text(line) for line in lines] == ["▎ 03:04:05  me  …listening", "", "▎ them  …recognizing", ""]


def test_words_that_may_change_look_different_from_those_that_stay() -> None:
    lines = live_lines({1: Live(1, Channel.MIC, stable="one two", unstable="three four")}, 11)
    assert [text(line) for line in lines[1:-1]] == ["▎ one two", "▎ three four"]
    assert lines[1][1:] == (("one two", Role.STABLE), ("", Role.UNSTABLE))
    assert lines[2][1:] == (("", Role.STABLE), ("three four", Role.UNSTABLE))


def test_the_border_between_the_two_may_lie_inside_a_row() -> None:
    lines = live_lines({1: Live(1, Channel.MIC, stable="one", unstable="two")}, 20)
    assert lines[1][1:] == (("one", Role.STABLE), (" two", Role.UNSTABLE))
