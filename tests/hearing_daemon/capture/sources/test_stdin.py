"""Raw PCM in every layout."""

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing_daemon.capture.sources import stdin
from hearing_daemon.capture.spec import RawFormat, RawLayout

ENCODINGS = {RawFormat.U8: "u8", RawFormat.S16LE: "s16", RawFormat.S32LE: "s32", RawFormat.F32LE: "f32"}


def read(layout: RawLayout, data: bytes, *, chunk: int = 4_096) -> NDArray[np.int16]:
    """Read what another thread writes in chunks of odd sizes."""
    read_end, write_end = os.pipe()

    def write() -> None:
        with open(write_end, "wb", buffering=0) as pipe:
            for start in range(0, len(data), chunk):
                pipe.write(data[start : start + chunk])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        status, *blocks = stdin.read(layout, read_end)
    finally:
        os.close(read_end)
        writer.join()
    assert status == CaptureStatus("stdin", layout.rate_hz, layout.channels)
    sound: list[Any] = blocks
    return np.concatenate(sound) if sound else np.zeros(0, np.int16)


@pytest.mark.parametrize("sample", RawFormat)
@pytest.mark.parametrize(("rate_hz", "channels"), [(16_000, 1), (44_100, 2), (8_000, 6)])
def test_every_format_is_the_same_tone(
    sample: RawFormat,
    rate_hz: int,
    channels: int,
    tone: Callable[..., NDArray[np.float32]],
    pcm: Callable[[NDArray[np.float32], str], bytes],
    frequency: Callable[[NDArray[np.int16]], float],
) -> None:
    data = pcm(tone(440, 1.0, rate_hz, channels), ENCODINGS[sample])
    sound = read(RawLayout(rate_hz, channels, sample), data, chunk=997)
    assert len(sound) == pytest.approx(16_000, abs=1)
    assert frequency(sound) == pytest.approx(440, abs=1)
    assert np.abs(sound).max() == pytest.approx(16_384, rel=0.03)


def test_nothing_is_lost_at_the_end_of_an_odd_length() -> None:
    assert len(read(RawLayout(), bytes(2 * 12_345))) == 12_345


def test_an_empty_pipe_has_no_sound() -> None:
    assert len(read(RawLayout(), b"")) == 0


def test_a_torn_frame_at_the_end_is_said_after_the_whole_ones() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, bytes(4 * 100 + 3))
    os.close(write_end)
    source = stdin.read(RawLayout(channels=2), read_end)
    _, block = next(source), next(source)
    with pytest.raises(AudioError, match="middle of a frame of `4` bytes"):
        next(source)
    os.close(read_end)
    assert not isinstance(block, CaptureStatus)
    assert len(block) == 100
