"""The assistant's loop in this process: real sockets, a scripted daemon."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hearing import paths
from hearing.config import AssistantConfig
from hearing.errors import AlreadyRunningError
from hearing.messages import control
from hearing.messages.common import Health, HealthState, Partial, Transcript
from hearing.messages.daemon import TurnEnd
from hearing.protocol import CONTROL
from hearing.testing.daemon import FakeDaemon, said
from hearing.transport.client import Down, Link, Silent, Up
from hearing_assistant.service import Service


class Viewer:
    """A subscriber that remembers what it was sent."""

    def __init__(self, runtime_dir: Path) -> None:
        self.seen: list[control.ControlMessage] = []
        self._changed = asyncio.Event()
        self.link: Link[control.ControlMessage] = Link(
            runtime_dir / paths.ASSISTANT_SOCKET, CONTROL, opening=lambda: [control.Subscribe(viewer=True)]
        )

    async def run(self) -> None:
        async for item in self.link.stream():
            if not isinstance(item, Up | Down | Silent):
                self.seen.append(item)
                self._changed.set()

    def of(self, kind: type) -> list[control.ControlMessage]:
        return [item for item in self.seen if isinstance(item, kind)]

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():
                self._changed.clear()
                await self._changed.wait()

    async def got(self, kind: type, times: int = 1) -> control.ControlMessage:
        await self.until(lambda: len(self.of(kind)) >= times)
        return self.of(kind)[-1]


@asynccontextmanager
async def _serving(runtime_dir: Path, *, heartbeat_s: float = 5.0) -> AsyncIterator[tuple[Service, Viewer]]:
    service, stop = Service(runtime_dir, AssistantConfig(), heartbeat_s=heartbeat_s), asyncio.Event()
    viewer = Viewer(runtime_dir)
    running, watching = asyncio.create_task(service.run(stop)), asyncio.create_task(viewer.run())
    try:
        await viewer.got(control.Snapshot)
        yield service, viewer
    finally:
        watching.cancel()
        stop.set()
        await asyncio.gather(running, watching, return_exceptions=True)
    assert running.exception() is None


async def test_what_the_daemon_says_is_passed_on(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake, _serving(runtime_dir) as (_, viewer):
        await viewer.until(
            lambda: any(event.stt.healthy for event in viewer.of(control.SttChanged))  # type: ignore[union-attr]
        )
        fake.play(said("hello there", speaker="Efren", speaker_status="matched"))
        await viewer.got(TurnEnd)
        transcript, partial = viewer.of(Transcript)[0], viewer.of(Partial)[0]
    assert isinstance(transcript, Transcript)
    assert (transcript.text, transcript.speaker) == ("hello there", "Efren")
    assert isinstance(partial, Partial)
    assert (partial.stable, partial.unstable) == ("hello", "there")


async def test_before_a_daemon_was_ever_seen_it_serves_and_says_how_to_start_one(runtime_dir: Path) -> None:
    async with _serving(runtime_dir) as (_, viewer):
        snapshot = viewer.of(control.Snapshot)[0]
        assert isinstance(snapshot, control.Snapshot)
        assert snapshot.stt.hint == "start it with `hearing up`"
        viewer.link.send(control.StatusGet(request_id=7))
        status = await viewer.got(control.Status)
        assert isinstance(status, control.Status)
        assert (status.request_id, status.stt.connected, status.viewers) == (7, False, 1)


async def test_the_order_is_ack_snapshot_recent_lines_then_news(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake, _serving(runtime_dir) as (_, viewer):
        fake.play(said("one", seg_id=1))
        original = await viewer.got(Transcript)
        late = Viewer(runtime_dir)
        watching = asyncio.create_task(late.run())
        await late.got(Transcript)
        fake.play(said("two", seg_id=2))
        await late.got(Transcript, times=2)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    ack, snapshot, transcript, *_ = late.seen
    assert ack == control.Ack(command="subscribe")
    assert isinstance(snapshot, control.Snapshot)
    assert transcript == original


async def test_a_final_keeps_the_stamp_of_the_daemon(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake:
        played = [fake.publisher.publish(m) for m in said("early") if isinstance(m, Transcript)]
        async with _serving(runtime_dir) as (_, viewer):
            transcript = await viewer.got(Transcript)
    assert isinstance(transcript, Transcript)
    assert transcript.ts == played[0].ts


async def test_listen_is_acknowledged_written_and_told(runtime_dir: Path) -> None:
    async with _serving(runtime_dir) as (_, viewer):
        viewer.link.send(control.Listen(on=False))
        await viewer.until(lambda: control.Ack(command="listen") in viewer.seen)
        told = await viewer.got(control.SttChanged)
        assert isinstance(told, control.SttChanged)
        assert told.stt.muted
        assert (runtime_dir / "listening").read_text() == "off\n"
        assert viewer.seen.index(control.Ack(command="listen")) < viewer.seen.index(told)


async def test_a_listening_file_changed_by_hand_is_noticed(runtime_dir: Path) -> None:
    async with _serving(runtime_dir) as (_, viewer):
        (runtime_dir / "listening").write_text("off\n")
        told = await viewer.got(control.SttChanged)
        assert isinstance(told, control.SttChanged)
        assert told.stt.muted


async def test_mute_is_remembered_by_the_next_assistant(runtime_dir: Path) -> None:
    async with _serving(runtime_dir) as (_, viewer):
        viewer.link.send(control.Listen(on=False))
        await viewer.got(control.SttChanged)
    async with _serving(runtime_dir) as (_, viewer):
        snapshot = viewer.of(control.Snapshot)[0]
        assert isinstance(snapshot, control.Snapshot)
        assert snapshot.stt.muted


async def test_heartbeats_carry_the_daemons_backlog_and_level(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake, _serving(runtime_dir) as (_, viewer):
        await viewer.got(Health)
        fake.heartbeat(backlog=3, level_dbfs=-20.5)
        beat = await viewer.got(control.Heartbeat)
        await viewer.until(lambda: any(getattr(b, "seg", 0) == 3 for b in viewer.of(control.Heartbeat)))
        beat = viewer.of(control.Heartbeat)[-1]
    assert isinstance(beat, control.Heartbeat)
    assert (beat.seg, beat.inf, beat.busy, beat.level_dbfs) == (3, 0, False, {"mic": -20.5})
    assert viewer.of(control.Queue)


async def test_a_daemon_that_dies_and_returns_is_told_both_ways(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake, _serving(runtime_dir) as (service, viewer):
        await viewer.got(Health)
        fake.play(said("one", seg_id=1))
        await viewer.got(Transcript)
        await fake.stop()
        await viewer.until(
            lambda: any(isinstance(item, Health) and item.state is HealthState.FAILED for item in viewer.seen)
        )
        async with FakeDaemon(runtime_dir, boot_id="boot-2") as second:
            await second.subscribed()
            second.play(said("two", seg_id=1))
            await viewer.got(Transcript, times=2)
        texts = [line.transcript.text for line in service.transcripts.lines_from(0)]
        starts = [line.start_ms for line in service.transcripts.lines_from(0)]
    assert (texts, starts) == (["one", "two"], [0, 1_000])
    notices = [item.text for item in viewer.seen if isinstance(item, control.Notice)]
    assert notices[:3] == [
        "the daemon is there",
        "the daemon is gone: no daemon is running",
        "the daemon is there",
    ]


async def test_a_hung_daemon_is_unhealthy_until_it_beats_again(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake, _serving(runtime_dir, heartbeat_s=0.3) as (service, viewer):
        await viewer.until(lambda: any("hangs" in getattr(item, "text", "") for item in viewer.seen))
        assert not service.hearing.open
        fake.heartbeat()
        await viewer.until(lambda: any("speaks again" in getattr(item, "text", "") for item in viewer.seen))


async def test_a_second_one_is_refused_and_touches_nothing(runtime_dir: Path) -> None:
    async with _serving(runtime_dir) as (_, viewer):
        with pytest.raises(AlreadyRunningError):
            Service(runtime_dir, AssistantConfig())
        viewer.link.send(control.Clear())
        await viewer.got(control.Cleared)


async def test_asking_again_gets_a_fresh_snapshot(runtime_dir: Path) -> None:
    async with _serving(runtime_dir) as (_, viewer):
        viewer.link.send(control.Subscribe(viewer=False, name="n" * 1_000, request_id=2))
        await viewer.got(control.Snapshot, times=2)
        viewer.link.send(control.StatusGet())
        status = await viewer.got(control.Status)
    assert isinstance(status, control.Status)
    assert status.viewers == 0
