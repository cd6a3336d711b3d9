"""Row 10: from `publish` in one process to a decoded Struct in another, with 10 subscribers, and with 50.

The peer is the raw round trip of a line of the same length over a Unix socket between two processes, in
alternation and at the same pace: both sides sleep in between, as the bus's do, and pay for waking up. Back to
back the two take turns on one warm core, much faster; that figure and the ratio to it are in `settings`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.report import Result, arguments, show

from hearing.clock import SystemClock
from hearing.messages.common import Hello, Transcript
from hearing.messages.daemon import DaemonMessage
from hearing.protocol import DAEMON
from hearing.transport.client import Link
from hearing.transport.listen import claim
from hearing.transport.publisher import Publisher
from hearing.types import Channel

TEXT = "and the next thing on the list is the budget for the second half of the year"
ROUNDS = 5
LINE_BYTES = 330
RATIO_GOAL = 14
DEADLINE_S = 60.0

Nanoseconds = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Load:
    """So many subscribers, of whom one may be stopped, at so many events a second."""

    subscribers: int
    per_s: int
    events: int
    stopped: bool = False


def event(seg_id: int) -> Transcript:
    """Give a typical final: 13 words, all fields set."""
    return Transcript(
        seg_id=seg_id,
        leg=Channel.MIC,
        start_ms=1_000 * seg_id,
        end_ms=1_000 * seg_id + 900,
        text=TEXT,
        language="en",
        confidence=0.93,
    )


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "")
    show(results(quick=options.quick), as_json=options.json)


def results(*, quick: bool) -> Iterator[Result]:
    """Alternate the loads with their peers and give the medians of the rounds."""
    fast = Load(10, 1_000, 500 if quick else 2_000)
    slow = Load(10, 10, 10 if quick else 60)
    crowd = Load(50, 100, 100 if quick else 300)
    crowd_stopped = Load(50, 100, crowd.events, stopped=True)
    taken: dict[Load, list[Nanoseconds]] = {load: [] for load in (fast, slow, crowd, crowd_stopped)}
    raw: dict[int | None, list[float]] = {pace: [] for pace in (fast.per_s, slow.per_s, None)}
    for _ in range(ROUNDS):
        for load, delays in taken.items():
            delays.append(asyncio.run(publish_and_receive(load)))
        for pace, trips_us in raw.items():
            trips_us.append(raw_round_trip_us(pace))
    for load in (fast, slow):
        yield from _spread(load, taken[load], median(raw[load.per_s]), median(raw[None]))
    yield _stopped(crowd, taken[crowd], taken[crowd_stopped])


def _spread(
    load: Load, rounds: list[Nanoseconds], raw_us: float, raw_back_to_back_us: float
) -> Iterator[Result]:
    suffix = "" if load.per_s == 1_000 else f"_at_{load.per_s}_per_s"
    for percent in (50, 99):
        ours_us = median(float(np.percentile(delays, percent)) / 1e3 for delays in rounds)
        yield Result(
            f"bus.p{percent}{suffix}_us",
            ours_us,
            raw_us,
            f"raw AF_UNIX round trip at {load.per_s}/s",
            sum(len(delays) for delays in rounds),
            "us",
            {
                "subscribers": load.subscribers,
                "per_s": load.per_s,
                "rounds": ROUNDS,
                "goal_p50_ratio": RATIO_GOAL,
                "raw_back_to_back_us": round(raw_back_to_back_us, 1),
                "ratio_to_back_to_back": round(ours_us / raw_back_to_back_us, 1),
            },
        )


def _stopped(load: Load, without: list[Nanoseconds], stopped: list[Nanoseconds]) -> Result:
    p99_us = [median(float(np.percentile(d, 99)) / 1e3 for d in rounds) for rounds in (stopped, without)]
    return Result(
        "bus.p99_one_of_50_stopped_ratio",
        p99_us[0] / p99_us[1],
        None,
        None,
        sum(len(delays) for delays in stopped),
        "ratio",
        {
            "subscribers": load.subscribers,
            "per_s": load.per_s,
            "p99_stopped_us": round(p99_us[0], 1),
            "p99_none_stopped_us": round(p99_us[1], 1),
        },
    )


# --- ours: a publisher here, subscribers in a child ---


async def publish_and_receive(load: Load) -> Nanoseconds:
    """Publish at an even pace and give every delivery's delay, in nanoseconds, of the running subscribers."""
    with tempfile.TemporaryDirectory(prefix="hb-") as folder, contextlib.ExitStack() as stack:
        path = Path(folder) / "bus.sock"
        publisher = Publisher(
            claim(path),
            Hello(server="bus", version="1", pid=os.getpid(), boot_id="b"),
            clock=SystemClock(),
            snapshot=lambda _seq: [],
            keep=lambda _message: False,
        )
        await publisher.start()
        receiver = stack.enter_context(subscribers(path, load.subscribers - load.stopped, load.events))
        if load.stopped:
            sleeper = stack.enter_context(subscribers(path, 1, load.events))
            await _connected(publisher, load.subscribers)
            sleeper.send_signal(signal.SIGSTOP)
        await _connected(publisher, load.subscribers)
        published = await _publish(publisher, load)
        assert receiver.stdout is not None
        received = await asyncio.to_thread(receiver.stdout.read)
        await publisher.stop()
    pairs = np.frombuffer(received, dtype=np.int64).reshape(-1, 2)
    assert len(pairs) == load.events * (load.subscribers - load.stopped), "an event went missing"
    delays: Nanoseconds = pairs[:, 1] - published[pairs[:, 0] - 1]
    return delays


async def _connected(publisher: Publisher, count: int) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while publisher.subscribers < count:  # noqa: ASYNC110 - polled, so that nothing runs while we measure
            await asyncio.sleep(0.01)


async def _publish(publisher: Publisher, load: Load) -> Nanoseconds:
    """Publish on each tick of a clock that is finer than the loop's own milliseconds."""
    published = np.zeros(load.events, dtype=np.int64)
    seg_id = 0
    async for _tick in ticks(load.per_s, load.events):
        seg_id += 1
        published[seg_id - 1] = time.monotonic_ns()
        publisher.publish(event(seg_id))
    return published


async def ticks(per_s: int, count: int) -> AsyncIterator[None]:
    """Tick evenly: a thread sleeps, since it does so to some 60 microseconds, and wakes the loop."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)

    def pace() -> None:
        due = time.monotonic()
        for _ in range(count):
            due += 1 / per_s
            time.sleep(max(0.0, due - time.monotonic()))
            theirs.send(b".")

    thread = threading.Thread(target=pace)
    thread.start()
    loop = asyncio.get_running_loop()
    left = count
    with ours, theirs:
        while left:
            for _ in await loop.sock_recv(ours, 64):
                left -= 1
                yield
        thread.join()


@contextlib.contextmanager
def subscribers(path: Path, count: int, events: int) -> Iterator[subprocess.Popen[bytes]]:
    """A child with so many links in one loop; prints (seq, received_ns) pairs once all have all events."""
    command = [sys.executable, __file__, "--subscribe", str(path), str(count), str(events)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


async def subscribe(path: str, count: int, events: int) -> None:
    """Be that child."""
    taken = array("q")

    async def one() -> None:
        link: Link[DaemonMessage] = Link(path, DAEMON)
        left = events
        async with contextlib.aclosing(link.stream()) as stream:
            async for item in stream:
                if isinstance(item, Transcript) and isinstance(item.seq, int):
                    taken.extend((item.seq, time.monotonic_ns()))
                    left -= 1
                    if not left:
                        return

    await asyncio.gather(*(one() for _ in range(count)))
    out: IO[bytes] = sys.stdout.buffer
    out.write(taken.tobytes())


# --- the peer: the same line there and back over a bare socket ---


def raw_round_trip_us(per_s: int | None) -> float:
    """Give the median round trip of one line between two processes, in microseconds.

    At the pace of our own events both sides have gone to sleep in between, as the bus's have; back to back
    (`per_s` None) they take turns on one core that is warm and never sleeps.
    """
    trips = 2_000 if per_s is None else min(per_s, 300)
    line = b"x" * LINE_BYTES
    taken_ns = []
    ours, theirs = socket.socketpair()
    with (
        ours,
        subprocess.Popen([sys.executable, "-c", _ECHO, str(theirs.fileno())], pass_fds=[theirs.fileno()]),
    ):
        theirs.close()
        for _ in range(trips):
            if per_s is not None:
                time.sleep(1 / per_s)
            began_ns = time.monotonic_ns()
            ours.sendall(line)
            ours.recv(4096)
            taken_ns.append(time.monotonic_ns() - began_ns)
        ours.close()
    return median(taken_ns[trips // 10 :]) / 1e3


_ECHO = """
import socket, sys
with socket.socket(fileno=int(sys.argv[1])) as it:
    while data := it.recv(4096):
        it.sendall(data)
"""


if __name__ == "__main__":
    if sys.argv[1:2] == ["--subscribe"]:
        asyncio.run(subscribe(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        main()
