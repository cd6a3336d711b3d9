"""The capture child as a program: what it writes, how fast, and how it ends."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hearing.interfaces import CaptureStatus
from hearing_daemon.capture.framing import Decoder, End, Failure, Frame, Pcm

DEADLINE_S = 60.0
COMMAND = [sys.executable, "-m", "hearing_daemon.capture"]


def run(*words: str, stdin: bytes = b"") -> tuple[int, list[Frame]]:
    done = subprocess.run(
        [*COMMAND, *words], input=stdin, capture_output=True, timeout=DEADLINE_S, check=False
    )
    assert done.stderr == b""
    return done.returncode, list(Decoder().feed(done.stdout))


def sound_of(frames: list[Frame]) -> bytes:
    return b"".join(frame.data for frame in frames if isinstance(frame, Pcm))


@pytest.fixture
def recording(
    tmp_path: Path, tone: Callable[..., NDArray[np.float32]], write_wav: Callable[..., Path]
) -> Path:
    """One second of a tone."""
    return write_wav(tmp_path / "tone.wav", tone(440, 1.0, 16_000), 16_000)


def test_a_file_is_a_status_sound_in_short_blocks_and_an_end(recording: Path, home: Path) -> None:
    before = sorted(home.rglob("*"))
    code, frames = run("--source", str(recording), "--speed", "max")
    assert code == 0
    assert frames[0] == CaptureStatus("tone.wav", 16_000, 1)
    assert frames[-1] == End()
    assert {len(frame.data) for frame in frames if isinstance(frame, Pcm)} == {2 * 640}
    assert len(sound_of(frames)) == 32_000
    assert sorted(home.rglob("*")) == before, "sound is never written to disk"


def test_a_file_at_real_time_takes_as_long_as_it_is(recording: Path) -> None:
    reader = subprocess.Popen([*COMMAND, "--source", str(recording)], stdout=subprocess.PIPE)
    assert reader.stdout is not None
    reader.stdout.read(1)
    started_s = time.monotonic()
    reader.stdout.read()
    took_s = time.monotonic() - started_s
    reader.stdout.close()
    assert reader.wait(DEADLINE_S) == 0
    assert took_s > 0.95


def test_raw_pcm_comes_through(home: Path) -> None:
    code, frames = run(
        *("--source", "stdin", "--rate", "8000", "--channels", "2", "--format", "u8", "--speed", "max"),
        stdin=bytes([128]) * 16_000,
    )
    assert code == 0
    assert sound_of(frames) == bytes(32_000)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--source", "/nonexistent.wav"], "file `nonexistent.wav` cannot be read as sound"),
        (["--source", "pulse:"], "source `pulse:` names nothing"),
        (["--source", "stdin", "--rate", "3"], "rate `3` is not from"),
    ],
)
def test_a_failure_is_a_frame_with_a_sentence(words: list[str], sentence: str) -> None:
    code, frames = run(*words)
    assert code == 1
    last = frames[-1]
    assert isinstance(last, Failure)
    assert sentence in last.sentence


def test_it_ends_quietly_when_its_reader_has_gone(recording: Path) -> None:
    reader = subprocess.Popen(
        [*COMMAND, "--source", str(recording)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert reader.stdout is not None
    assert reader.stderr is not None
    reader.stdout.close()
    assert reader.wait(DEADLINE_S) == 1
    assert reader.stderr.read() == b""
    reader.stderr.close()


def test_it_starts_nothing_for_a_parent_that_is_gone() -> None:
    done = subprocess.run(
        [*COMMAND, "--source", "stdin"],
        env={**os.environ, "HEARING_PARENT_PID": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
