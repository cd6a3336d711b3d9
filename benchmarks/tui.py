"""Row 12: the TUI in a pseudo-terminal at 10 events a second, scrolling 10,000 entries, and its first paint.

The peer is the shortest Textual program for the same thing, a `RichLog`, in alternation, in the same
terminal. First paint is wall time and suffers from a busy machine: the CPU time beside it does not.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.report import Result, arguments, show

from hearing.messages.common import Message, Partial, SpeechStart, SpeechStop, Transcript
from hearing.messages.control import Heartbeat, Subscribe
from hearing.messages.daemon import SegmentDone
from hearing.testing.assistant import FakeAssistant
from hearing.testing.terminal import Terminal
from hearing.types import Channel

COLUMNS, ROWS = 120, 40
EVENTS_PER_S = 10
ENTRIES = 10_000
WORDS = "and the next thing on the list is the budget for the second half of the year, which nobody has seen"
PAGE_UP = "\x1b[5~"

OURS_SCROLL = f"""
import hearing_tui.view_state as v
from hearing_tui.app import HearingApp
from hearing.messages.common import Transcript
from hearing.types import Channel
from hearing_tui.entries import spoken
words = {WORDS!r}
entries = tuple(
    spoken(Transcript(seg_id=n, leg=Channel.MIC, start_ms=n, end_ms=n + 9, text=f"n{{n}} {{words}}"))
    for n in range({ENTRIES})
)
HearingApp(None, theme="textual-dark", state=v.update(v.ViewState(entries=entries), v.LinkUp(True))).run()
"""
PEER = f"""
import sys
from textual.app import App
from textual.widgets import RichLog
words = {WORDS!r}

class Peer(App):
    def compose(self):
        yield RichLog(wrap=True)

    def on_mount(self):
        log = self.query_one(RichLog)
        log.focus()
        if sys.argv[1] == "scroll":
            self.call_after_refresh(lambda: [log.write(f"n{{n}} {{words}}") for n in range({ENTRIES})])
        elif sys.argv[1] == "events":
            self.set_interval(1 / {EVENTS_PER_S}, lambda: log.write(words))
        log.write("ready n0")

Peer().run()
"""
TUI = [sys.executable, "-m", "hearing_tui"]


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    rounds: int
    seconds: float
    keys: int


def main() -> None:
    """Measure and print."""
    asked = arguments(__doc__ or "")
    sizes = Sizes(2, 4.0, 15) if asked.quick else Sizes(5, 10.0, 40)
    show(asyncio.run(measure(sizes)), as_json=asked.json)


async def measure(sizes: Sizes) -> list[Result]:
    """Give the three measures."""
    settings = {"columns": COLUMNS, "rows": ROWS, "rounds": sizes.rounds}
    return [
        await compared(
            "tui.cpu_pct_at_10_per_s",
            "%",
            sizes.rounds,
            lambda: cpu_pct(sizes.seconds),
            lambda: peer_cpu_pct(sizes.seconds),
            settings | {"goal": 10, "seconds": sizes.seconds, "events_per_s": EVENTS_PER_S},
        ),
        await compared(
            "tui.scroll_10k_ms",
            "ms",
            sizes.rounds,
            lambda: scroll_ms([sys.executable, "-c", OURS_SCROLL], sizes.keys),
            lambda: scroll_ms([sys.executable, "-c", PEER, "scroll"], sizes.keys),
            settings | {"goal": 50, "keys": sizes.keys, "entries": ENTRIES},
        ),
        *await first_paint(max(5, sizes.rounds), settings),
    ]


async def compared(
    measure: str,
    unit: str,
    rounds: int,
    ours: Callable[[], Awaitable[float]],
    peer: Callable[[], Awaitable[float]],
    settings: Mapping[str, object],
) -> Result:
    """Alternate the two and give the medians."""
    figures = [(await ours(), await peer()) for _ in range(rounds)]
    mine, theirs = (median(column) for column in zip(*figures, strict=True))
    return Result(measure, mine, theirs, "Textual RichLog", rounds, unit, dict(settings))


# --- ten events a second ---


async def cpu_pct(seconds: float) -> float:
    """Give the share of one core the TUI takes while somebody speaks all the time."""
    async with assistant() as talking, Terminal(TUI, columns=COLUMNS, rows=ROWS) as terminal:
        await talking.asked(Subscribe)
        await terminal.shows("stt ready")
        stream = speech()
        talking.play(itertools.islice(stream, 1_000))  # a screen full of history, and warm
        await terminal.shows("n99")
        return await busy_pct(terminal.process.pid, seconds, lambda: talking.play([next(stream)]))


async def peer_cpu_pct(seconds: float) -> float:
    """Give the same for the peer, which makes its own events."""
    argv = [sys.executable, "-c", PEER, "events"]
    async with Terminal(argv, columns=COLUMNS, rows=ROWS) as terminal:
        await terminal.shows("budget")
        return await busy_pct(terminal.process.pid, seconds, lambda: None)


async def busy_pct(pid: int, seconds: float, tick: Callable[[], None]) -> float:
    """Call `tick` at the rate of the events and give the CPU time of the process over that time."""
    process = psutil.Process(pid)
    before, began = sum(process.cpu_times()[:2]), time.monotonic()
    due = began
    while time.monotonic() < began + seconds:
        tick()
        due += 1 / EVENTS_PER_S
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    return 100 * (sum(process.cpu_times()[:2]) - before) / (time.monotonic() - began)


def speech() -> Iterator[Message]:
    """Give ten events a segment, as a speaker with live words makes them; one a second is a heartbeat."""
    words = WORDS.split()
    for seg_id in itertools.count(1):
        leg = Channel.MIC if seg_id % 2 else Channel.SYSTEM
        yield SpeechStart(seg_id=seg_id, leg=leg, at_ms=seg_id * 1000)
        for share in (4, 8, 12, 16, 20):
            yield Partial(
                seg_id=seg_id,
                leg=leg,
                stable=" ".join(words[: share - 2]),
                unstable=" ".join(words[share - 2 : share]),
            )
        yield SpeechStop(seg_id=seg_id, leg=leg, at_ms=seg_id * 1000 + 900)
        yield Transcript(
            seg_id=seg_id,
            leg=leg,
            start_ms=seg_id * 1000,
            end_ms=seg_id * 1000 + 900,
            text=f"n{seg_id} {WORDS}",
            language="en",
            speaker="Ada",
            speaker_status="matched",
        )
        yield SegmentDone(seg_id=seg_id, pieces=1)
        yield Heartbeat(seg=0, inf=0, busy=False, level_dbfs={Channel.MIC: -20.0 - seg_id % 30})


@asynccontextmanager
async def assistant() -> AsyncIterator[FakeAssistant]:
    """Serve the real socket in a runtime folder of its own."""
    with tempfile.TemporaryDirectory(prefix="h-") as folder:
        Path(folder).chmod(0o700)
        os.environ["HEARING_RUNTIME_DIR"] = folder
        async with FakeAssistant(folder) as talking:
            yield talking


# --- scrolling, first paint ---


async def scroll_ms(argv: list[str], keys: int) -> float:
    """Give the time from a key to a changed screen, with 10,000 entries above."""
    async with Terminal(argv, columns=COLUMNS, rows=ROWS) as terminal:
        await terminal.shows(f"n{ENTRIES - 1} ", deadline_s=120)
        taken = []
        for _ in range(keys):
            before = terminal.text
            began = time.monotonic_ns()
            terminal.press(PAGE_UP)
            await terminal.until(lambda before=before: terminal.text != before)  # type: ignore[misc]
            taken.append((time.monotonic_ns() - began) / 1e6)
            await quiet(terminal)
        return median(taken)


async def quiet(terminal: Terminal) -> None:
    """Wait until a paint is over."""
    written = -1
    while written != len(terminal.output):
        written = len(terminal.output)
        await asyncio.sleep(0.05)


async def first_paint(rounds: int, settings: Mapping[str, object]) -> list[Result]:
    """Give wall and CPU time from the start of the process to its first words on the screen."""
    ours, peer = [], []
    for _ in range(rounds):
        ours.append(await first_paint_ms(TUI, "transcripts [seg"))
        peer.append(await first_paint_ms([sys.executable, "-c", PEER, "paint"], "ready"))
    return [
        Result(
            f"tui.first_paint_{what}ms",
            median(taken[column] for taken in ours),
            median(taken[column] for taken in peer),
            "Textual RichLog",
            rounds,
            "ms",
            {**settings, "goal": 600},
        )
        for column, what in enumerate(("", "cpu_"))
    ]


async def first_paint_ms(argv: list[str], words: str) -> tuple[float, float]:
    """Give wall and CPU time of one start."""
    began = time.monotonic_ns()
    async with assistant(), Terminal(argv, columns=COLUMNS, rows=ROWS) as terminal:
        await terminal.shows(words)
        wall_ms = (time.monotonic_ns() - began) / 1e6
        return wall_ms, 1e3 * sum(psutil.Process(terminal.process.pid).cpu_times()[:2])


if __name__ == "__main__":
    main()
