"""Files through the live pipeline: real files, real pipes, a fake engine."""

import asyncio
import sys
import wave
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import msgspec
import numpy as np
import pytest

from hearing.clock import SystemClock
from hearing.config import Config
from hearing.errors import ExitCode, ModelError
from hearing.messages.common import Message, Transcript
from hearing.messages.daemon import Gap
from hearing.messages.files import FileBegins, FileEnds, FileMessage, FileProgress, TranscriberFailed
from hearing.testing.vad import LoudnessVad
from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon import transcribe_live
from hearing_daemon.recognizer import Recognizer
from hearing_daemon.transcribe_live import Transcriber

FAKE = Path(__file__).with_name("fake_worker.py")


def recording(path: Path, tones: int = 2, cut_bytes: int = 0) -> Path:
    """Write tones of a second with two seconds of silence behind each."""
    at = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    tone = (24_000 * np.sin(2 * np.pi * 220 * at)).astype("<i2")
    once = np.concatenate([np.zeros(SAMPLE_RATE_HZ, "<i2"), tone, np.zeros(SAMPLE_RATE_HZ, "<i2")])
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(SAMPLE_RATE_HZ)
        out.writeframes(np.tile(once, tones).tobytes())
    if cut_bytes:
        path.write_bytes(path.read_bytes()[:-cut_bytes])
    return path


async def transcribed(named: Sequence[Path], *script: str) -> tuple[list[Message], int]:
    """Give all messages and the number of files with a problem."""
    said: list[Message] = []
    transcriber = Transcriber(Config(), LoudnessVad(), said.append)
    recognizer = Recognizer(
        transcriber,
        locate=lambda: Path("/nowhere"),
        command=lambda _weights: [sys.executable, str(FAKE), *script],
        clock=SystemClock(),
        sleep=transcriber.pause,
    )
    async with asyncio.timeout(60):
        return said, await transcriber.run(named, recognizer)


def words(said: Sequence[Message]) -> list[str]:
    return [message.text for message in said if isinstance(message, Transcript)]


async def test_files_come_in_order_each_on_its_own_timeline(tmp_path: Path) -> None:
    named = [recording(tmp_path / "a.wav"), recording(tmp_path / "b.wav", tones=1)]
    said, problems = await transcribed(named, "say:one", "say:two", "say:three")
    assert problems == 0
    kinds = [type(message) for message in said if not isinstance(message, FileProgress)]
    assert kinds == [FileBegins, Transcript, Transcript, FileEnds, FileBegins, Transcript, FileEnds]
    assert words(said) == ["one", "two", "three"]
    assert [m.total_ms for m in said if isinstance(m, FileBegins)] == [6_000, 3_000]
    assert [m.heard_ms for m in said if isinstance(m, FileEnds)] == [6_000, 3_000]
    last = [m for m in said if isinstance(m, Transcript)][-1]
    assert 500 <= last.start_ms <= 1_000 < 2_000 <= last.end_ms <= 3_000


async def test_progress_only_moves_forward_to_the_end(tmp_path: Path) -> None:
    said, _ = await transcribed([recording(tmp_path / "a.wav", tones=5)])
    done = [message.done_ms for message in said if isinstance(message, FileProgress)]
    assert done == sorted(set(done))
    assert done[-1] == 15_000


async def test_a_bad_file_is_named_and_the_next_goes_on(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.wav"
    garbage.write_bytes(b"no sound" * 100)
    named = [tmp_path / "none.wav", tmp_path, garbage, recording(tmp_path / "a.wav", tones=1)]
    said, problems = await transcribed(named, "say:one")
    assert problems == 3
    ends = [message for message in said if isinstance(message, FileEnds)]
    assert [bool(end.problem) for end in ends] == [True, True, True, False]
    assert "does not exist" in ends[0].problem
    assert "`garbage.wav` cannot be read as sound" in ends[2].problem
    assert words(said) == ["one"]


async def test_of_a_file_that_is_cut_short_all_that_is_there_is_transcribed(tmp_path: Path) -> None:
    cut = recording(tmp_path / "a.wav", tones=2, cut_bytes=2 * SAMPLE_RATE_HZ * 3 // 2)
    said, problems = await transcribed([cut], "say:one", "say:two")
    assert problems == 1
    assert words(said) == ["one", "two"]
    assert isinstance(said[-1], FileEnds)
    assert said[-1].heard_ms == 4_500
    assert "is cut short after 4.5 s" in said[-1].problem


async def test_what_kills_the_engine_twice_is_a_gap_and_the_rest_goes_on(tmp_path: Path) -> None:
    said, _ = await transcribed([recording(tmp_path / "a.wav", tones=1)], "crash")
    (gap,) = [message for message in said if isinstance(message, Gap)]
    assert gap.from_ms < 1_000 < 2_000 < gap.to_ms
    assert isinstance(said[-1], FileEnds)


async def test_a_crash_that_does_not_come_again_loses_nothing(tmp_path: Path) -> None:
    said, _ = await transcribed(
        [recording(tmp_path / "a.wav", tones=1)], "crash", "--once", str(tmp_path / "x")
    )
    assert words(said) == ["recovered"]


async def test_a_model_that_cannot_be_used_ends_it_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="model `fake` is torn"):
        await transcribed([recording(tmp_path / "a.wav")], "--unusable")


def test_a_missing_model_is_a_message(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert transcribe_live.body(["talk.wav", "--model", "nothing"]) == ExitCode.FAILED
    last = capfdbinary.readouterr().out.splitlines()[-1]
    assert isinstance(msgspec.json.decode(last, type=FileMessage), TranscriberFailed)


def test_the_demo_says_what_is_said_in_it(
    real_models: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as meeting:
        assert transcribe_live.body([str(meeting)]) == ExitCode.OK
    captured = capfdbinary.readouterr()
    said = [msgspec.json.decode(line, type=FileMessage) for line in captured.out.splitlines()]
    assert "spring catalog" in " ".join(words(said))
    assert b"spring" not in captured.err
