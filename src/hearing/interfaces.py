"""The seams of the suite as protocols: whoever implements one can be swapped, and faked in tests."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hearing.types import TranscriptSegment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]
    FloatSamples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CaptureStatus:
    """News from a source that is not sound: the device in use, its own rate, overflows counted so far.

    `warning` is a sentence for people when something is off and sound still flows.
    """

    device: str
    rate_hz: int
    channels: int
    xruns: int = 0
    warning: str = ""


@runtime_checkable
class CaptureSource(Protocol):
    """A microphone, a monitor, a file or a pipe that gives mono 16 kHz sound."""

    def describe(self) -> str:
        """Name the device or file for people."""
        ...

    def blocks(self) -> AsyncIterator["Samples | CaptureStatus"]:
        """Give sound as `(n_samples,) int16, 16 kHz` blocks, and statuses between them, until it ends.

        Raises:
            AudioError: It cannot be opened, or it broke.
        """
        ...

    async def close(self) -> None:
        """Let go of the device; safe to call twice."""
        ...


class Vad(Protocol):
    """Tells speech from the rest, one frame at a time."""

    @property
    def frame_samples(self) -> int:
        """Give the length of a frame it wants, in samples at 16 kHz."""
        ...

    def probability(self, frame: "Samples") -> float:
        """Rate one `(frame_samples,) int16, 16 kHz` frame from 0 (no speech) to 1."""
        ...

    def reset(self) -> None:
        """Forget the frames before; called at every new take."""
        ...


@dataclass(frozen=True, slots=True)
class Recognition:
    """What an engine made of one utterance; times in ms from its first sample.

    `no_speech` and `mean_logprob` are the engine's own doubts, None where it has none.
    """

    text: str
    start_ms: int
    end_ms: int
    language: str | None
    confidence: float | None
    no_speech: float | None = None
    mean_logprob: float | None = None


class SpeechToText(Protocol):
    """A recognizer of whole utterances; called from one thread only."""

    def transcribe(self, audio: "FloatSamples") -> Sequence[Recognition]:
        """Recognize `(n_samples,) float32, 16 kHz` in [-1, 1]; nothing heard gives an empty sequence."""
        ...


@runtime_checkable
class AgentConsumer(Protocol):
    """An agent over a transcript; the same one serves live and batch."""

    async def on_segment(self, segment: TranscriptSegment) -> str | None:
        """Take one finalized segment as it lands and give an insight, if any."""
        ...

    async def on_window(self, window: Sequence[TranscriptSegment]) -> str | None:
        """Take a turn, a window or the whole transcript and give an insight, if any."""
        ...


class FeedbackSink(Protocol):
    """Where insights go: an overlay, a file, stdout."""

    async def emit(self, insight: str) -> None:
        """Show one insight."""
        ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrieved piece of a document with where it stands and how well it fits."""

    text: str
    source: str
    score: float


class Retriever(Protocol):
    """Finds what a project's own documents say."""

    async def search(self, query: str, *, k: int = 3) -> Sequence[Chunk]:
        """Give the `k` best chunks, best first."""
        ...


class WebSearch(Protocol):
    """Finds what the world says; off unless the user turns it on, since the query leaves the machine."""

    async def search(self, query: str, *, k: int = 3) -> Sequence[Chunk]:
        """Give the `k` best results, best first."""
        ...
