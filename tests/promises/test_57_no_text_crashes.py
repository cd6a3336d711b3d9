"""Promise 57: no text crashes the TUI, and none is drawn wider than its place."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hearing.messages.common import (
    Health,
    HealthPart,
    HealthState,
    Message,
    Partial,
    Speaker,
    Speakers,
    SpeechStart,
    Transcript,
)
from hearing.messages.control import Notice, NoticeLevel, SttChanged, SttStatus
from hearing.messages.daemon import Gap
from hearing.safe_text import safe_text
from hearing.types import Channel
from hearing_tui.app import HearingApp
from hearing_tui.document import Document
from hearing_tui.lines import GUTTER_CELLS, Role, line_at, live_lines
from hearing_tui.messages import FromAssistant
from hearing_tui.view_state import LinkUp, ViewState, update

MARKUP = (
    "[/",
    "[/]",
    "[",
    "]",
    "[[",
    "[b",
    "[b]",
    "[/b]",
    "[@click=app.quit]x[/]",
    "[link=x]",
    "\\[",
    "[$x]",
    "[#fff on]",
)
SCRIPTS = (
    "\u0e01\u0e33", "\u0915\u094d\u0937", "\u1100\u1161\u11a8", "\u65e5\u672c", "\u05e9\u05dc\u05d5\u05dd",
    "\u0645\u0631",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3", "e" + "\u0301" * 50, "\ufdfd",
    "\u200d" * 9, "\ufe0f", "\U000e0041", "\x1b[31m", "\x9b", "\u202e", "\x00", "\t", "\n",
    "\r\n", "\u2028", "\ud7ff",
)  # fmt: skip
ODD = ("", " ", " " * 500, "x" * 9_000, "\u65e5" * 4_000, "a b " * 2_000, "\n" * 300)


def strings(count: int, seed: int) -> Iterator[str]:
    """Give hostile pieces, random code points, and mixtures of both."""
    dice = random.Random(seed)
    yield from (*MARKUP, *SCRIPTS, *ODD)
    for _ in range(count):
        pieces = [dice.choice((*MARKUP, *SCRIPTS, " ", "word")) for _ in range(dice.randrange(6))]
        points = [dice.choice((0x7F, 0x3FF, 0xFFFF, 0x10FFFF)) for _ in range(dice.randrange(12))]
        pieces += [chr(point) for top in points if not 0xD800 <= (point := dice.randrange(top)) < 0xE000]
        dice.shuffle(pieces)
        yield "".join(pieces)


def everywhere(text: str, number: int) -> Iterator[Message]:
    """Put a text into every foreign string that can reach the screen."""
    leg = Channel.SYSTEM if number % 2 else Channel.MIC
    yield SpeechStart(seg_id=number, leg=leg, at_ms=0, ts=text)
    yield Partial(seg_id=number, leg=leg, stable=text, unstable=text)
    yield Transcript(
        seg_id=number, leg=leg, start_ms=0, end_ms=9, text=text, language=text, speaker_id=text,
        speaker_status="matched" if number % 3 else text, speaker=text, ts=text,
    )  # fmt: skip
    yield Gap(leg=leg, from_ms=0, to_ms=9, reason=text)
    yield Health(part=HealthPart.MIC, state=HealthState.NO_DEVICE, device=text, detail=text, hint=text)
    yield SttChanged(stt=SttStatus(connected=True, healthy=True, model=text, detail=text, hint=text))
    if number % 50 == 0:
        yield Notice(level=NoticeLevel.INFO, text=text, source=text)
        voice = Speaker(id=text, name=text, status=text, cumulative_s=1, sample_path=None, created_at=text)
        yield Speakers(speakers=[voice])


async def draw_all(count: int, seed: int, *, look_every: int) -> None:
    """Show every string in one running app, and read the whole screen after every few."""
    app = HearingApp(None, theme="textual-dark")
    async with app.run_test(size=(72, 40), notifications=True) as pilot:
        app.post_message(FromAssistant(LinkUp(True)))
        for number, text in enumerate(strings(count, seed)):
            for message in everywhere(text, number):
                app.post_message(FromAssistant(message))
            if number % look_every == 0:
                app.clear_notifications()
                await pilot.pause()
                for strip in app.screen._compositor.render_strips():
                    assert strip.cell_length == 72
                    assert safe_text(strip.text) == strip.text
    assert app.crash is None


async def test_thousands_of_hostile_strings_are_drawn() -> None:
    await draw_all(2_000, seed=57, look_every=25)


@pytest.mark.long
@pytest.mark.timeout(1_800)
async def test_a_hundred_thousand_hostile_strings_are_drawn() -> None:
    await draw_all(100_000, seed=58, look_every=250)


@given(st.text(), st.integers(2, 60))
def test_no_row_is_wider_than_the_pane_and_none_acts(text: str, width: int) -> None:
    state = ViewState()
    for message in everywhere(text, 1):
        state = update(state, message)
    document = Document(width)
    document.show(state.entries, state.first)
    places = [place for row in range(document.rows) if (place := document.at(row))]
    lines = [line_at(place, width, state.names) for place in places] + live_lines(state.live, width)
    for line in lines:
        assert all(safe_text(piece) == piece for piece, _ in line)
        if any(role in {Role.TEXT, Role.STABLE} for _, role in line):
            assert sum(cell_len(piece) for piece, _ in line) <= width + GUTTER_CELLS
