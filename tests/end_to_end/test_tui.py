"""The real `hearing-tui` in a pseudo-terminal, in front of a scripted assistant on the real socket."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hearing.messages.common import Health, HealthPart, HealthState, Partial, SpeechStart, Transcript
from hearing.messages.control import (
    Listen,
    SttChanged,
    SttStatus,
    Subscribe,
    TranscriptFormat,
    TranscriptGet,
    TranscriptText,
)
from hearing.messages.daemon import SegmentDone
from hearing.testing.assistant import FakeAssistant
from hearing.testing.terminal import Terminal
from hearing.types import Channel

TUI = [sys.executable, "-m", "hearing_tui"]


def said(text: str, seg_id: int = 1, leg: Channel = Channel.MIC) -> Transcript:
    return Transcript(
        seg_id=seg_id,
        leg=leg,
        start_ms=seg_id * 1000,
        end_ms=seg_id * 1000 + 2400,
        text=text,
        language="en",
        speaker="Ada",
        speaker_status="matched",
        ts=f"2026-01-02T03:04:{seg_id % 60:02}.000+00:00",
    )


async def test_words_keys_and_sizes(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant, assistant.beating(), Terminal(TUI) as terminal:
        await terminal.shows("transcripts [seg 0]", "me ", "listening", "stt ready")
        assistant.play([SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0)])
        await terminal.shows("…listening")
        assistant.play([Partial(seg_id=1, leg=Channel.MIC, stable="words so", unstable="far")])
        await terminal.shows("words so far")
        assistant.play([said("words so far, and the last of them"), SegmentDone(seg_id=1, pieces=1)])
        await terminal.shows("Ada", "2.4 s", "and the last of them")
        for columns, rows in ((40, 10), (200, 60), (80, 24)):
            terminal.resize(columns, rows)
            await terminal.shows("and the last", "q quit", "─" * (columns - 30))
            assert max(map(len, terminal.text.splitlines())) == columns
        assistant.play(said(f"line {n}", seg_id=n) for n in range(2, 50))
        await terminal.shows("line 49")
        terminal.press("\x1b[5~\x1b[5~")
        await terminal.shows("▼ End: newest")
        assistant.play([said("line 50", seg_id=50)])
        await terminal.shows("1 new")
        terminal.press("\x1b[F")
        await terminal.shows("line 50")
        terminal.press("?")
        await terminal.shows("one line up")
        terminal.press("\x1b")
        await terminal.until(lambda: "one line up" not in terminal.text)
        terminal.press("l")
        await assistant.asked(Listen)
        assistant.play([SttChanged(stt=SttStatus(connected=True, healthy=True, muted=True))])
        await terminal.shows("muted: nothing is heard", "l listen")
        terminal.press("q")
        assert await terminal.ended() == 0


async def test_a_size_exported_by_a_shell_does_not_stop_the_screen_from_following_the_terminal(
    runtime_dir: Path,
) -> None:
    exported = {"COLUMNS": "70", "LINES": "20"}
    async with FakeAssistant(runtime_dir), Terminal(TUI, env=exported) as terminal:
        await terminal.shows("stt ready", "─" * 60)
        terminal.resize(120, 30)
        await terminal.shows("q quit", "─" * 110)


async def test_saving_a_file_by_typing_its_name(runtime_dir: Path, home: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant, assistant.beating(), Terminal(TUI) as terminal:
        assistant.answers[TranscriptGet] = TranscriptText(
            format=TranscriptFormat.TXT, text="hello\n", segments=1
        )
        await terminal.shows("stt ready")
        terminal.press("w")
        await terminal.shows("save the transcript", ".md")
        terminal.press("\x15")  # empties the line
        await terminal.until(lambda: "transcript-" not in terminal.text)
        terminal.press("~/notes.txt")
        await terminal.shows("~/notes.txt")
        terminal.press("\r")
        await terminal.shows("1 segments saved to")
        terminal.press("q")
        assert await terminal.ended() == 0
    assert (home / "notes.txt").read_text() == "hello\n"


async def test_trouble_is_said_and_ends_and_nothing_is_lost(runtime_dir: Path) -> None:
    async with Terminal(TUI) as terminal:
        await terminal.shows("the assistant is not running", "hearing up")
        async with FakeAssistant(runtime_dir, boot_id="one") as first:
            await first.asked(Subscribe)
            first.play([said("before the crash", seg_id=1)])
            await terminal.shows("before the crash")
            first.play([Health(part=HealthPart.MIC, state=HealthState.NO_DEVICE, hint="plug one in")])
            await terminal.shows("no microphone", "plug one in")
        await terminal.shows("the assistant is lost")
        async with FakeAssistant(runtime_dir, boot_id="two") as second:
            second.play([said("before the crash", seg_id=1), said("while it was away", seg_id=2)])
            await terminal.shows("while it was away", "stt ready")
            await terminal.until(lambda: "lost" not in terminal.text and "no microphone" not in terminal.text)
            assert terminal.text.count("before the crash") == 1
            terminal.press("q")
            assert await terminal.ended() == 0


@pytest.mark.parametrize(
    "env",
    [
        {"TERM": "linux", "NO_COLOR": "1"},
        {"TERM": "xterm", "COLORTERM": ""},
        {"TERM": "dumb"},
        {"LC_ALL": "C"},
    ],
    ids=["no colour", "16 colours", "dumb", "no UTF-8 locale"],
)
async def test_poor_terminals_show_the_words_too(runtime_dir: Path, env: dict[str, str]) -> None:
    async with FakeAssistant(runtime_dir) as assistant, Terminal(TUI, env=env) as terminal:
        await assistant.asked(Subscribe)
        assistant.play([said("good morning")])
        await terminal.shows("good morning", "Ada")
        terminal.press("q")
        assert await terminal.ended() == 0
        if "NO_COLOR" in env:
            assert not re.findall(rb"\x1b\[[\d;]*(?:3[0-8]|4[0-8])[;m]", terminal.output)


async def test_stdout_may_be_a_pipe_but_without_a_terminal_nothing_is_drawn(runtime_dir: Path) -> None:
    script = 'hearing_tui="$0"; "$hearing_tui" -m hearing_tui | cat; echo "piped"'
    async with FakeAssistant(runtime_dir), Terminal(["sh", "-c", script, sys.executable]) as terminal:
        await terminal.shows("stt ready")
        terminal.press("q")
        await terminal.shows("piped")
        assert await terminal.ended() == 0


# --- headless ---


async def dumping(*more: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *TUI, "--dump", *more, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


async def kinds(process: asyncio.subprocess.Process, count: int) -> Sequence[str]:
    assert process.stdout is not None
    async with asyncio.timeout(20):
        return [json.loads(await process.stdout.readline())["type"] for _ in range(count)]


async def test_a_dump_ends_by_itself_and_each_line_comes_at_once(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        process = await dumping("2")
        request = await assistant.asked(Subscribe)
        assert isinstance(request, Subscribe)
        assert not request.viewer
        assert await kinds(process, 3) == ["hello", "ack", "snapshot"]
        assistant.play([said("hello")])
        assert await kinds(process, 1) == ["transcript"]
        _, stderr = await process.communicate()
        assert (process.returncode, stderr) == (0, b"")


async def test_a_dump_waits_for_an_assistant_and_finds_it_again(runtime_dir: Path) -> None:
    process = await dumping("60")
    assert process.stderr is not None
    assert b"waiting for it" in await process.stderr.readline()
    for boot_id in ("one", "two"):
        async with FakeAssistant(runtime_dir, boot_id=boot_id):
            assert await kinds(process, 3) == ["hello", "ack", "snapshot"]
    process.kill()
    await process.communicate()


async def test_a_dump_without_an_assistant_exits_69() -> None:
    process = await dumping("0.2")
    stdout, stderr = await process.communicate()
    assert (process.returncode, stdout) == (69, b"")
    assert b"hint: start it with `hearing up`" in stderr


async def test_ctrl_c_ends_a_dump_without_a_traceback(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir):
        process = await dumping("60")
        await kinds(process, 3)
        process.send_signal(signal.SIGINT)
        _, stderr = await process.communicate()
        assert (process.returncode, stderr) == (130, b"")


async def test_a_reader_that_leaves_early_is_no_fault(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        read, write = os.pipe()
        process = await asyncio.create_subprocess_exec(
            *TUI, "--dump", "60", stdout=write, stderr=subprocess.PIPE
        )
        os.close(write)
        await assistant.asked(Subscribe)
        os.close(read)
        assistant.play([said("nobody reads this")])
        async with asyncio.timeout(20):
            _, stderr = await process.communicate()
        assert (process.returncode, stderr) == (0, b"")
