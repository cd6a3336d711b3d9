"""The newest sound of one leg, addressed by sample of stream time."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hearing.interfaces import Samples


class AudioRing:
    """Holds the last `capacity` samples (int16, 16 kHz); what is older has gone."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._buffer: Samples = np.zeros(capacity, dtype=np.int16)
        self._oldest = 0
        self._end = 0

    def __repr__(self) -> str:
        return f"<AudioRing {self._oldest}..{self._end} of {self._capacity}>"

    @property
    def end(self) -> int:
        """Give the position that the next sample will have."""
        return self._end

    def restart(self, at: int) -> None:
        """Forget all; the next sample stands at `at`."""
        self._oldest = self._end = at

    def append(self, samples: "Samples") -> None:
        """Add `(n_samples,) int16`; the oldest make room."""
        kept = samples[-self._capacity :]
        start = self._end + len(samples) - len(kept)
        at = start % self._capacity
        head = min(len(kept), self._capacity - at)
        self._buffer[at : at + head] = kept[:head]
        self._buffer[: len(kept) - head] = kept[head:]
        self._end += len(samples)
        self._oldest = max(self._oldest, self._end - self._capacity)

    def between(self, start: int, end: int) -> "Samples":
        """Copy `[start, end)`, less what has gone or has not come yet."""
        start, end = max(start, self._oldest), min(end, self._end)
        if end <= start:
            return np.zeros(0, dtype=np.int16)
        at, length = start % self._capacity, end - start
        head = self._buffer[at : at + length]
        return np.concatenate([head, self._buffer[: length - len(head)]])
