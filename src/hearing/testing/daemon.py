"""A scripted daemon: the real publisher on a real socket, saying what a test tells it to.

    async with FakeDaemon(runtime_dir) as daemon:
        await daemon.subscribed()
        daemon.play(said("hello there", seg_id=1))

`python -m hearing.testing.daemon SCRIPT.jsonl` is the same as a process of its own: it plays the
messages of a file, one a line, to the first subscriber.
"""

import argparse
import asyncio
import contextlib
import os
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from hearing import __version__, paths
from hearing.clock import Clock, SystemClock
from hearing.errors import PeerError
from hearing.messages import daemon
from hearing.messages.common import (
    PROTO,
    Event,
    Health,
    HealthPart,
    HealthState,
    Hello,
    Message,
    Partial,
    Speaker,
    SpeechStart,
    SpeechStop,
    Transcript,
    Update,
)
from hearing.protocol import DAEMON, decode
from hearing.transport.connection import Limits
from hearing.transport.listen import claim
from hearing.transport.publisher import Publisher
from hearing.types import Channel

LISTENING = Health(part=HealthPart.MIC, state=HealthState.LISTENING, device="fake microphone")
READY = Health(part=HealthPart.STT, state=HealthState.READY, device="tiny.en")


class FakeDaemon:
    """A daemon without ears.

    Attributes:
        health: What its snapshot says of its parts; a published `Health` is taken over.
        open: The segments its snapshot says are open.
        pending: The segments its snapshot says are being recognized.
        speakers: The roster of its snapshot.
    """

    def __init__(
        self,
        runtime_dir: str | Path,
        *,
        boot_id: str = "boot-1",
        clock: Clock | None = None,
        health: Sequence[Health] = (LISTENING, READY),
        speakers: Sequence[Speaker] = (),
        proto: int = PROTO,
        limits: Limits | None = None,
    ) -> None:
        self.health = {item.part: item for item in health}
        self.open: list[daemon.OpenSegment] = []
        self.pending: list[int] = []
        self.speakers = list(speakers)
        self._path = Path(runtime_dir) / paths.DAEMON_SOCKET
        self._hello = Hello(
            server="hearing-daemon", version=__version__, pid=os.getpid(), boot_id=boot_id, proto=proto
        )
        self._clock = clock or SystemClock()
        self._limits = limits
        self._publisher: Publisher | None = None
        self._subscribed = asyncio.Event()

    @property
    def publisher(self) -> Publisher:
        """Give the real publisher; only while started."""
        assert self._publisher is not None, "the fake daemon is not started"
        return self._publisher

    async def start(self) -> None:
        """Claim the socket and accept."""
        self._publisher = Publisher(
            claim(self._path),
            self._hello,
            clock=self._clock,
            snapshot=self._snapshot,
            keep=lambda message: isinstance(message, Transcript),
            on_subscriber=self._subscribed.set,
            limits=self._limits,
        )
        await self._publisher.start()

    async def stop(self) -> None:
        """Close every connection and remove the socket."""
        await self.publisher.stop()
        self._publisher = None
        self._subscribed.clear()

    async def __aenter__(self) -> "FakeDaemon":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._publisher is not None:
            await self.stop()

    async def subscribed(self, timeout_s: float = 10.0) -> None:
        """Wait until somebody has connected since the start."""
        async with asyncio.timeout(timeout_s):
            await self._subscribed.wait()

    def play(self, messages: Iterable[Message]) -> None:
        """Send each message at once: events numbered, updates conflated."""
        for message in messages:
            if isinstance(message, Health):
                self.health[message.part] = message
            if isinstance(message, Event):
                self.publisher.publish(message)
            elif isinstance(message, Update):
                self.publisher.update(message)
            else:
                raise TypeError(f"a daemon never publishes a `{type(message).__name__}`")

    def heartbeat(self, *, backlog: int = 0, level_dbfs: float | None = -42.0) -> None:
        """Send one sign of life."""
        self.publisher.update(heartbeat(backlog=backlog, level_dbfs=level_dbfs))

    def _snapshot(self, last_seq: int) -> list[Message]:
        return [
            daemon.Snapshot(
                legs=[Channel.MIC],
                health=list(self.health.values()),
                open=self.open,
                pending=self.pending,
                speakers=self.speakers,
                backlog=len(self.pending),
                model="tiny.en",
                muted=any(item.state is HealthState.MUTED for item in self.health.values()),
                last_seq=last_seq,
            )
        ]


def heartbeat(*, backlog: int = 0, level_dbfs: float | None = -42.0) -> daemon.Heartbeat:
    """Give a sign of life with a microphone level."""
    return daemon.Heartbeat(
        backlog=backlog,
        backlog_ms=backlog * 2_000,
        rtf=0.2,
        xruns=0,
        level_dbfs={Channel.MIC: level_dbfs},
        uptime_ms=1_000,
    )


def said(
    text: str,
    *,
    seg_id: int = 1,
    start_ms: int = 0,
    end_ms: int | None = None,
    leg: Channel = Channel.MIC,
    language: str | None = "en",
    speaker_id: str | None = None,
    speaker_status: str = "none",
    speaker: str | None = None,
) -> list[Message]:
    """Give the whole life of one segment with one piece of text, as a daemon publishes it."""
    end_ms = start_ms + 1_000 if end_ms is None else end_ms
    first, _, rest = text.partition(" ")
    return [
        SpeechStart(seg_id=seg_id, leg=leg, at_ms=start_ms),
        Partial(seg_id=seg_id, leg=leg, stable=first, unstable=rest),
        SpeechStop(seg_id=seg_id, leg=leg, at_ms=end_ms),
        Transcript(
            seg_id=seg_id,
            leg=leg,
            start_ms=start_ms,
            end_ms=end_ms,
            text=text,
            language=language,
            confidence=0.9,
            speaker_id=speaker_id,
            speaker_status=speaker_status,
            speaker=speaker,
        ),
        daemon.SegmentDone(
            seg_id=seg_id,
            pieces=1,
            timing=daemon.Timing(endpoint_ms=480, queue_ms=2, recognise_ms=200),
        ),
        daemon.TurnEnd(leg=leg, seg_ids=[seg_id], by=daemon.TurnBy.SILENCE),
    ]


async def _serve(script: Path, every_s: float, *, hang: bool) -> None:
    stop = asyncio.Event()
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(signum, stop.set)
    messages = [decode(DAEMON, line) for line in script.read_bytes().splitlines() if line.strip()]
    folder = paths.runtime_dir()
    async with FakeDaemon(folder, boot_id=f"boot-{os.getpid()}") as fake:
        playing = asyncio.ensure_future(_play(fake, messages, every_s))
        while not stop.is_set():
            if not hang:
                fake.heartbeat()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), 1.0)
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await playing


async def _play(fake: FakeDaemon, messages: Sequence[Message], every_s: float) -> None:
    await fake._subscribed.wait()
    for message in messages:
        fake.play([message])
        await asyncio.sleep(every_s)


def main() -> None:
    """Play a file of messages to the first subscriber, then beat until told to stop."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("script", type=Path, help="JSON lines of daemon messages")
    parser.add_argument("--every-ms", type=int, default=50, help="pause after each message")
    parser.add_argument("--hang", action="store_true", help="send no heartbeat")
    args = parser.parse_args()
    try:
        asyncio.run(_serve(args.script, args.every_ms / 1000, hang=args.hang))
    except PeerError as error:
        parser.error(error.sentence)


if __name__ == "__main__":
    main()
