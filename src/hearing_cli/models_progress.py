"""How a pull looks: a bar on a terminal, a line now and then anywhere else; always on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from hearing.models.progress import Progress
from hearing.safe_text import safe_line

if TYPE_CHECKING:
    from rich.progress import TaskID

_STEP_PERCENT = 25


@contextmanager
def shown(stream: TextIO | None = None) -> Iterator[Progress]:
    """Give the progress that fits the stream, and tidy the terminal afterwards."""
    output = stream or sys.stderr
    if not output.isatty() or os.environ.get("TERM") == "dumb":
        yield PlainProgress(output)
        return
    bar = BarProgress(output)
    try:
        yield bar
    finally:
        bar.stop()


def megabytes(size: int) -> str:
    """Give bytes as people say them."""
    return f"{size / 1e6:.0f} MB" if size >= 10_000_000 else f"{size / 1e6:.1f} MB"


class PlainProgress(Progress):
    """Whole lines without any control character."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._total = 0
        self._said_percent = 0

    def note(self, sentence: str) -> None:
        """Print it."""
        print(safe_line(sentence), file=self._output, flush=True)

    def begin(self, what: str, total_bytes: int, done_bytes: int) -> None:
        """Say how much there is to fetch."""
        here = f", {megabytes(done_bytes)} are here already" if done_bytes else ""
        self.note(f"{what}: {megabytes(total_bytes)}{here}")
        self._total = total_bytes
        self._said_percent = self._percent(done_bytes)

    def at(self, done_bytes: int) -> None:
        """Say every quarter once."""
        percent = self._percent(done_bytes)
        if percent // _STEP_PERCENT > self._said_percent // _STEP_PERCENT:
            self._said_percent = percent - percent % _STEP_PERCENT
            self.note(f"{self._said_percent} % of {megabytes(self._total)}")

    def _percent(self, done_bytes: int) -> int:
        return 100 * done_bytes // self._total if self._total else 100


class BarProgress(Progress):
    """A bar with size, speed and time left; `NO_COLOR` is respected by rich."""

    def __init__(self, output: TextIO) -> None:
        from rich.console import Console  # rich costs 50 ms: only a download pays
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as Bar

        self._console = Console(file=output)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=False,
        )
        self._task: TaskID | None = None

    def note(self, sentence: str) -> None:
        """Print it above the bar."""
        self._console.print(safe_line(sentence), markup=False, highlight=False, soft_wrap=True)

    def begin(self, what: str, total_bytes: int, done_bytes: int) -> None:
        """Start a bar; that of a source which was given up disappears."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(safe_line(what), total=total_bytes, completed=done_bytes)
        self._bar.start()

    def at(self, done_bytes: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._bar.update(self._task, completed=done_bytes)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()
