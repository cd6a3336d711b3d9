"""A detector that calls loud sound speech: tests draw speech as a tone and pauses as silence."""

from typing import TYPE_CHECKING, Final

from hearing.interfaces import Vad

if TYPE_CHECKING:
    from hearing.interfaces import Samples

FRAME_SAMPLES: Final = 512


class LoudnessVad(Vad):
    """Rates a frame by its peak over full scale.

    Attributes:
        resets: How often it was told to forget.
        rated: How many frames it rated.
    """

    def __init__(self) -> None:
        self.resets = 0
        self.rated = 0

    @property
    def frame_samples(self) -> int:
        """Give Silero's frame."""
        return FRAME_SAMPLES

    def probability(self, frame: "Samples") -> float:
        """Rate a frame."""
        self.rated += 1
        return float(abs(frame.astype(float)).max()) / 32_768

    def reset(self) -> None:
        """Forget nothing, but count it."""
        self.resets += 1
