"""What was said lately: in memory only, bounded, each line with an index that never changes."""

import sys
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from hearing.messages.common import Transcript
from hearing.rendering import Line

MAX_TEXT_BYTES: Final = 32 * 1024 * 1024
_LATEST_MS: Final = 10**12  # 31 years of stream time; a later stamp is nonsense and would overflow a sum


class Transcripts:
    """The newest finals, oldest first; when `capacity` lines or 32 MiB are reached the oldest go.

    A restarted daemon's stream time begins at zero again; here it continues where the words before it
    ended, so that a document's times only move forward.
    """

    def __init__(self, capacity: int, max_text_bytes: int = MAX_TEXT_BYTES) -> None:
        self._lines: deque[Line] = deque()
        self._capacity = capacity
        self._max_text_bytes = max_text_bytes
        self._text_bytes = 0
        self._offset_ms = 0
        self._newest_ms = 0
        self.next_index = 0

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def first_index(self) -> int:
        """Give the index of the oldest line kept."""
        return self.next_index - len(self._lines)

    def add(self, transcript: Transcript) -> Line:
        """Keep one final."""
        start_ms = self._offset_ms + min(max(transcript.start_ms, 0), _LATEST_MS)
        end_ms = max(start_ms, self._offset_ms + min(transcript.end_ms, _LATEST_MS))
        line = Line(self.next_index, start_ms, end_ms, transcript)
        self.next_index += 1
        self._newest_ms = max(self._newest_ms, end_ms)
        self._lines.append(line)
        self._text_bytes += sys.getsizeof(transcript.text)
        while len(self._lines) > self._capacity or self._text_bytes > self._max_text_bytes:
            self._text_bytes -= sys.getsizeof(self._lines.popleft().transcript.text)
        return line

    def new_timeline(self) -> None:
        """Note that stream time begins again."""
        self._offset_ms = min(self._newest_ms, _LATEST_MS)

    def lines_from(self, index: int) -> Iterator[Line]:
        """Give the lines from `index` on, or from the oldest kept where that one has gone."""
        skipped = min(max(0, index - self.first_index), len(self._lines))  # a client may ask for any integer
        return islice(self._lines, skipped, None)

    def index_of_last(self, last_ms: int) -> int:
        """Find the first line that ends within the last `last_ms` before the newest word's end."""
        after_ms = self._newest_ms - last_ms
        return next((line.index for line in self._lines if line.end_ms > after_ms), self.next_index)
