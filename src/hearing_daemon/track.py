"""One leg's sound on its way to segments: ring, VAD and segmenter at one place in stream time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hearing.interfaces import Vad
from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon import segmenter
from hearing_daemon.ring import AudioRing
from hearing_daemon.segmenter import Effect, Frame, Limits

if TYPE_CHECKING:
    from hearing.interfaces import Samples

SLACK_SAMPLES: Final = SAMPLE_RATE_HZ // 10
"""Block times are whole milliseconds of rounded rates: a block this near its place follows on."""
SILENCE_DBFS: Final = -96.0
"""The level of digital silence, and the least that int16 can tell from it."""


@dataclass
class Level:
    """The mean power since it was last read."""

    power: float = 0.0
    heard_samples: int = 0

    def add(self, samples: "Samples") -> None:
        """Take in sound."""
        scaled = samples.astype(np.float64)
        self.power += float(scaled @ scaled)
        self.heard_samples += len(samples)

    def read_dbfs(self) -> float | None:
        """Give the RMS level in dBFS since the last reading, or None when nothing came."""
        if not self.heard_samples:
            return None
        rms = math.sqrt(self.power / self.heard_samples) / 32_768
        self.power, self.heard_samples = 0.0, 0
        return max(SILENCE_DBFS, round(20 * math.log10(rms), 1)) if rms > 0 else SILENCE_DBFS


class Track:
    """Follows one leg.

    Args:
        vad: The leg's own detector.
        limits: When speech begins and ends.
    """

    def __init__(self, vad: Vad, limits: Limits) -> None:
        self.level = Level()
        self._vad = vad
        self._limits = limits
        self._ring = AudioRing(limits.max_segment + limits.pre_roll + limits.hang_over + SAMPLE_RATE_HZ)
        self._state = segmenter.State()
        self._rated = 0

    @property
    def now_ms(self) -> int:
        """Give the stream time of the newest sample."""
        return self._ring.end * 1_000 // SAMPLE_RATE_HZ

    def hear(self, start_ms: int, samples: "Samples") -> Iterator[Effect]:
        """Take a block that begins at `start_ms`; a jump in time ends what was open.

        Act on each effect before asking for the next: its sound may leave the ring.
        """
        start = start_ms * SAMPLE_RATE_HZ // 1_000
        if abs(start - self._ring.end) > SLACK_SAMPLES:
            yield from self.restart(start)
        self.level.add(samples)
        for at in range(0, len(samples), SAMPLE_RATE_HZ):  # a second at a time: the ring can spare that much
            self._ring.append(samples[at : at + SAMPLE_RATE_HZ])
            yield from self._rate_whole_frames()

    def restart(self, at: int) -> Iterator[Effect]:
        """End what is open and begin a new take at sample `at`."""
        yield from self.flush()
        self._ring.restart(at)
        self._state = segmenter.restart(at)
        self._rated = at

    def flush(self) -> Iterator[Effect]:
        """End what is open, the last fraction of a frame included: nothing follows it."""
        rest = self._ring.between(self._rated, self._ring.end)
        if len(rest):
            yield from self._rate(np.pad(rest, (0, self._vad.frame_samples - len(rest))), self._ring.end)
        self._state, effects = segmenter.flush(self._limits, self._state)
        self._vad.reset()
        yield from effects

    def audio(self, start: int, end: int) -> "Samples":
        """Copy the sound of a segment."""
        return self._ring.between(start, end)

    def _rate_whole_frames(self) -> Iterator[Effect]:
        length = self._vad.frame_samples
        while self._rated + length <= self._ring.end:
            end = self._rated + length
            yield from self._rate(self._ring.between(self._rated, end), end)

    def _rate(self, sound: "Samples", end: int) -> tuple[Effect, ...]:
        frame = Frame(self._rated, end, self._vad.probability(sound))
        self._state, effects = segmenter.step(self._limits, self._state, frame)
        self._rated = end
        return effects
