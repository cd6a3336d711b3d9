"""The ring between PortAudio's thread and ours, and devices that are missing or refuse."""

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing.types import Channel
from hearing_daemon.capture.sources import portaudio
from hearing_daemon.capture.sources.portaudio import Ring


class FakePortAudioError(Exception):
    """What sounddevice raises."""


class FakeStream:
    """An input that takes only some numbers of channels and can be fed."""

    def __init__(self, accepts: set[int], channels: int, callback: Callable[..., None]) -> None:
        if channels not in accepts:
            raise FakePortAudioError(
                "Error opening RawInputStream: Invalid number of channels [PaErrorCode -9998]"
            )
        self.channels = channels
        self.callback = callback

    def start(self) -> None:
        """Give one block at once."""
        block = np.full((960, self.channels), 0.25, np.float32)
        self.callback(block.tobytes(), 960, None, types.SimpleNamespace(input_overflow=False))
        self.callback(block.tobytes(), 960, None, types.SimpleNamespace(input_overflow=True))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put a sounddevice in place whose only device accepts these numbers of channels."""

    def install(*accepts: int) -> None:
        info = {
            "name": "USB",
            "index": 0,
            "hostapi": 0,
            "max_input_channels": 8,
            "default_samplerate": 48_000.0,
        }

        def query(device: str | None = None, kind: str | None = None) -> Any:
            if device not in (None, "USB"):
                raise ValueError(f"No input device matching {device!r}")
            return info if kind else [info, info | {"name": "out", "index": 1, "max_input_channels": 0}]

        def stream(*, channels: int, callback: Callable[..., None], **_: Any) -> FakeStream:
            return FakeStream(set(accepts), channels, callback)

        module = types.SimpleNamespace(
            PortAudioError=FakePortAudioError,
            query_devices=query,
            query_hostapis=lambda: [{"name": "ALSA"}],
            default=types.SimpleNamespace(device={"input": 0}),
            RawInputStream=stream,
        )
        monkeypatch.setitem(sys.modules, "sounddevice", module)

    return install


@pytest.mark.parametrize(("accepts", "opened"), [((1, 2, 8), 1), ((2, 8), 2), ((8,), 8)])
def test_a_device_is_opened_with_as_few_channels_as_it_takes_at_its_own_rate(
    fake: Callable[..., None], accepts: tuple[int, ...], opened: int
) -> None:
    fake(*accepts)
    items = portaudio.read("auto", Channel.MIC)
    assert next(items) == CaptureStatus("USB (sounddevice)", 48_000, opened)
    later = next(item for item in items if isinstance(item, CaptureStatus))
    assert later.xruns == 1, "what the driver dropped is counted"


def test_a_device_that_refuses_everything_is_an_error_with_its_name(fake: Callable[..., None]) -> None:
    fake()
    with pytest.raises(AudioError, match=r"cannot open `USB`: .*invalid number of channels$"):
        portaudio.read("USB", Channel.MIC)


def test_a_name_that_is_not_there_is_an_error(fake: Callable[..., None]) -> None:
    fake(1)
    with pytest.raises(AudioError, match="finds no single device `x`"):
        portaudio.read("x", Channel.MIC)


def test_there_is_no_monitor_in_portaudio(fake: Callable[..., None]) -> None:
    fake(1)
    with pytest.raises(AudioError, match="no monitor") as caught:
        portaudio.read("auto", Channel.SYSTEM)
    assert "PulseAudio" in caught.value.hint


def test_only_inputs_are_listed(fake: Callable[..., None]) -> None:
    fake(1)
    [device] = portaudio.devices()
    assert (device.id, device.rate_hz, device.channels, device.is_default) == ("USB, ALSA", 48_000, 8, True)


def test_without_portaudio_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        """Raises as `import sounddevice` does where the library is missing."""

        def find_spec(self, name: str, *_: Any) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(AudioError, match=r"^PortAudio is not installed$") as caught:
        portaudio.read("auto", Channel.MIC)
    assert "install" in caught.value.hint


def test_a_ring_that_nobody_reads_keeps_the_newest_and_counts() -> None:
    ring = Ring(3)
    for index in range(5):
        ring.put(bytes([index]), overflowed=False)
    assert ring.take() == [b"\x02", b"\x03", b"\x04"]
    assert ring.xruns == 2
