"""How fast the recognizer is against real time, as a running mean. No I/O."""

from dataclasses import dataclass
from typing import Final

WEIGHT: Final = 0.2
"""Of the newest utterance: about the last five count."""


@dataclass(frozen=True, slots=True)
class Pace:
    """`rtf` is recognition time over length of audio, None before the first utterance."""

    rtf: float | None = None


def recognized(pace: Pace, *, took_ms: int, audio_ms: int) -> Pace:
    """Count one utterance in."""
    newest = took_ms / max(1, audio_ms)
    return Pace(newest if pace.rtf is None else (1 - WEIGHT) * pace.rtf + WEIGHT * newest)
