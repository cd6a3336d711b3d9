"""When a block of a file is due, so that a file sounds as if it were spoken now."""

from dataclasses import dataclass

from hearing.types import SAMPLE_RATE_HZ

SLACK_S = 0.5
"""Lateness that is caught up; beyond it the reader was held up on purpose, and time goes on from there."""


@dataclass(slots=True)
class Pace:
    """Due times by sample count alone: what one wait overshoots, the next one makes good.

    `speed` is a multiple of real time; infinity means that everything is due at once.
    """

    speed: float
    start_s: float | None = None
    samples: int = 0

    def wait_s(self, samples: int, now_s: float) -> float:
        """Give how long to wait before handing out the next `samples`: until the last of them was spoken."""
        if self.start_s is None:
            self.start_s = now_s
        self.samples += samples
        due_s = self.start_s + self.samples / (SAMPLE_RATE_HZ * self.speed)
        if now_s - due_s > SLACK_S:
            self.start_s += now_s - due_s
        return max(0.0, due_s - now_s)
