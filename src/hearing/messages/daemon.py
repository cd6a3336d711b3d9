"""What the daemon publishes: the union `DaemonMessage`, in the order a segment lives."""

from enum import StrEnum

import msgspec

from hearing.messages.common import (
    Error,
    Event,
    Health,
    Hello,
    Lost,
    Message,
    Partial,
    Speaker,
    Speakers,
    SpeechStart,
    SpeechStop,
    Transcript,
    Update,
)
from hearing.types import Channel


class Dropped(StrEnum):
    """Why a segment gave no text."""

    NOISE = "noise"
    EMPTY = "empty"
    HALLUCINATION = "hallucination"
    WORKER_CRASH = "worker_crash"
    BACKLOG = "backlog"
    ECHO = "echo"


class TurnBy(StrEnum):
    """What ended a turn."""

    SILENCE = "silence"
    SMART = "smart"
    TIMEOUT = "timeout"


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Where a segment's latency went, in milliseconds; unknown is null."""

    endpoint_ms: int | None = None
    queue_ms: int | None = None
    recognise_ms: int | None = None


class SegmentDone(Event, frozen=True, kw_only=True, tag="segment_done"):
    """Exactly one per finished segment, after its transcripts; `dropped` says why `pieces` is 0."""

    seg_id: int
    pieces: int
    dropped: Dropped | None = None
    timing: Timing = Timing()


class TurnEnd(Event, frozen=True, kw_only=True, tag="turn_end"):
    """A turn is over: sent after the last `segment_done` of the segments it names."""

    leg: Channel
    seg_ids: list[int]
    by: TurnBy


class Gap(Event, frozen=True, kw_only=True, tag="gap"):
    """Audio, or its text, that nobody has: `[from_ms, to_ms)` of stream time."""

    leg: Channel
    from_ms: int
    to_ms: int
    reason: str


class Heartbeat(Update, frozen=True, kw_only=True, tag="heartbeat"):
    """A sign of life about once a second.

    `backlog` counts segments queued for recognition, `backlog_ms` their audio; `rtf` is the recognizer's
    recent real-time factor; `level_dbfs` is the level per leg, null while a leg has none.
    """

    backlog: int
    backlog_ms: int
    rtf: float | None
    xruns: int
    level_dbfs: dict[Channel, float | None]
    uptime_ms: int


class OpenSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A segment in which somebody is speaking now."""

    seg_id: int
    leg: Channel
    at_ms: int


class Snapshot(Message, frozen=True, kw_only=True, tag="snapshot"):
    """All state a new subscriber needs, once, after `hello`; `last_seq` is the newest event it covers."""

    legs: list[Channel]
    health: list[Health]
    open: list[OpenSegment]
    pending: list[int]
    speakers: list[Speaker]
    backlog: int
    model: str | None
    muted: bool
    last_seq: int


DaemonMessage = (
    Hello
    | Error
    | Lost
    | Snapshot
    | SpeechStart
    | SpeechStop
    | Partial
    | Transcript
    | SegmentDone
    | TurnEnd
    | Speakers
    | Health
    | Gap
    | Heartbeat
)
