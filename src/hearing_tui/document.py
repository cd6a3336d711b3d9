"""Where each entry stands: rows of the whole history without drawing it. Pure, no terminal.

Heights are counted when an entry comes or the width changes; words are cut into lines only when drawn.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from hearing_tui.entries import Entry, Spoken
from hearing_tui.wrap import wrap


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the document: the entry it belongs to and the row within it; the last row is blank."""

    entry: Entry
    row: int


class Document:
    """The rows of the history at one width.

    Attributes:
        width: Cells of a line of text.
        first: Number of the first entry kept, counted over all there ever were.
    """

    def __init__(self, width: int = 80) -> None:
        self.width = width
        self.first = 0
        self._entries: list[Entry] = []
        self._ends: list[int] = []  # row after each entry, never renumbered: `_origin` moves instead
        self._origin = 0

    def __repr__(self) -> str:
        return f"<Document entries={len(self._entries)} rows={self.rows} width={self.width}>"

    @property
    def rows(self) -> int:
        """Count all rows."""
        return (self._ends[-1] if self._ends else self._origin) - self._origin

    def show(self, entries: Sequence[Entry], first: int) -> int:
        """Take the history as it now is, and give how many rows went away at the top.

        Only what is new is measured; a last entry that changed is measured again.
        """
        if first < self.first or first + len(entries) < self.first + len(self._entries):
            self._entries, self._ends, self._origin, self.first = [], [], 0, first
        gone = self._forget(first - self.first)
        self.first = first
        last = len(self._entries) - 1
        if last >= 0 and entries[last] is not self._entries[last]:
            self._entries.pop()
            self._ends.pop()
        for entry in entries[len(self._entries) :]:
            self._add(entry)
        return gone

    def resize(self, width: int) -> None:
        """Measure everything again at another width."""
        entries, self.width = self._entries, width
        self._entries, self._ends, self._origin = [], [], 0
        for entry in entries:
            self._add(entry)

    def at(self, row: int) -> Place | None:
        """Find what stands on a row."""
        index = bisect_right(self._ends, row + self._origin)
        if row < 0 or index >= len(self._ends):
            return None
        return Place(self._entries[index], row - self._start(index))

    def number_at(self, row: int) -> tuple[int, int]:
        """Name the entry on a row by its number over all time, with the row within it."""
        index = min(bisect_right(self._ends, row + self._origin), max(0, len(self._ends) - 1))
        return self.first + index, max(0, row - self._start(index))

    def row_of(self, number: int) -> int:
        """Give the first row of an entry by its number; one that is gone counts as the first."""
        index = min(max(0, number - self.first), len(self._entries))
        return self._start(index)

    def _start(self, index: int) -> int:
        return (self._ends[index - 1] if index else self._origin) - self._origin

    def _add(self, entry: Entry) -> None:
        self._ends.append(self._origin + self.rows + height(entry, self.width))
        self._entries.append(entry)

    def _forget(self, count: int) -> int:
        count = min(count, len(self._entries))
        if count <= 0:
            return 0
        origin = self._ends[count - 1]
        gone, self._origin = origin - self._origin, origin
        del self._entries[:count], self._ends[:count]
        return gone


def height(entry: Entry, width: int) -> int:
    """Count an entry's rows: header and text, or a note, and a blank one."""
    return len(wrap(entry.text, width)) + 2 if isinstance(entry, Spoken) else 2
