"""Tones, and files that hold them."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_WAV_ENCODINGS = {"u8": (1, 8), "s16": (1, 16), "s24": (1, 24), "s32": (1, 32), "f32": (3, 32)}


def make_tone(hz: float, seconds: float, rate_hz: int, channels: int = 1, amplitude: float = 0.5) -> Floats:
    """Give the same sine on every channel, `(n_frames, n_channels)`."""
    at_s = np.arange(round(seconds * rate_hz)) / rate_hz
    mono = (amplitude * np.sin(2 * np.pi * hz * at_s)).astype(np.float32)
    return np.repeat(mono[:, None], channels, axis=1)


def encode_pcm(frames: Floats, encoding: str) -> bytes:
    """Write frames as raw little-endian PCM."""
    match encoding:
        case "u8":
            return np.clip(np.rint(frames * 127 + 128), 0, 255).astype("u1").tobytes()
        case "s16":
            return np.rint(frames * 32_767).astype("<i2").tobytes()
        case "s24":
            wide = np.rint(frames.astype(np.float64) * 8_388_607).astype("<i4").tobytes()
            return b"".join(wide[at : at + 3] for at in range(0, len(wide), 4))
        case "s32":
            return np.rint(frames.astype(np.float64) * 2_147_483_647).astype("<i4").tobytes()
        case _:
            return frames.astype("<f4").tobytes()


def write_wav_file(path: Path, frames: Floats, rate_hz: int, encoding: str = "s16") -> Path:
    """Write a WAV file of any encoding by hand: the standard library knows only integers."""
    code, bits = _WAV_ENCODINGS[encoding]
    channels, data = frames.shape[1], encode_pcm(frames, encoding)
    frame_bytes = channels * bits // 8
    head = struct.pack("<HHIIHH", code, channels, rate_hz, rate_hz * frame_bytes, frame_bytes, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    return path


def measure_hz(samples: NDArray[np.int16]) -> float:
    """Give the strongest frequency, from the middle of the sound, to about a hertz."""
    middle = samples[len(samples) // 8 : -len(samples) // 8 or None].astype(np.float64)
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle)), n=1 << 18))
    return float(np.argmax(spectrum) * 16_000 / (1 << 18))


@pytest.fixture
def tone() -> Callable[..., Floats]:
    return make_tone


@pytest.fixture
def write_wav() -> Callable[..., Path]:
    return write_wav_file


@pytest.fixture
def frequency() -> Callable[[NDArray[np.int16]], float]:
    return measure_hz


@pytest.fixture
def pcm() -> Callable[[Floats, str], bytes]:
    return encode_pcm
