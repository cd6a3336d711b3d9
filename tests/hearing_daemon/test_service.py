"""The daemon's loop, in this process: a real socket, a real worker process, a leg that a test drives."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hearing.clock import SystemClock
from hearing.config import Config, SttConfig, VadConfig
from hearing.errors import ModelError
from hearing.messages.common import Event, Health, HealthPart, HealthState, Hello, Transcript
from hearing.messages.daemon import DaemonMessage, Gap, Heartbeat, SegmentDone, Snapshot, TurnEnd
from hearing.paths import DAEMON_SOCKET, LISTENING_FILE
from hearing.protocol import DAEMON, OUTBOUND_LINE_BYTES, decode
from hearing.testing.vad import LoudnessVad
from hearing.transport.listen import claim
from hearing.types import Channel
from hearing_daemon import service as service_module
from hearing_daemon.capture.events import LegEvent, LegHealth, Missing, Overflow, Sound
from hearing_daemon.listening import ListeningFile
from hearing_daemon.recognizer import Recognizer
from hearing_daemon.service import Leg, Service

if TYPE_CHECKING:
    from hearing.interfaces import Samples

Draw = Callable[..., "Samples"]
FAKE_WORKER = Path(__file__).parent / "fake_worker.py"
DEADLINE_S = 20.0
CONFIG = Config(
    vad=VadConfig(pre_roll_ms=200, hang_over_ms=320, max_segment_ms=4_000), stt=SttConfig(backlog_s=10)
)


class DrivenLeg(Leg):
    """A leg that gives what a test puts in; `None` ends it."""

    def __init__(self, channel: Channel = Channel.MIC, *, pulled: bool = False, live: bool = True) -> None:
        self.channel, self.pulled, self.live = channel, pulled, live
        self.coming: asyncio.Queue[LegEvent | None] = asyncio.Queue()
        self.mutes: list[bool] = []
        self.started = asyncio.Event()
        self.closed = False
        self._at_ms = 0

    def hear(self, samples: "Samples") -> None:
        """Give sound that follows on what came before, 20 ms a block."""
        for at in range(0, len(samples), 320):
            block = samples[at : at + 320]
            self.coming.put_nowait(Sound(self.channel, self._at_ms, block))
            self._at_ms += len(block) // 16

    def give(self, *events: LegEvent | None) -> None:
        """Give anything else."""
        for event in events:
            self.coming.put_nowait(event)

    async def events(self) -> AsyncIterator[LegEvent]:
        """Give them."""
        self.started.set()
        while (event := await self.coming.get()) is not None:
            yield event

    def set_muted(self, muted: bool) -> None:
        """Note it."""
        self.mutes.append(muted)

    async def close(self) -> None:
        """Note it."""
        self.closed = True


@dataclass
class Running:
    """A service that runs, and everything that one subscriber got."""

    service: Service
    legs: list[DrivenLeg]
    socket: Path
    got: list[DaemonMessage] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, true: Callable[[], Any]) -> None:
        """Wait until something holds of what was got."""
        async with asyncio.timeout(DEADLINE_S):
            while not true():
                self.changed.clear()
                await self.changed.wait()

    async def follow(self) -> None:
        """Read the socket until it ends."""
        reader, writer = await asyncio.open_unix_connection(self.socket, limit=OUTBOUND_LINE_BYTES)
        try:
            while line := await reader.readline():
                self.got.append(decode(DAEMON, line))
                self.changed.set()
        finally:
            writer.close()

    def of(self, kind: type[Event]) -> list[Any]:
        """Give the messages of a kind."""
        return [message for message in self.got if isinstance(message, kind)]

    def health(self, part: HealthPart) -> list[HealthState]:
        """Give the states of a part, in order, from the snapshot on."""
        known = [*self.snapshot.health, *self.of(Health)] if len(self.got) > 1 else []
        return [health.state for health in known if health.part is part]

    @property
    def snapshot(self) -> Snapshot:
        """Give what was told at first."""
        assert isinstance(self.got[1], Snapshot)
        return self.got[1]

    @property
    def texts(self) -> list[str]:
        """Give all that was transcribed."""
        return [transcript.text for transcript in self.of(Transcript)]


@asynccontextmanager
async def running(
    runtime_dir: Path,
    *legs: DrivenLeg,
    worker: tuple[str, ...] = (),
    locate: Callable[[], Path] = lambda: Path("/nowhere"),
    config: Config = CONFIG,
    follow: bool = True,
) -> AsyncIterator[Running]:
    """Run a service until the block ends."""
    socket = runtime_dir / DAEMON_SOCKET
    clock = SystemClock()
    service = Service(
        claim(socket),
        Hello(server="hearing-daemon", version="0", pid=os.getpid(), boot_id="b"),
        config=config,
        legs=legs,
        build_vad=LoudnessVad,
        build_recognizer=lambda source: Recognizer(
            source,
            locate=locate,
            command=lambda weights: [sys.executable, str(FAKE_WORKER), *worker],
            clock=clock,
            sleep=lambda seconds: asyncio.sleep(min(seconds, 0.05)),
        ),
        listening=ListeningFile(runtime_dir),
        clock=clock,
    )
    serving = asyncio.create_task(service.run())
    room = Running(service, list(legs), socket)
    following = asyncio.create_task(room.follow()) if follow else None
    try:
        yield room
    finally:
        service.stop()
        async with asyncio.timeout(DEADLINE_S):
            await serving
            if following:
                await following
        assert not socket.exists()
        assert all(leg.closed for leg in legs)


async def test_the_socket_greets_before_the_model_is_loaded(runtime_dir: Path) -> None:
    async with running(runtime_dir, DrivenLeg(), worker=("--load-s", "60")) as room:
        await room.until(lambda: len(room.got) >= 2)
        assert isinstance(room.got[0], Hello)
        assert room.snapshot.legs == [Channel.MIC]
        assert HealthState.READY not in room.health(HealthPart.STT)


async def test_words_arrive_in_the_order_a_segment_lives(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("say:hello there",)) as room:
        leg.hear(sound(-500, 800, -2_000))
        await room.until(lambda: "turn_end" in kinds(room))
        lived = [kind for kind in kinds(room) if kind not in ("hello", "snapshot", "health", "heartbeat")]
        assert lived == ["speech_start", "speech_stop", "transcript", "segment_done", "turn_end"]
        seqs = [message.seq for message in room.got if isinstance(message, Event)]
        first = room.snapshot.last_seq + 1
        assert seqs == list(range(first, first + len(seqs)))


async def test_a_late_subscriber_is_told_what_is_open_and_what_was_said(
    runtime_dir: Path, sound: Draw
) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("say:hello",)) as room:
        leg.hear(sound(800, -500, 800))
        await room.until(lambda: room.of(SegmentDone) and kinds(room).count("speech_start") == 2)
        late = Running(room.service, room.legs, room.socket)
        following = asyncio.create_task(late.follow())
        await late.until(lambda: late.texts)
        assert [segment.seg_id for segment in late.snapshot.open] == [2]
        assert late.snapshot.model == "fake"
        assert late.texts == ["hello"]
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def test_an_utterance_that_kills_the_worker_is_dropped_once_and_the_rest_goes_on(
    runtime_dir: Path, sound: Draw
) -> None:
    leg = DrivenLeg()
    poison = np.full(16_000, 25_000, dtype=np.int16)
    async with running(runtime_dir, leg, worker=("--peak", "25000=crash", "say:rest")) as room:
        leg.hear(np.concatenate([poison, sound(-500, 800, -500)]))
        await room.until(lambda: len(room.of(SegmentDone)) == 2)
        first, second = room.of(SegmentDone)
        assert (first.seg_id, first.dropped, second.dropped) == (1, "worker_crash", None)
        assert [gap.reason for gap in room.of(Gap)] == ["worker_crash"]
        assert room.texts == ["rest"]
        assert room.health(HealthPart.STT).count(HealthState.RESTARTING) == 2


async def test_a_worker_killed_while_it_recognizes_loses_nothing(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("--rtf", "1", "say:kept")) as room:
        await room.until(lambda: HealthState.READY in room.health(HealthPart.STT))
        leg.hear(sound(1_500, -500))
        await room.until(lambda: "speech_stop" in kinds(room))
        await room.until(lambda: not room.service._speech.backlog.waiting)
        os.kill(room.service._recognizer.worker_pid or 0, signal.SIGKILL)
        await room.until(lambda: room.of(SegmentDone))
        assert room.texts == ["kept"]
        assert room.of(Gap) == []


async def test_a_missing_model_is_no_end_and_what_was_said_meanwhile_is_kept(
    runtime_dir: Path, sound: Draw
) -> None:
    leg, there = DrivenLeg(), False

    def locate() -> Path:
        if not there:
            raise ModelError("model `tiny.en` is not here", hint="`hearing models pull tiny.en`")
        return Path("/nowhere")

    async with running(runtime_dir, leg, worker=("say:kept",), locate=locate) as room:
        leg.hear(sound(800, -500))
        await room.until(lambda: "speech_stop" in kinds(room))
        assert room.health(HealthPart.STT) == [HealthState.NO_MODEL]
        there = True
        await room.until(lambda: room.texts)
        assert room.texts == ["kept"]


async def test_the_end_of_a_file_is_said_after_its_last_words(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg(pulled=True, live=False)
    leg.hear(sound(800))
    leg.give(LegHealth(Channel.MIC, HealthState.ENDED, device="talk.flac"), None)
    async with running(runtime_dir, leg, worker=("say:last words",)) as room:
        await room.until(lambda: HealthState.ENDED in room.health(HealthPart.MIC))
        tail = [kind for kind in kinds(room) if kind != "heartbeat"][-4:]
        assert tail == ["transcript", "segment_done", "turn_end", "health"]
        beats = len(room.of(Heartbeat))  # type: ignore[arg-type]
        await room.until(lambda: len(room.of(Heartbeat)) > beats)  # type: ignore[arg-type]


async def test_a_file_waits_for_its_first_subscriber(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "AUDIENCE_WAIT_S", 3_600.0)
    leg, live = DrivenLeg(live=False), DrivenLeg(Channel.SYSTEM)
    async with running(runtime_dir, leg, live, follow=False) as room:
        async with asyncio.timeout(DEADLINE_S):
            await live.started.wait()
        assert not leg.started.is_set()
        following = asyncio.create_task(room.follow())
        async with asyncio.timeout(DEADLINE_S):
            await leg.started.wait()
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def test_a_file_starts_alone_after_a_while(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "AUDIENCE_WAIT_S", 0.05)
    leg = DrivenLeg(live=False)
    async with running(runtime_dir, leg, follow=False), asyncio.timeout(DEADLINE_S):
        await leg.started.wait()


async def test_a_file_at_full_speed_is_held_while_there_is_no_room(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg(pulled=True)
    async with running(runtime_dir, leg, worker=("--load-s", "60")) as room:
        for _ in range(8):
            leg.hear(sound(3_000, -500))
        await room.until(lambda: kinds(room).count("speech_stop") >= 3)
        await room.until(lambda: any(beat.backlog_ms > 10_000 for beat in room.of(Heartbeat)))  # type: ignore[arg-type]
        assert not leg.coming.empty()
        assert room.of(Gap) == []


async def test_a_live_leg_is_never_held_and_loses_the_oldest(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("--load-s", "60")) as room:
        for _ in range(8):
            leg.hear(sound(3_000, -500))
        await room.until(lambda: kinds(room).count("speech_stop") == 8)
        assert [done.dropped for done in room.of(SegmentDone)] == ["backlog"] * 6
        assert len(room.of(Gap)) == 6


async def test_muting_closes_the_leg_and_nothing_is_heard(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("say:before", "say:after")) as room:
        leg.hear(sound(1_000))
        await room.until(lambda: "speech_start" in kinds(room))
        (runtime_dir / LISTENING_FILE).write_text("off\n")
        await room.until(lambda: "speech_stop" in kinds(room))
        assert leg.mutes == [False, True]
        leg.hear(sound(1_000, -500))
        leg.give(Missing(Channel.MIC, 2_500, 9_000, "muted"))
        await room.until(lambda: room.of(Gap))
        assert kinds(room).count("speech_start") == 1, "what was on its way was not heard"
        (runtime_dir / LISTENING_FILE).write_text("on\n")
        await room.until(lambda: leg.mutes == [False, True, False])
        leg.give(Sound(Channel.MIC, 9_000, sound(1_000, -500)))
        await room.until(lambda: len(room.texts) == 2)
        assert room.texts == ["before", "after"]


async def test_a_daemon_started_muted_stays_so(runtime_dir: Path) -> None:
    (runtime_dir / LISTENING_FILE).write_text("off\n")
    leg = DrivenLeg()
    async with running(runtime_dir, leg) as room:
        await room.until(lambda: len(room.got) >= 2)
        assert room.snapshot.muted
        async with asyncio.timeout(DEADLINE_S):
            await leg.started.wait()
        assert leg.mutes == [True]


@pytest.mark.parametrize("how", [HealthState.REOPENING, HealthState.NO_DEVICE])
async def test_a_device_lost_in_mid_sentence_gives_what_was_said_before_it_is_back(
    how: HealthState, runtime_dir: Path, sound: Draw
) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg) as room:
        await room.until(lambda: HealthState.READY in room.health(HealthPart.STT))
        leg.hear(sound(-300, 1_000))
        leg.give(LegHealth(Channel.MIC, how, device="headset"))
        await room.until(lambda: room.of(TurnEnd))
        assert len(room.texts) == 1
        assert room.health(HealthPart.MIC)[-1] is how


async def test_missing_sound_is_a_gap_and_ends_the_segment(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg) as room:
        leg.hear(sound(1_000))
        leg.give(Missing(Channel.MIC, 1_000, 5_000, "device lost"))
        await room.until(lambda: room.of(Gap))
        order = [kind for kind in kinds(room) if kind in ("speech_stop", "gap")]
        assert order == ["speech_stop", "gap"]
        assert (room.of(Gap)[0].from_ms, room.of(Gap)[0].to_ms) == (1_000, 5_000)


async def test_heartbeats_carry_levels_overflows_and_pace(runtime_dir: Path, sound: Draw) -> None:
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("--rtf", "0.2")) as room:
        leg.give(Overflow(Channel.MIC, 3))
        leg.hear(sound(800, -500))
        await room.until(lambda: room.of(SegmentDone))
        count = len(room.of(Heartbeat))  # type: ignore[arg-type]
        await room.until(lambda: len(room.of(Heartbeat)) > count)  # type: ignore[arg-type]
        beats = room.of(Heartbeat)  # type: ignore[arg-type]
        assert beats[-1].xruns == 3
        assert beats[-1].rtf == pytest.approx(0.2, rel=0.5)
        assert beats[-1].uptime_ms >= 0
        assert any((beat.level_dbfs[Channel.MIC] or -99) > -6 for beat in beats)


async def test_a_subscriber_that_speaks_is_closed_and_the_others_stay(runtime_dir: Path) -> None:
    async with running(runtime_dir, DrivenLeg()) as room:
        await room.until(lambda: len(room.got) >= 2)
        reader, writer = await asyncio.open_unix_connection(room.socket)
        writer.write(b"x")
        async with asyncio.timeout(DEADLINE_S):
            try:
                while await reader.read(4_096):
                    pass
            except ConnectionResetError:
                pass
        writer.close()
        count = len(room.got)
        await room.until(lambda: len(room.got) > count)


async def test_nothing_said_is_logged(
    runtime_dir: Path, sound: Draw, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    leg = DrivenLeg()
    async with running(runtime_dir, leg, worker=("say:canary",)) as room:
        leg.hear(sound(800, -500))
        await room.until(lambda: room.texts == ["canary"])
    assert "recognizer ready" in caplog.text
    assert "canary" not in caplog.text


def kinds(room: Running) -> list[str]:
    """Give the tags of all messages, in order."""
    return [str(message.__struct_config__.tag) for message in room.got]
