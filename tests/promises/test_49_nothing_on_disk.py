"""Promise 49: nothing is on disk unless asked for: after speech there are sockets, locks, and no word of it.

The meeting is piped into the daemon, with the assistant subscribed; every folder that a process of ours could
write to is a fresh one and is walked, and every file that one of them holds open for writing is looked at.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hearing.errors import ExitCode
from hearing.paths import ASSISTANT_SOCKET, DAEMON_SOCKET
from hearing.testing.processes import descendants, started
from hearing.testing.wire import Wire
from hearing_daemon.engine import read_sound
from hearing_daemon.stitch import normalized

if TYPE_CHECKING:
    import subprocess

ALLOWED = {"hearing-daemon.sock", "hearing-daemon.lock", "hearing-assistant.sock", "hearing-assistant.lock"}
SHARED_MEMORY = Path("/dev/shm")
MEETINGS_IN_AN_HOUR = 43


def meeting() -> bytes:
    """Give the demo meeting as raw PCM, s16le at 16 kHz."""
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as recording:
        return (read_sound(recording) * 32_767).astype(np.int16).tobytes()


@contextmanager
def stack(
    home: Path, models: Path, source_fd: int
) -> Iterator["tuple[subprocess.Popen[str], subprocess.Popen[str]]"]:
    """Run daemon and assistant in a home of their own, with the models outside."""
    scratch = home / "tmp"
    scratch.mkdir(mode=0o700)
    environment = {**os.environ, "TMPDIR": str(scratch), "HEARING_MODELS_DIR": str(models)}
    ours = {"env": environment, "cwd": scratch}
    listen = [sys.executable, "-m", "hearing_daemon", "--source", "stdin", "--speed", "max"]
    with (
        started(listen, **ours, stdin=source_fd) as daemon,
        started([sys.executable, "-m", "hearing_assistant"], **ours) as assistant,
    ):
        yield daemon, assistant


@contextmanager
def poured(sound: bytes, times: int) -> Iterator[int]:
    """Give the end of a pipe into which the sound is written, as fast as it is taken."""
    source_fd, sink_fd = os.pipe()

    def write() -> None:
        with os.fdopen(sink_fd, "wb") as sink, contextlib.suppress(BrokenPipeError):
            for _ in range(times):
                sink.write(sound)

    thread = threading.Thread(target=write, name="pour")
    thread.start()
    try:
        yield source_fd
    finally:
        os.close(source_fd)
        thread.join()


def written_by(pids: list[int]) -> set[Path]:
    """Give the regular files that any of these processes holds open for writing."""
    found = set()
    for pid in pids:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = entry.readlink()
                flags = Path(f"/proc/{pid}/fdinfo/{entry.name}").read_text(encoding="ascii").split()[3]
            except FileNotFoundError:  # closed meanwhile
                continue
            if int(flags, 8) & (os.O_WRONLY | os.O_RDWR) and target.is_file():
                found.add(target)
    return found


def on_disk(home: Path) -> set[Path]:
    """Give every file below the home and in shared memory."""
    places = [home, SHARED_MEMORY] if SHARED_MEMORY.is_dir() else [home]
    return {path for place in places for path in place.rglob("*") if not path.is_dir()}


async def heard(home: Path, runtime_dir: Path, models: Path, times: int) -> None:
    """Let the stack hear meetings, and look for them on disk meanwhile and afterwards."""
    before = on_disk(home)
    with poured(meeting(), times) as source_fd, stack(home, models, source_fd) as (daemon, assistant):
        wire = await subscribed(runtime_dir / DAEMON_SOCKET)
        await (await subscribed(runtime_dir / ASSISTANT_SOCKET)).close()
        pids = [daemon.pid, assistant.pid]
        texts: list[str] = []
        opened: set[Path] = set()
        while (message := await wire.message()).get("state") != "ended":
            if message["type"] == "transcript":
                texts.append(message["text"])
                opened |= written_by([*pids, *(child for pid in pids for child in descendants(pid))])
        meanwhile = on_disk(home)
        await wire.close()
        for process in (assistant, daemon):
            process.terminate()
            _, errors = await asyncio.to_thread(process.communicate, timeout=20)
            assert process.returncode == ExitCode.OK, errors
    assert len(texts) >= 10 * times
    assert {path.name for path in opened} <= ALLOWED
    left = (meanwhile | on_disk(home)) - before
    assert {path.name for path in left} <= ALLOWED
    assert not words_in([path for path in left if path.is_file()], texts)


async def subscribed(path: Path) -> Wire:
    """Connect as soon as somebody serves the socket."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                return await Wire.connect(path)
            await asyncio.sleep(0.02)


def words_in(paths: list[Path], texts: list[str]) -> list[Path]:
    """Give the files that hold three words in a row of any text."""
    found = []
    for path in paths:
        content = normalized_words(path.read_bytes().decode("utf-8", "replace"))
        for text in texts:
            words = normalized_words(text).split()
            if any(" ".join(words[at : at + 3]) in content for at in range(len(words) - 2)):
                found.append(path)
                break
    return found


def normalized_words(text: str) -> str:
    return " ".join(map(normalized, text.split()))


async def test_after_a_meeting(home: Path, runtime_dir: Path, real_models: Path) -> None:
    await heard(home, runtime_dir, real_models, 1)


@pytest.mark.long
@pytest.mark.timeout(3_600)
async def test_after_an_hour(home: Path, runtime_dir: Path, real_models: Path) -> None:
    await heard(home, runtime_dir, real_models, MEETINGS_IN_AN_HOUR)


def test_the_search_finds_words(tmp_path: Path) -> None:
    """The search itself must be able to fail."""
    (tmp_path / "log").write_text(json.dumps({"text": "Welcome Ben, let's talk."}), encoding="utf-8")
    assert words_in([tmp_path / "log"], ["welcome, Ben, let's go"])
    assert not words_in([tmp_path / "log"], ["nobody said this"])
