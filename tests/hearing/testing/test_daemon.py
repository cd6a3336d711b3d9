"""The scripted daemon speaks as a daemon does."""

import asyncio
import sys
from pathlib import Path

import pytest

from hearing import paths
from hearing.messages import daemon
from hearing.messages.common import Hello
from hearing.protocol import DAEMON, encode
from hearing.testing.daemon import FakeDaemon, said
from hearing.transport.client import Down, Link, Up


async def test_a_subscriber_gets_hello_snapshot_and_the_script(runtime_dir: Path) -> None:
    link: Link[daemon.DaemonMessage] = Link(runtime_dir / paths.DAEMON_SOCKET, DAEMON)
    seen: list[object] = []
    async with FakeDaemon(runtime_dir) as fake:
        stream = link.stream()
        async for item in stream:
            seen.append(item)
            if isinstance(item, daemon.Snapshot):
                fake.play(said("hello there", seg_id=7))
            if isinstance(item, daemon.TurnEnd):
                break
        await stream.aclose()
    assert isinstance(seen[0], Up)
    assert [type(item).__name__ for item in seen[1:]] == [
        "Snapshot",
        "SpeechStart",
        "Partial",
        "SpeechStop",
        "Transcript",
        "SegmentDone",
        "TurnEnd",
    ]


async def test_it_returns_as_another_boot(runtime_dir: Path) -> None:
    link: Link[daemon.DaemonMessage] = Link(runtime_dir / paths.DAEMON_SOCKET, DAEMON)
    boots: list[str] = []
    fake = FakeDaemon(runtime_dir)
    await fake.start()
    stream = link.stream()
    async for item in stream:
        if isinstance(item, Up):
            boots.append(item.hello.boot_id)
            if len(boots) == 2:
                break
            await fake.stop()
        if isinstance(item, Down) and item.attempt == 1:
            fake = FakeDaemon(runtime_dir, boot_id="boot-2")
            await fake.start()
    await stream.aclose()
    await fake.stop()
    assert boots == ["boot-1", "boot-2"]


async def test_it_refuses_what_no_daemon_publishes(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake:
        with pytest.raises(TypeError, match="Hello"):
            fake.play([Hello(server="x", version="0", pid=1, boot_id="b")])


async def test_as_a_process_it_plays_a_file(runtime_dir: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_bytes(b"".join(encode(message) for message in said("one two")))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hearing.testing.daemon", str(script), "--every-ms", "1"
    )
    link: Link[daemon.DaemonMessage] = Link(runtime_dir / paths.DAEMON_SOCKET, DAEMON)
    stream = link.stream()
    async with asyncio.timeout(20):
        async for item in stream:
            if isinstance(item, daemon.TurnEnd):
                break
    await stream.aclose()
    process.terminate()
    assert await process.wait() == 0
