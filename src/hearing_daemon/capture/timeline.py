"""Where sound stands in stream time: counted in samples, moved on by the clock at every new take."""

from dataclasses import dataclass

from hearing.types import SAMPLE_RATE_HZ, TimeSpan

_SAMPLES_PER_MS = SAMPLE_RATE_HZ // 1_000


@dataclass(frozen=True, slots=True)
class Timeline:
    """The next sample's place; a value, replaced by every step.

    Attributes:
        position_samples: Samples at 16 kHz since the daemon's start, missing ones included.
    """

    position_samples: int = 0

    @property
    def now_ms(self) -> int:
        """Give the start of the next sample, rounded down."""
        return self.position_samples // _SAMPLES_PER_MS

    def after(self, samples: int) -> "Timeline":
        """Take `samples` of sound."""
        return Timeline(self.position_samples + samples)

    def moved_to(self, at_ms: int) -> "Timeline":
        """Go on at `at_ms`; never backwards, so that no two sounds stand at the same instant."""
        return Timeline(max(self.position_samples, at_ms * _SAMPLES_PER_MS))

    def missing_until(self, later: "Timeline") -> TimeSpan | None:
        """Give the span nobody has between here and `later`, None when there is none."""
        return TimeSpan(self.now_ms, later.now_ms) if later.now_ms > self.now_ms else None
