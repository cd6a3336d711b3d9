"""One closed segment on its way through the recognizer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hearing.types import Channel, DurationMs, TimeSpan

if TYPE_CHECKING:
    from hearing.interfaces import Samples


@dataclass(frozen=True, slots=True, eq=False)
class Utterance:
    """What is recognized as one: `samples` is `(n_samples,) int16, 16 kHz` of `span`.

    `speech_end_ms` is where its last speech ended; `repeats` says that its beginning repeats the end of the
    segment before; `pulled` that its source waits for us and nothing of it may be dropped; `closed_at_ms`
    is the machine's monotonic clock when it was closed.
    """

    seg_id: int
    leg: Channel
    span: TimeSpan
    speech_end_ms: int
    samples: "Samples"
    repeats: bool
    pulled: bool
    closed_at_ms: int

    @property
    def duration_ms(self) -> DurationMs:
        """Give the length of its sound."""
        return self.span.duration_ms
