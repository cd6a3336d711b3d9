"""The seams are protocols: whoever has the methods fits, whoever lacks one does not."""

from collections.abc import AsyncIterator, Sequence

from hearing import interfaces
from hearing.types import TranscriptSegment


class Counter:
    """An agent that inherits nothing."""

    async def on_segment(self, segment: TranscriptSegment) -> str | None:
        return segment.text

    async def on_window(self, window: Sequence[TranscriptSegment]) -> str | None:
        return str(len(window))


class Source:
    """A source of no sound."""

    def describe(self) -> str:
        return "nothing"

    async def blocks(self) -> AsyncIterator[interfaces.CaptureStatus]:
        yield interfaces.CaptureStatus(device="nothing", rate_hz=16_000, channels=1)

    async def close(self) -> None:
        """Nothing to let go of."""


def test_an_agent_is_whatever_takes_segments_and_windows() -> None:
    assert isinstance(Counter(), interfaces.AgentConsumer)
    assert not isinstance(Source(), interfaces.AgentConsumer)


def test_a_source_is_whatever_gives_blocks_and_closes() -> None:
    assert isinstance(Source(), interfaces.CaptureSource)
    assert not isinstance(Counter(), interfaces.CaptureSource)
