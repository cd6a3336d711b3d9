"""From any rate and number of channels to the suite's own sound; the one door to soxr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import soxr

from hearing.errors import AudioError
from hearing.types import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples, Samples

BLOCK_SAMPLES = SAMPLE_RATE_HZ // 25
"""40 ms: short beside a word, long beside the cost of a wake-up."""

SLOWEST_HZ, FASTEST_HZ = 1_000, 2_000_000


class Converter:
    """Mixes channels down and resamples, one take long; what the filter holds comes with `finish`."""

    def __init__(self, rate_hz: int) -> None:
        if not SLOWEST_HZ <= rate_hz <= FASTEST_HZ:
            raise AudioError(f"a rate of `{rate_hz}` Hz is no sound")
        self._resampler = (
            soxr.ResampleStream(rate_hz, SAMPLE_RATE_HZ, 1, dtype="float32", quality="HQ")
            if rate_hz != SAMPLE_RATE_HZ
            else None
        )

    def take(self, frames: FloatSamples) -> Samples:
        """Convert `(n_frames, n_channels) float32` in [-1, 1] to `(n_samples,) int16, 16 kHz`, maybe none."""
        mono = frames[:, 0] if frames.shape[1] == 1 else frames.mean(axis=1, dtype=np.float32)
        return _to_int16(self._resample(mono, last=False))

    def finish(self) -> Samples:
        """Give what the filter still held."""
        return _to_int16(self._resample(np.zeros(0, np.float32), last=True))

    def _resample(self, mono: FloatSamples, *, last: bool) -> FloatSamples:
        if self._resampler is None:
            return mono
        resampled: FloatSamples = self._resampler.resample_chunk(np.ascontiguousarray(mono), last=last)
        return resampled


def _to_int16(mono: FloatSamples) -> Samples:
    finite = np.nan_to_num(mono, nan=0.0, posinf=1.0, neginf=-1.0)
    clipped: FloatSamples = np.clip(np.rint(finite * np.float32(32_768.0)), -32_768, 32_767)
    return clipped.astype(np.int16)


class Blocks:
    """Cuts sound into blocks of one size; what is left over comes with `finish`."""

    def __init__(self, block_samples: int = BLOCK_SAMPLES) -> None:
        self._size = block_samples
        self._held: list[Samples] = []
        self._count = 0

    def take(self, samples: Samples) -> Iterator[Samples]:
        """Take sound and give whole blocks."""
        self._held.append(samples)
        self._count += len(samples)
        if self._count < self._size:
            return
        joined = np.concatenate(self._held)
        whole = len(joined) // self._size * self._size
        self._held, self._count = [joined[whole:]], len(joined) - whole
        for start in range(0, whole, self._size):
            yield joined[start : start + self._size]

    def finish(self) -> Iterator[Samples]:
        """Give the rest, if any."""
        if self._count:
            yield np.concatenate(self._held)
        self._held, self._count = [], 0
