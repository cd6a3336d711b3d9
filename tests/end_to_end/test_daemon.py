"""The real daemon on its real socket, with the real recognizer on the recording that ships."""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import psutil
import pytest

from hearing.errors import ExitCode
from hearing.paths import DAEMON_SOCKET, LISTENING_FILE
from hearing.testing.processes import is_alive, started, wait_for
from hearing.testing.wire import Wire
from hearing_daemon.stitch import normalized

DEMO = Path(str(files("hearing_cli.demo_data")))
MEETING = DEMO / "meeting.flac"
REFERENCE = json.loads((DEMO / "meeting.json").read_text(encoding="utf-8"))
MODELS_DIR = os.environ.get("HEARING_MODELS_DIR") or str(
    Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hearing" / "models"
)
DEADLINE_S = 30.0

Message = dict[str, Any]


@contextmanager
def daemon(*options: str, **more: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a daemon in the test's own home."""
    with started([sys.executable, "-m", "hearing_daemon", *options], env={**os.environ, **more}) as process:
        yield process


async def subscribed(runtime_dir: Path, process: "subprocess.Popen[str]") -> Wire:
    """Connect as soon as the socket is served."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            assert process.poll() is None, process.communicate()[1]
            try:
                return await Wire.connect(runtime_dir / DAEMON_SOCKET)
            except (FileNotFoundError, ConnectionRefusedError):  # not bound yet, or stale
                await asyncio.sleep(0.02)


async def health(wire: Wire, part: str, *states: str) -> Message:
    """Read on until a part is in one of the states; the snapshot counts."""
    while True:
        message = await wire.message()
        for said in message["health"] if message["type"] == "snapshot" else [message]:
            if said["type"] == "health" and said["part"] == part and said["state"] in states:
                return dict(said)


def worker_of(process: "subprocess.Popen[str]") -> psutil.Process | None:
    """Find the daemon's speech worker."""
    children = psutil.Process(process.pid).children()
    return next((child for child in children if "hearing_daemon.worker" in child.cmdline()), None)


def ended(process: "subprocess.Popen[str]", signum: int = signal.SIGTERM) -> tuple[int, str]:
    """Ask it to end, and give its exit status and stderr."""
    process.send_signal(signum)
    _, errors = process.communicate(timeout=20)
    return process.returncode, errors


@dataclass
class Run:
    """All of one run over the whole meeting."""

    messages: list[Message]
    left: list[Path]
    errors: str
    status: int
    spoke_closed: bool

    def of(self, kind: str) -> list[Message]:
        """Give the messages of a type."""
        return [message for message in self.messages if message["type"] == kind]

    @property
    def text(self) -> str:
        """Give everything that was transcribed."""
        return " ".join(message["text"] for message in self.of("transcript"))


@pytest.fixture(scope="module")
def meeting() -> Run:
    """Play the whole meeting at full speed, beside a client that speaks and one that is deaf."""
    home = Path(tempfile.mkdtemp(prefix="h-"))
    (home / "run").mkdir(mode=0o700)
    (home / "tmp").mkdir(mode=0o700)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "HEARING_"))},
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "HEARING_RUNTIME_DIR": str(home / "run"),
        "HEARING_MODELS_DIR": MODELS_DIR,
    }
    argv = [sys.executable, "-m", "hearing_daemon", "--verbose", "--source", str(MEETING), "--speed", "max"]

    async def play() -> Run:
        with started(argv, env=environment, cwd=home / "tmp") as process:
            wire = await subscribed(home / "run", process)
            deaf = await Wire.connect(home / "run" / DAEMON_SOCKET)
            deaf.stop_reading()
            speaking = await Wire.connect(home / "run" / DAEMON_SOCKET)
            speaking.send(b"x")
            spoke_closed = bool(await speaking.rest() or True)
            messages = [await wire.message()]
            while messages[-1].get("state") != "ended":
                messages.append(await wire.message())
            left = [path for path in home.rglob("*") if not path.is_dir()]
            status, errors = ended(process)
            for each in (wire, deaf, speaking):
                await each.close()
        left += [path for path in home.rglob("*") if not path.is_dir() and path not in left]
        return Run(messages, left, errors, status, spoke_closed)

    return asyncio.run(play())


@pytest.mark.usefixtures("real_models")
class TestMeeting:
    """One run of the meeting, looked at from all sides."""

    def test_every_segment_lives_in_order(self, meeting: Run) -> None:
        where = {
            (message["type"], message["seg_id"]): index
            for index, message in enumerate(meeting.messages)
            if "seg_id" in message
        }
        turn_of = {
            seg_id: meeting.messages.index(turn)
            for turn in meeting.of("turn_end")
            for seg_id in turn["seg_ids"]
        }
        segments = [message["seg_id"] for message in meeting.of("speech_start")]
        assert segments == list(range(1, len(segments) + 1))
        for seg_id in segments:
            life = [
                where[kind, seg_id] for kind in ("speech_start", "speech_stop", "transcript", "segment_done")
            ]
            assert [*life, turn_of[seg_id]] == sorted([*life, turn_of[seg_id]])

    def test_nothing_is_dropped(self, meeting: Run) -> None:
        assert [done["dropped"] for done in meeting.of("segment_done")] == [None] * len(
            meeting.of("speech_start")
        )
        assert meeting.of("gap") == []

    def test_transcripts_are_in_order_and_sequence_numbers_without_a_hole(self, meeting: Run) -> None:
        starts = [message["start_ms"] for message in meeting.of("transcript")]
        assert starts == sorted(starts)
        seqs = [message["seq"] for message in meeting.messages if "seq" in message]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))

    def test_at_most_a_tenth_of_the_words_is_wrong(self, meeting: Run) -> None:
        said = " ".join(turn["text"] for turn in REFERENCE["turns"])
        reference, heard = (" ".join(map(normalized, text.split())) for text in (said, meeting.text))
        # a number said in words and written in figures counts as wrong here: `hearing demo` knows better
        assert jiwer.wer(reference, heard) <= 0.10

    def test_nothing_said_is_logged(self, meeting: Run) -> None:
        logged = " ".join(map(normalized, meeting.errors.split()))
        words = [normalized(word) for word in meeting.text.split()]
        assert len(words) > 150
        assert "recognizer ready" in logged
        for at in range(len(words) - 2):
            assert " ".join(words[at : at + 3]) not in logged

    def test_nothing_is_left_on_disk_but_sockets_and_locks(self, meeting: Run) -> None:
        assert {path.name for path in meeting.left} == {"hearing-daemon.sock", "hearing-daemon.lock"}

    def test_a_client_that_speaks_is_closed_and_a_deaf_one_delays_nobody(self, meeting: Run) -> None:
        assert meeting.spoke_closed
        assert len(meeting.of("transcript")) >= 10

    def test_it_ends_well(self, meeting: Run) -> None:
        assert meeting.status == ExitCode.OK
        assert "Traceback" not in meeting.errors


@pytest.fixture
def excerpt(home: Path) -> Path:
    """Give the first 10 s of the meeting as a WAV file: two turns."""
    from hearing_daemon.engine import read_sound

    samples = (read_sound(MEETING)[: 10 * 16_000] * 32_767).astype(np.int16)
    path = home / "excerpt.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(samples.tobytes())
    return path


@pytest.mark.usefixtures("real_models")
async def test_a_worker_killed_in_mid_utterance_costs_no_word(runtime_dir: Path, excerpt: Path) -> None:
    with daemon("--source", str(excerpt), "--speed", "max") as process:
        wire = await subscribed(runtime_dir, process)
        await health(wire, "stt", "ready")
        worker = worker_of(process)
        assert worker is not None
        worker.suspend()  # of two utterances it holds one, so that the other waits
        while (await wire.until("heartbeat"))["backlog"] != 1:
            pass
        worker.kill()
        await health(wire, "stt", "restarting")
        texts = [(await wire.until("transcript"))["text"] for _ in range(2)]
        assert "catalog" in texts[0]
        assert "proofs" in texts[1]
        await wire.close()
        assert ended(process)[0] == ExitCode.OK


async def test_without_a_model_it_runs_and_says_how_to_get_one(runtime_dir: Path, home: Path) -> None:
    with daemon("--source", str(MEETING), "--speed", "max", HEARING_MODELS_DIR=str(home / "none")) as process:
        wire = await subscribed(runtime_dir, process)
        said = await health(wire, "stt", "no_model")
        assert "tiny.en" in said["detail"]
        assert "hearing models pull tiny.en" in said["hint"]
        assert (await wire.until("speech_stop"))["seg_id"] == 1
        await wire.close()


async def test_the_listening_file_mutes_and_unmutes(runtime_dir: Path, home: Path) -> None:
    with daemon("--source", str(MEETING), HEARING_MODELS_DIR=str(home / "none")) as process:
        wire = await subscribed(runtime_dir, process)
        await wire.until("speech_start")
        (runtime_dir / LISTENING_FILE).write_text("off\n")
        await wire.until("speech_stop")
        await health(wire, "mic", "muted")
        late = await Wire.connect(runtime_dir / DAEMON_SOCKET)
        assert (await late.until("snapshot"))["muted"]
        (runtime_dir / LISTENING_FILE).write_text("on\n")
        await health(wire, "mic", "listening")
        await wire.until("speech_start")
        await wire.close()
        await late.close()


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_cleanly_with_its_children(
    runtime_dir: Path, real_models: Path, signum: signal.Signals
) -> None:
    with daemon("--source", str(MEETING)) as process:
        wire = await subscribed(runtime_dir, process)
        await wire.until("speech_start")
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) == 2, "capture and worker"
        began_s = time.monotonic()
        status, errors = ended(process, signum)
        assert status == ExitCode.OK, errors
        assert time.monotonic() - began_s < 2.0
        assert not any(is_alive(child.pid) for child in children)
        assert not (runtime_dir / DAEMON_SOCKET).exists()
        await wire.close()


async def test_a_second_start_is_refused_and_the_first_unharmed(runtime_dir: Path, home: Path) -> None:
    none = str(home / "none")
    with daemon("--source", str(MEETING), HEARING_MODELS_DIR=none) as first:
        wire = await subscribed(runtime_dir, first)
        with daemon("--source", str(MEETING), HEARING_MODELS_DIR=none) as second:
            _, errors = second.communicate(timeout=20)
            assert second.returncode == ExitCode.TEMPORARY
            assert f"pid {first.pid}" in errors
        await wire.until("heartbeat")
        await wire.until("heartbeat")
        late = await Wire.connect(runtime_dir / DAEMON_SOCKET)
        assert (await late.until("hello"))["pid"] == first.pid
        await wire.close()
        await late.close()


async def test_killed_it_leaves_nobody_behind_and_starts_again(runtime_dir: Path, real_models: Path) -> None:
    with daemon("--source", str(MEETING)) as process:
        wire = await subscribed(runtime_dir, process)
        await wire.until("speech_start")
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) == 2
        worker = worker_of(process)
        assert worker is not None
        worker.suspend()  # busy in a native call, it would not notice a closed pipe either
        process.kill()
        process.wait()
        wait_for(lambda: not any(is_alive(child.pid) for child in children), "no orphan", timeout_s=3)
        await wire.close()
    with daemon("--source", str(MEETING)) as again:
        wire = await subscribed(runtime_dir, again)
        assert (await wire.until("hello"))["pid"] == again.pid
        await wire.close()


def test_the_socket_is_private(runtime_dir: Path, home: Path) -> None:
    with daemon("--source", str(MEETING), HEARING_MODELS_DIR=str(home / "none")) as process:
        path = runtime_dir / DAEMON_SOCKET
        wait_for(path.exists, "a socket")
        for name in (DAEMON_SOCKET, "hearing-daemon.lock"):
            assert stat.S_IMODE((runtime_dir / name).stat().st_mode) == 0o600
        assert ended(process)[0] == ExitCode.OK


@pytest.mark.parametrize(
    ("options", "status", "sentence"),
    [
        (("--source", "/nowhere/talk.wav"), ExitCode.FAILED, "`/nowhere/talk.wav` does not exist"),
        (("--source", ""), ExitCode.USAGE, "names nothing"),
        (("--mic", "off"), ExitCode.USAGE, "both legs are `off`"),
        (("--source", str(MEETING), "--speed", "fast"), ExitCode.USAGE, "speed `fast`"),
        (("--source", str(MEETING), "--config", "/nowhere/c.toml"), ExitCode.CONFIG, "does not exist"),
        (("--source", str(MEETING), "--runtime-dir", "relative"), ExitCode.CONFIG, "not an absolute path"),
    ],
)
def test_a_mistake_is_one_clear_line(
    runtime_dir: Path, options: tuple[str, ...], status: ExitCode, sentence: str
) -> None:
    with daemon(*options) as process:
        _, errors = process.communicate(timeout=30)
        assert process.returncode == status, errors
        assert sentence in errors
        assert "Traceback" not in errors
        assert not (runtime_dir / DAEMON_SOCKET).exists()


async def test_a_file_that_is_no_sound_is_a_health_state(runtime_dir: Path, home: Path) -> None:
    garbage = home / "talk.wav"
    garbage.write_bytes(bytes(range(256)) * 100)
    with daemon("--source", str(garbage), HEARING_MODELS_DIR=str(home / "none")) as process:
        wire = await subscribed(runtime_dir, process)
        said = await health(wire, "mic", "ended", "failed", "no_device", "degraded")
        assert "talk.wav" in said["device"] + said["detail"]
        await wire.until("heartbeat")
        await wire.close()
        status, errors = ended(process)
        assert status == ExitCode.OK
        assert "Traceback" not in errors


def test_a_folder_in_place_of_the_socket_is_left_alone(runtime_dir: Path) -> None:
    (runtime_dir / DAEMON_SOCKET).mkdir()
    with daemon("--source", str(MEETING)) as process:
        _, errors = process.communicate(timeout=30)
        assert process.returncode == ExitCode.CONFIG
        assert "is no socket" in errors
    assert (runtime_dir / DAEMON_SOCKET).is_dir()


async def test_a_stale_socket_is_no_hindrance(runtime_dir: Path, home: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stale:
        stale.bind(str(runtime_dir / DAEMON_SOCKET))
    with daemon("--source", str(MEETING), HEARING_MODELS_DIR=str(home / "none")) as process:
        wire = await subscribed(runtime_dir, process)
        assert (await wire.until("hello"))["pid"] == process.pid
        await wire.close()
        assert ended(process)[0] == ExitCode.OK
