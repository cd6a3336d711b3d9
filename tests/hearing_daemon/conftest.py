"""Property tests have no deadline here either; utterances and sound out of nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import settings

from hearing.types import SAMPLE_RATE_HZ, Channel, TimeSpan
from hearing_daemon.utterance import Utterance

if TYPE_CHECKING:
    from hearing.interfaces import Samples

settings.register_profile("hearing", deadline=None)
settings.load_profile("hearing")


@pytest.fixture
def utterance() -> Callable[..., Utterance]:
    """Make an utterance of silence on the `mic` leg that began at 0."""

    def make(seg_id: int, duration_ms: int = 1_000, *, pulled: bool = False) -> Utterance:
        return Utterance(
            seg_id=seg_id,
            leg=Channel.MIC,
            span=TimeSpan(0, duration_ms),
            speech_end_ms=duration_ms,
            samples=np.zeros(duration_ms * SAMPLE_RATE_HZ // 1_000, dtype=np.int16),
            repeats=False,
            pulled=pulled,
            closed_at_ms=1_000_000,
        )

    return make


@pytest.fixture
def sound() -> "Callable[..., Samples]":
    """Draw sound: positive milliseconds are speech to a `LoudnessVad`, negative ones silence."""

    def draw(*runs_ms: int) -> "Samples":
        parts = [
            np.full(abs(ms) * SAMPLE_RATE_HZ // 1_000, 29_000 if ms > 0 else 0, dtype=np.int16)
            for ms in runs_ms
        ]
        return np.concatenate(parts)

    return draw
