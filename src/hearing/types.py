"""The vocabulary of speech: spans, channels and segments, shared by every room."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

DurationMs = NewType("DurationMs", int)

SAMPLE_RATE_HZ = 16_000
"""Rate of all audio inside the suite: what Whisper and Silero were trained on."""


class Channel(StrEnum):
    """Which leg a sound came in on; it comes from the device, never from the voice."""

    MIC = "mic"
    SYSTEM = "system"

    @property
    def is_me(self) -> bool:
        """Say whether this leg carries the user's own voice."""
        return self is Channel.MIC


class SpeakerStatus(StrEnum):
    """How sure the speaker label is."""

    MATCHED = "matched"
    UNCERTAIN = "uncertain"
    UNKNOWN = "unknown"
    NONE = "none"  # speaker identification is off


@dataclass(frozen=True, slots=True, order=True)
class TimeSpan:
    """A half-open stretch `[start_ms, end_ms)` of stream time, in integer milliseconds.

    Raises:
        ValueError: The end lies before the start, or the start before zero.
    """

    start_ms: int
    end_ms: int

    def __post_init__(self) -> None:
        if not 0 <= self.start_ms <= self.end_ms:
            raise ValueError(f"`{self.start_ms}`..`{self.end_ms}` is no time span: need 0 <= start <= end")

    @property
    def duration_ms(self) -> DurationMs:
        """Give the length; an empty span has none."""
        return DurationMs(self.end_ms - self.start_ms)

    def contains(self, at_ms: int) -> bool:
        """Say whether the instant lies inside; the end does not."""
        return self.start_ms <= at_ms < self.end_ms

    def overlaps(self, other: "TimeSpan") -> bool:
        """Say whether the two share at least one millisecond."""
        return self.start_ms < other.end_ms and other.start_ms < self.end_ms


@dataclass(frozen=True, slots=True)
class TranscriptSegment:
    """Finalized words of one leg over one span.

    `confidence` is 0 to 1 or None where the engine does not say; `speaker` is a display name
    or None where nobody was recognized.
    """

    span: TimeSpan
    text: str
    channel: Channel
    speaker: str | None = None
    language: str | None = None
    confidence: float | None = None

    @property
    def is_me(self) -> bool:
        """Say whether the user's own leg carried it."""
        return self.channel.is_me
