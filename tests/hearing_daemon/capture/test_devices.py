"""Legs over a real PulseAudio server: heard, unplugged, plugged in again, hung, killed."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from hearing.clock import SystemClock
from hearing.config import CaptureConfig
from hearing.messages.common import HealthState
from hearing.testing.pulse import ROOM, SPEAKERS, Pulse, PulseUnavailableError, pulse_server
from hearing.types import Channel
from hearing_daemon.capture import installed, legs
from hearing_daemon.capture.events import LegEvent, LegHealth, Missing, Sound
from hearing_daemon.capture.leg import Leg
from hearing_daemon.capture.options import CaptureOptions

DEADLINE_S = 60.0

ALSA_TO_PULSE = """
pcm.!default { type pulse }
ctl.!default { type pulse }
"""


@pytest.fixture
def pulse(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    """A server, and an environment in which every client finds it."""
    try:
        with pulse_server(home / "pulse") as server:
            for name, value in server.env.items():
                monkeypatch.setenv(name, value)
            yield server
    except PulseUnavailableError as why:
        pytest.skip(str(why))


def one_leg(**options: str) -> Leg:
    clock = SystemClock()
    [leg] = legs.build(CaptureOptions(**options), CaptureConfig(), clock, clock.monotonic_ms())  # type: ignore[arg-type]
    return leg


class Listener:
    """Reads a leg until something fits, and goes on where it was when asked again."""

    def __init__(self, leg: Leg) -> None:
        self.leg = leg
        self.events = leg.events()
        self.heard: list[NDArray[np.int16]] = []
        self.gaps: list[Missing] = []

    async def until(self, fits: Callable[[LegEvent], bool]) -> LegEvent:
        async with asyncio.timeout(DEADLINE_S):
            async for event in self.events:
                if isinstance(event, Sound):
                    self.heard.append(event.samples)
                if isinstance(event, Missing):
                    self.gaps.append(event)
                if fits(event):
                    return event
        raise AssertionError(f"{self.leg} has ended")

    async def until_state(self, state: HealthState) -> LegHealth:
        event = await self.until(lambda event: isinstance(event, LegHealth) and event.state is state)
        assert isinstance(event, LegHealth)
        return event

    async def hear(self, seconds: float) -> NDArray[np.int16]:
        self.heard.clear()
        await self.until(lambda _: sum(map(len, self.heard)) >= seconds * 16_000)
        return np.concatenate(self.heard)

    async def until_tone(self, hz: float, frequency: Callable[[NDArray[np.int16]], float]) -> None:
        """Listen until a second holds this tone at a level that is no accident."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                sound = await self.hear(1.0)
                if np.sqrt(np.mean(sound.astype(float) ** 2)) > 1_000 and abs(frequency(sound) - hz) < 3:
                    return

    async def close(self) -> None:
        await self.leg.close()
        await self.events.aclose()  # type: ignore[attr-defined]


@pytest.fixture
def playing(
    pulse: Pulse, home: Path, tone: Callable[..., NDArray[np.float32]], write_wav: Callable[..., Path]
) -> Iterator[Callable[[float, str], None]]:
    """Play a long tone into a sink; it stops with the test."""
    players = []

    def play(hz: float, sink: str) -> None:
        file = write_wav(home / f"{hz:g}.wav", tone(hz, 60.0, 48_000, 2), 48_000)
        players.append(pulse.play(file, sink))

    yield play
    for player in players:
        player.kill()
        player.wait()


@pytest.mark.parametrize("source", ["auto", f"pulse:{ROOM}.monitor"])
async def test_a_tone_in_the_room_is_heard_by_the_microphone(
    source: str, playing: Callable[[float, str], None], frequency: Callable[[NDArray[np.int16]], float]
) -> None:
    playing(880, ROOM)
    listener = Listener(one_leg(source=source))
    health = await listener.until_state(HealthState.LISTENING)
    assert "pulse: test_" in health.device, "it says which back end and which device"
    await listener.until_tone(880, frequency)
    await listener.close()


async def test_what_is_played_is_heard_on_the_system_leg(
    playing: Callable[[float, str], None], frequency: Callable[[NDArray[np.int16]], float]
) -> None:
    playing(660, SPEAKERS)
    leg = one_leg(mic="off", system="auto")
    assert leg.channel is Channel.SYSTEM
    listener = Listener(leg)
    await listener.until_tone(660, frequency)
    await listener.close()


@pytest.mark.skipif(not installed.has_portaudio(), reason="PortAudio is not installed")
async def test_portaudio_hears_it_at_the_devices_own_rate(
    home: Path, playing: Callable[[float, str], None], frequency: Callable[[NDArray[np.int16]], float]
) -> None:
    (home / ".asoundrc").write_text(ALSA_TO_PULSE)
    playing(880, ROOM)
    listener = Listener(one_leg(source="sounddevice"))
    health = await listener.until_state(HealthState.LISTENING)
    assert "(sounddevice)" in health.device
    await listener.until_tone(880, frequency)
    await listener.close()


async def test_a_microphone_that_is_unplugged_is_never_replaced_by_another_and_heard_again_when_it_is_back(
    pulse: Pulse, playing: Callable[[float, str], None], frequency: Callable[[NDArray[np.int16]], float]
) -> None:
    """The server moves the stream to another source by itself; nothing of that may be heard for long."""
    sink = pulse.load("module-null-sink", "sink_name=usb")
    playing(440, ROOM)
    listener = Listener(one_leg(mic="pulse:usb.monitor"))
    await listener.until_state(HealthState.LISTENING)

    pulse.unload(sink)
    lost = await listener.until_state(HealthState.REOPENING)
    assert "the device is gone" in lost.detail
    absent = await listener.until_state(HealthState.NO_DEVICE)
    assert absent.detail == "device `usb.monitor` is not there"

    pulse.load("module-null-sink", "sink_name=usb")
    playing(660, "usb")
    listener.heard.clear()
    await listener.until_state(HealthState.LISTENING)
    await listener.until_tone(660, frequency)
    assert [gap.reason for gap in listener.gaps] == ["reopened"]
    await listener.close()


async def test_a_server_that_dies_and_returns_is_found_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "pulse"
    with pulse_server(folder) as server:
        for name, value in server.env.items():
            monkeypatch.setenv(name, value)
        listener = Listener(one_leg(source="pulse"))
        await listener.until_state(HealthState.LISTENING)
    absent = await listener.until_state(HealthState.NO_DEVICE)
    assert absent.detail == "no PulseAudio server answers"
    folder.rename(home / "gone")
    with pulse_server(folder):
        await listener.until_state(HealthState.LISTENING)
        await listener.close()


@pytest.mark.parametrize(
    ("signum", "detail"), [(signal.SIGKILL, "was killed by signal 9"), (signal.SIGSTOP, "no data for 2 s")]
)
async def test_a_capture_child_that_dies_or_hangs_is_replaced(
    pulse: Pulse, signum: signal.Signals, detail: str
) -> None:
    listener = Listener(one_leg(source="pulse"))
    await listener.until_state(HealthState.LISTENING)
    [child] = [child for child in psutil.Process().children() if child.name() == "parec"]
    os.kill(child.pid, signum)
    lost = await listener.until_state(HealthState.REOPENING)
    assert detail in lost.detail
    await listener.until_state(HealthState.LISTENING)
    assert not child.is_running()
    await listener.close()


async def test_muting_leaves_no_stream_on_the_server(pulse: Pulse) -> None:
    listener = Listener(one_leg(source="pulse"))
    await listener.until_state(HealthState.LISTENING)
    assert "hearing" in pulse.pactl("list", "source-outputs")
    listener.leg.set_muted(True)
    await listener.until_state(HealthState.MUTED)
    async with asyncio.timeout(DEADLINE_S):
        # the server notices a dead client in its own time, and tells nobody
        while "hearing" in pulse.pactl("list", "source-outputs"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    listener.leg.set_muted(False)
    await listener.until_state(HealthState.LISTENING)
    await listener.close()


async def test_sound_stands_where_the_clock_says(pulse: Pulse) -> None:
    """Two seconds in, samples and clock have not drifted apart by more than buffers hold."""
    clock = SystemClock()
    started_ms = clock.monotonic_ms()
    [leg] = legs.build(CaptureOptions(source="pulse"), CaptureConfig(), clock, started_ms)
    lags: list[int] = []
    async with asyncio.timeout(DEADLINE_S), aclosing(leg.events()) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, Sound):
                end_ms = event.start_ms + len(event.samples) // 16
                lags.append(clock.monotonic_ms() - started_ms - end_ms)
                if len(lags) > 100:
                    break
    await leg.close()
    assert -50 < np.median(lags[-20:]) < 250, f"lags in ms: {lags[-20:]}"
