"""How far the transcriber is: a bar on a terminal, nothing anywhere else; always on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from hearing.safe_text import safe_line, safe_text


class Progress:
    """Says nothing but problems."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def begin(self, what: str, total_ms: int | None) -> None:
        """Start with a file."""

    def at(self, done_ms: int) -> None:
        """Be that far in it."""

    def problem(self, lines: str) -> None:
        """Say what went wrong, now."""
        print(safe_text(lines), file=self._output, flush=True)

    def stop(self) -> None:
        """Leave the terminal as it was."""


@contextmanager
def shown(stream: TextIO | None = None) -> Iterator[Progress]:
    """Give the progress that fits the stream, and tidy the terminal afterwards."""
    output = stream or sys.stderr
    fits = output.isatty() and os.environ.get("TERM") != "dumb"
    progress = BarProgress(output) if fits else Progress(output)
    try:
        yield progress
    finally:
        progress.stop()


class BarProgress(Progress):
    """A bar with the sound that is done and all of it, speed and time left; rich respects `NO_COLOR`."""

    def __init__(self, output: TextIO, now_s: Callable[[], float] = time.monotonic) -> None:
        from rich.console import Console  # rich costs 50 ms: only a terminal pays
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        super().__init__(output)
        self._now_s = now_s
        self._console = Console(file=output)
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[heard]}"),
            TimeRemainingColumn(compact=True),
            console=self._console,
            transient=True,  # what stays on the screen are the words
            redirect_stdout=False,  # they may go to a file
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None, heard="", visible=False)
        self._total_ms: int | None = None
        self._began_s = 0.0

    def begin(self, what: str, total_ms: int | None) -> None:
        """Show the bar of a file from its beginning."""
        self._bar.remove_task(self._task)
        self._total_ms, self._began_s = total_ms, self._now_s()
        self._task = self._bar.add_task(safe_line(what), total=total_ms, heard="")
        self._bar.start()

    def at(self, done_ms: int) -> None:
        """Move the bar."""
        heard = heard_so_far(done_ms, self._total_ms, self._now_s() - self._began_s)
        self._bar.update(self._task, completed=done_ms, heard=heard)

    def problem(self, lines: str) -> None:
        """Say it above the bar."""
        self._console.print(safe_text(lines), markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def heard_so_far(done_ms: int, total_ms: int | None, took_s: float) -> str:
    """Write `0:35/1:24 20x`; without a total the first part alone."""
    heard = _clock(done_ms) if total_ms is None else f"{_clock(done_ms)}/{_clock(total_ms)}"
    return f"{heard} {done_ms / 1_000 / took_s:.0f}x" if took_s > 0 else heard


def _clock(ms: int) -> str:
    minutes, seconds = divmod(ms // 1_000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
