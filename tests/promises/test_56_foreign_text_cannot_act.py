"""Promise 56: no byte of what was heard, or of what another program says, can act on the terminal."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearing.messages.common import (
    Error,
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
from hearing.messages.control import Listen, Notice, NoticeLevel, SttChanged, SttStatus, Subscribe
from hearing.messages.daemon import Gap
from hearing.testing.assistant import FakeAssistant
from hearing.testing.terminal import Terminal
from hearing.types import Channel

TUI = [sys.executable, "-m", "hearing_tui"]

ATTACKS = (
    "\x1b]52;c;Q0FOQVJZ\x07",  # writes the clipboard
    "\x1b]0;CANARY\x1b\\",  # sets the title
    "\x1b]8;;http://canary.test\x1b\\",  # a link
    "\x1b[2J\x1b[999;999H",  # wipes the screen
    "\x1b[?1049l\x1b[?1000l",  # leaves the alternate screen
    "\x1b[5n\x1b[c\x1b[6n",  # asks questions the terminal answers as if typed
    "\x9b2J\x9d52;c;Q0FOQVJZ\x9c",  # the same as C1 characters
    "\x1bP1$r\x1b\\\x1b_G\x1b\\\x1b^x\x1b\\",  # device control, application, privacy strings
    "\u202eCANARY\u202c\u2066\u2069\u200e\u061c",  # reverses what is read
    "\x07\x08\x0c\x0e\x7f\r\n\x00",  # bell, backspace, shift out, delete
    "\u2028\u2029\ufeff\U000e0041\ufff9",  # separators, tags, annotations
    "[@click=app.quit]CANARY[/] [red]x[/red] [/",  # Textual's own markup
    "\ud7ff\ue000",  # private use
)

# what Textual itself writes: colours, places, the modes it sets and resets, its questions at the start
OWN_SEQUENCE = re.compile(
    r"\x1b\]22;[a-z-]*\x07|"  # the shape of the mouse pointer
    r"\x1b\[[\d;:]*m|\x1b\[\d+;\d+H|\x1b\[H|\x1b\[\?[\d;]+[hl]|\x1b\[\?\d+\$p|\x1b\[[<>]\d*u|\x1b\[\d*[JK]"
)
BAD = re.compile(
    r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
QUESTIONS = ("\x1b[?2026$p", "\x1b[?2048$p")


def everywhere(attack: str, number: int) -> Iterator[Message]:
    """Put the attack into every foreign string that can reach the screen, with a marker around it."""
    text = f"before{number}{attack}after{number}"
    yield SpeechStart(seg_id=number, leg=Channel.MIC, at_ms=0)
    yield Partial(seg_id=number, leg=Channel.MIC, stable=text, unstable=text)
    yield Speakers(
        speakers=[Speaker(id=text, name=text, status=text, cumulative_s=1, sample_path=text, created_at=text)]
    )
    yield Transcript(
        seg_id=number, leg=Channel.MIC, start_ms=0, end_ms=9, text=text, language=attack, speaker_id=text,
        speaker_status="matched", speaker=text,
    )  # fmt: skip
    yield Gap(leg=Channel.MIC, from_ms=0, to_ms=9, reason=text)
    yield Notice(level=NoticeLevel.ERROR, text=text, source=text)
    for part, state in ((HealthPart.MIC, HealthState.NO_DEVICE), (HealthPart.STT, HealthState.FAILED)):
        yield Health(part=part, state=state, device=text, detail=text, hint=text)
    yield SttChanged(stt=SttStatus(connected=True, healthy=False, model=text, detail=text, hint=text))


def foreign_in(output: str) -> list[str]:
    """Name everything in a program's output that acts on a terminal and is not the program's own."""
    assert all(output.count(question) <= 1 for question in QUESTIONS), "a question was asked twice"
    rest = OWN_SEQUENCE.sub("", output)
    return [
        f"{found[0]!r} in {rest[max(0, found.start() - 20) : found.end() + 20]!r}"
        for found in BAD.finditer(rest)
    ]


async def test_nothing_foreign_reaches_the_terminal(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant, Terminal(TUI, columns=160, rows=50) as terminal:
        await assistant.asked(Subscribe)
        for number, attack in enumerate(ATTACKS):
            assistant.answers[Listen] = Error(code=attack, message=f"refused{number}{attack}", hint=attack)
            assistant.play(everywhere(attack, number))
            await terminal.shows(f"before{number}", f"after{number}", "no microphone")
            terminal.press("l")
            await terminal.shows(f"refused{number}")
        terminal.press("?")
        await terminal.shows("one line up")
        terminal.press("\x03")
        assert await terminal.ended() == 0
    output = terminal.output.decode("utf-8")
    assert foreign_in(output) == []
    assert output.count("\x1b[?1049l") == 1, "the alternate screen was left early"


@pytest.mark.parametrize("form", ["json", "text"])
async def test_nothing_foreign_comes_out_of_a_dump(runtime_dir: Path, form: str) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        dumping = await asyncio.create_subprocess_exec(
            *TUI, "--dump", "60", "--format", form, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        await assistant.asked(Subscribe)
        for number, attack in enumerate(ATTACKS):
            assistant.play(everywhere(attack, number))
        assistant.play([Notice(level=NoticeLevel.INFO, text="the end", source="test")])
        output = b""
        assert dumping.stdout is not None
        async with asyncio.timeout(20):
            while b"the end" not in output:
                output += await dumping.stdout.readline()
        dumping.kill()
        await dumping.communicate()
    assert BAD.findall(output.decode("utf-8")) == []
    assert b"\x1b" not in output
    assert output.count(b"before3") >= 1
