"""PortAudio: the one door to sounddevice.

Its device list is fixed at start and its stop can hang: that is why it lives in a process that is killed.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing.types import Channel
from hearing_daemon.capture.installed import missing_portaudio
from hearing_daemon.capture.sources.convert import Blocks, Converter
from hearing_daemon.capture.spec import AUTO

if TYPE_CHECKING:
    from hearing.interfaces import Samples

RING_S = 2
"""Sound the ring holds while nobody reads; older blocks are dropped and counted."""

_BLOCK_MS = 20


def load() -> Any:
    """Import sounddevice, which loads PortAudio and asks the machine for its devices.

    Raises:
        AudioError: PortAudio is not installed, or will not start.
    """
    try:
        import sounddevice
    except (OSError, ImportError):
        raise missing_portaudio() from None
    return sounddevice


class Ring:
    """Blocks from the callback to the reader: bounded, the oldest dropped first, what was lost counted."""

    def __init__(self, max_blocks: int) -> None:
        self._blocks: deque[bytes] = deque(maxlen=max_blocks)
        self._ready = threading.Event()
        self.xruns = 0

    def put(self, block: bytes, *, overflowed: bool) -> None:
        """Take one block; called by PortAudio's own thread, so it copies and counts, no more."""
        if overflowed or len(self._blocks) == self._blocks.maxlen:
            self.xruns += 1
        self._blocks.append(block)
        self._ready.set()

    def take(self) -> list[bytes]:
        """Wait for blocks and give all of them."""
        self._ready.wait()
        self._ready.clear()
        taken = []
        while self._blocks:
            taken.append(self._blocks.popleft())
        return taken


def read(device: str, leg: Channel) -> Iterator[Samples | CaptureStatus]:
    """Open an input device at its own rate, and give its sound for ever.

    Raises:
        AudioError: PortAudio is missing, or the device is not there or refuses.
    """
    sounddevice = load()
    if leg is Channel.SYSTEM and device == AUTO:
        raise AudioError(
            "PortAudio knows no monitor of what is played", hint="PulseAudio or PipeWire has one"
        )
    try:
        info = sounddevice.query_devices(None if device == AUTO else device, "input")
    except (sounddevice.PortAudioError, ValueError):  # ValueError: no device of that name, or several
        what = "finds no microphone" if device == AUTO else f"finds no single device `{device}`"
        raise AudioError(f"PortAudio {what}", hint="`hearing devices` lists what is there") from None
    try:
        stream, ring = _open(sounddevice, info)
    except sounddevice.PortAudioError as error:
        raise AudioError(f"PortAudio cannot open `{info['name']}`: {_sentence(error)}") from None
    return _sound(stream, ring, f"{info['name']} (sounddevice)", round(info["default_samplerate"]))


def _open(sounddevice: Any, info: dict[str, Any]) -> tuple[Any, Ring]:
    rate_hz = round(info["default_samplerate"])
    ring = Ring(RING_S * 1_000 // _BLOCK_MS)

    def callback(data: Any, _frames: int, _time: Any, status: Any) -> None:
        ring.put(bytes(data), overflowed=bool(status.input_overflow))

    for channels in dict.fromkeys((1, min(2, info["max_input_channels"]), info["max_input_channels"])):
        try:
            stream = sounddevice.RawInputStream(
                samplerate=rate_hz,
                blocksize=rate_hz * _BLOCK_MS // 1_000,
                device=info["index"],
                channels=channels,
                dtype="float32",
                latency="high",
                callback=callback,
            )
            stream.start()
        except sounddevice.PortAudioError as error:
            refused = error
        else:
            return stream, ring
    raise refused


def _sound(stream: Any, ring: Ring, name: str, rate_hz: int) -> Iterator[Samples | CaptureStatus]:
    converter, blocks, told = Converter(rate_hz), Blocks(), 0
    yield CaptureStatus(name, rate_hz, stream.channels)
    while True:
        for raw in ring.take():
            frames = np.frombuffer(raw, np.float32).reshape(-1, stream.channels)
            yield from blocks.take(converter.take(frames))
        if ring.xruns != told:
            told = ring.xruns
            yield CaptureStatus(name, rate_hz, stream.channels, xruns=told)


def _sentence(error: Exception) -> str:
    """Give PortAudio's own words without its numbers."""
    text = str(error.args[0]) if error.args else str(error)
    return text.partition(" [")[0].rstrip(".").lower()


@dataclass(frozen=True, slots=True)
class InputDevice:
    """One input PortAudio knows; its id also names the driver world it is in (ALSA, Core Audio, …)."""

    id: str
    name: str
    rate_hz: int
    channels: int
    is_default: bool


def devices() -> list[InputDevice]:
    """List the inputs; the first call loads PortAudio, which may take seconds.

    Raises:
        AudioError: PortAudio is missing, or will not say.
    """
    sounddevice = load()
    try:
        default = sounddevice.default.device["input"]
        host_apis = [api["name"] for api in sounddevice.query_hostapis()]
        found = sounddevice.query_devices()
    except sounddevice.PortAudioError as error:
        raise AudioError(f"PortAudio will not list devices: {_sentence(error)}") from None
    return [
        InputDevice(
            id=f"{info['name']}, {host_apis[info['hostapi']]}",
            name=info["name"],
            rate_hz=round(info["default_samplerate"]),
            channels=info["max_input_channels"],
            is_default=info["index"] == default,
        )
        for info in found
        if info["max_input_channels"] > 0
    ]
