"""The demo's client, on a real socket with a scripted assistant."""

import asyncio
import io
from pathlib import Path

import pytest

import hearing_cli.demo.listen as module
from hearing import paths
from hearing.messages.common import Health, HealthPart, HealthState, SpeechStart, Transcript
from hearing.messages.control import Subscribe
from hearing.messages.daemon import SegmentDone
from hearing.testing.assistant import FakeAssistant
from hearing.types import Channel
from hearing_cli.demo.heard import Heard
from hearing_cli.demo.listen import line, listen
from hearing_cli.up.events import Event, Stop

WORDS = Transcript(seg_id=1, leg=Channel.MIC, start_ms=64_500, end_ms=66_000, text="hello \x1b[2J there")


async def run(
    runtime_dir: Path, assistant: FakeAssistant | None, limit_s: float
) -> tuple[Heard, str, list[Event]]:
    """Listen until the client has had enough."""
    heard, stream, posted = Heard(), io.StringIO(), list[Event]()
    async with asyncio.timeout(30):
        listening = asyncio.create_task(
            listen(str(runtime_dir / paths.ASSISTANT_SOCKET), heard, stream, limit_s, posted.append)
        )
        if assistant is not None:
            await assistant.asked(Subscribe)
            assistant.play(
                [
                    SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=64_500),
                    WORDS,
                    SegmentDone(seg_id=1, pieces=1),
                    Health(part=HealthPart.MIC, state=HealthState.ENDED),
                ]
            )
            while not listening.done():
                assistant.heartbeat(seg=0)
                await asyncio.sleep(0)
        await listening
    return heard, stream.getvalue(), posted


async def test_words_are_printed_as_they_come_and_the_stack_is_stopped_at_the_end(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        heard, printed, posted = await run(runtime_dir, assistant, limit_s=20)
    assert heard.complete
    assert printed == "01:04  hello [2J there\n"
    assert posted == [Stop("the recording is over")]


async def test_a_recording_without_end_is_given_up(runtime_dir: Path) -> None:
    heard, _, posted = await run(runtime_dir, None, limit_s=0.05)
    assert heard.trouble == "the recording did not come to its end within 0.05 s"
    assert posted == [Stop(heard.trouble)]


async def test_recognition_that_stays_away_is_given_up_with_its_reason(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TROUBLE_LIMIT_S", 0.1)
    failed = Health(part=HealthPart.STT, state=HealthState.FAILED, detail="out of memory")
    async with FakeAssistant(runtime_dir, health=[failed]):
        heard, _, posted = await run(runtime_dir, None, limit_s=20)
    assert heard.trouble == "recognition: out of memory"
    assert posted == [Stop(heard.trouble)]


async def test_recognition_that_comes_back_is_not_given_up(runtime_dir: Path) -> None:
    failed = Health(part=HealthPart.STT, state=HealthState.FAILED, detail="no daemon is running")
    async with FakeAssistant(runtime_dir, health=[failed]) as assistant:
        heard, stream, posted = Heard(), io.StringIO(), list[Event]()
        listening = asyncio.create_task(
            listen(str(runtime_dir / paths.ASSISTANT_SOCKET), heard, stream, 20, posted.append)
        )
        await assistant.asked(Subscribe)
        ready = Health(part=HealthPart.STT, state=HealthState.READY)
        assistant.play([ready, WORDS, Health(part=HealthPart.MIC, state=HealthState.ENDED)])
        while not listening.done():
            assistant.heartbeat(seg=0)
            await asyncio.sleep(0)
    assert posted == [Stop("the recording is over")]
    assert heard.text == WORDS.text


@pytest.mark.parametrize(("start_ms", "shown"), [(0, "00:00"), (59_999, "00:59"), (3_600_000, "60:00")])
def test_times_are_minutes_and_seconds(start_ms: int, shown: str) -> None:
    piece = Transcript(seg_id=1, leg=Channel.MIC, start_ms=start_ms, end_ms=start_ms, text="x")
    assert line(piece) == f"{shown}  x"
