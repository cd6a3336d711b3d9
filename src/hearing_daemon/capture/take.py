"""One take: a source from its opening to its closing, read with patience and a hand on the shoulder."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

from hearing.errors import AudioError
from hearing.interfaces import CaptureSource, CaptureStatus

if TYPE_CHECKING:
    from hearing.interfaces import Samples


class Sign(Enum):
    """What a read can give besides sound and statuses."""

    NUDGED = "nudged"  # the reader's wishes changed: nothing was lost, ask again
    ENDED = "ended"


if TYPE_CHECKING:
    Item = Samples | CaptureStatus | Sign


class Take:
    """Reads a `CaptureSource`; a read that is interrupted goes on where it was."""

    def __init__(self, source: CaptureSource) -> None:
        self._source = source
        self._blocks = aiter(source.blocks())
        self._reading: asyncio.Task[Item] | None = None

    async def next(self, nudge: asyncio.Event, patience_s: float | None) -> Item:
        """Wait for the next item, for `nudge`, or until patience ends (None waits for ever).

        Raises:
            AudioError: The source failed, or gave no data for so long.
        """
        if self._reading is None:
            self._reading = asyncio.create_task(self._next())
        nudged = asyncio.create_task(nudge.wait())
        try:
            done, _ = await asyncio.wait(
                {self._reading, nudged}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            nudged.cancel()
        if self._reading in done:
            reading, self._reading = self._reading, None
            return reading.result()
        if not done:
            raise AudioError(f"no data for {patience_s:g} s")
        return Sign.NUDGED

    async def close(self) -> None:
        """Let go of the device, then of whoever still reads it."""
        await self._source.close()
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            with suppress(asyncio.CancelledError, AudioError):
                await reading
        if (aclose := getattr(self._blocks, "aclose", None)) is not None:
            await aclose()

    async def _next(self) -> Item:
        try:
            return await anext(self._blocks)
        except StopAsyncIteration:
            return Sign.ENDED
