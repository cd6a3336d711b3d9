"""Real capture children: what the daemon is told, and that none outlives its parent."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing.types import Channel
from hearing_daemon.capture.child import ChildSource
from hearing_daemon.capture.spec import DeviceSource, StdinSource

DEADLINE_S = 30.0
STATUS = CaptureStatus("test", 16_000, 1)


def child(code: str) -> ChildSource:
    """A source whose child runs this code instead of ours, with `send(frame)` at hand."""
    prelude = (
        "import os, signal, sys, time\n"
        "from hearing_daemon.capture import framing\n"
        "from hearing.interfaces import CaptureStatus\n"
        "def send(frame): sys.stdout.buffer.write(framing.encode(frame)); sys.stdout.buffer.flush()\n"
        "def say(line): print(line, file=sys.stderr, flush=True)\n"
    )
    return ChildSource(DeviceSource(), Channel.MIC, command=[sys.executable, "-c", prelude + code])


async def read_all(source: ChildSource) -> int:
    """Count samples until it ends."""
    samples = 0
    async with asyncio.timeout(DEADLINE_S), aclosing(source.blocks()) as blocks:
        async for item in blocks:
            samples += 0 if isinstance(item, CaptureStatus) else len(item)
    return samples


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("send(framing.Failure('device is gone', 'look'))", "^device is gone$"),
        ("sys.exit(3)", "^capture child exited with status 3$"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "^capture child was killed by signal 9$"),
        ("raise ValueError('torn')", "status 1: ValueError: torn$"),
        ("print('not a frame', flush=True)", "^capture child sent a frame of unknown kind `6e`$"),
        (
            "say('Stream moved to device b (3, not suspended).'); time.sleep(60)",
            "^the device is gone: the sound server moved us to `b`$",
        ),
    ],
)
async def test_every_death_has_a_sentence(code: str, sentence: str) -> None:
    source = child(code)
    with pytest.raises(AudioError, match=sentence):
        await read_all(source)
    await source.close()
    await source.close()
    assert source.pid is None


async def test_sound_before_a_failure_is_not_lost() -> None:
    source = child("send(framing.Pcm(bytes(3200))); send(framing.Failure('cut'))")
    async with asyncio.timeout(DEADLINE_S), aclosing(source.blocks()) as blocks:
        block = await anext(blocks)
        with pytest.raises(AudioError, match="cut"):
            await anext(blocks)
    await source.close()
    assert not isinstance(block, CaptureStatus)
    assert len(block) == 1_600


async def test_a_child_whose_sound_nobody_takes_is_closed_at_once() -> None:
    source = child("while True: send(framing.Pcm(bytes(1 << 14)))")
    async with asyncio.timeout(DEADLINE_S), aclosing(source.blocks()) as blocks:
        await anext(blocks)
        stdout = source._process.stdout if source._process else None
        while not getattr(stdout, "_paused", True):  # noqa: ASYNC110 - asyncio has no event for full buffers
            await asyncio.sleep(0.01)
        await source.close()
    assert source.pid is None


async def test_a_child_that_cannot_be_started_is_an_audio_error() -> None:
    source = ChildSource(DeviceSource(), Channel.MIC, command=["/nonexistent/program"])
    with pytest.raises(AudioError, match="capture child cannot be started"):
        await read_all(source)
    await source.close()


async def test_a_child_that_floods_stderr_is_neither_held_up_nor_remembered_whole() -> None:
    source = child("sys.stderr.write('x' * 3_000_000); send(framing.Pcm(bytes(20))); send(framing.End())")
    assert await read_all(source) == 10
    await source.close()


@pytest.mark.parametrize("stops_first", [False, True])
async def test_closing_kills_a_child_that_ignores_everything(stops_first: bool) -> None:
    source = child(
        "for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\n"
        "send(CaptureStatus('test', 1, 1)); time.sleep(600)"
    )
    async with asyncio.timeout(DEADLINE_S), aclosing(source.blocks()) as blocks:
        await anext(blocks)
        pid = source.pid
        assert pid is not None
        if stops_first:
            os.kill(pid, signal.SIGSTOP)
        await source.close()
    assert not psutil.pid_exists(pid)


PARENT = """
import asyncio, sys
from hearing.types import Channel
from hearing_daemon.capture.child import ChildSource
from hearing_daemon.capture.spec import parse

async def main():
    source = ChildSource(parse(sys.argv[1]), Channel.MIC)
    async for item in source.blocks():
        print(source.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a parent-death signal")
def test_no_child_outlives_a_killed_parent(tmp_path: Path) -> None:
    """The child is blocked in a read that no end of a pipe would wake."""
    read_end, write_end = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, "stdin"], stdin=read_end, stdout=subprocess.PIPE, text=True
    )
    os.close(read_end)
    assert parent.stdout is not None
    orphan = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    gone, alive = psutil.wait_procs([orphan], timeout=DEADLINE_S)
    os.close(write_end)
    assert not alive
    assert gone


async def test_a_pipe_is_the_childs_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    read_end, write_end = os.pipe()
    saved = os.dup(0)
    os.dup2(read_end, 0)
    try:
        os.write(write_end, bytes(32_000))
        os.close(write_end)
        source = ChildSource(StdinSource(speed=float("inf")), Channel.MIC)
        assert await read_all(source) == 16_000
        await source.close()
    finally:
        os.dup2(saved, 0)
        os.close(saved)
        os.close(read_end)
