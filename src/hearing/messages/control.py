"""What clients ask of the assistant, and what it answers and broadcasts."""

from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

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
from hearing.messages.daemon import Gap, SegmentDone, TurnEnd
from hearing.types import Channel

RequestId = str | int


class Mode(StrEnum):
    """What the assistant is doing with what it hears."""

    IDLE = "idle"
    COMMAND_ARMED = "command_armed"
    EXECUTING = "executing"
    CHAT = "chat"


class TranscriptFormat(StrEnum):
    """How `transcript_get` renders."""

    TXT = "txt"
    JSON = "json"
    MD = "md"
    SRT = "srt"


# --- requests: one message, one answer, `request_id` echoed ---


class Request(Message, frozen=True, kw_only=True):
    """Anything a client asks."""

    request_id: RequestId | UnsetType = UNSET


class Subscribe(Request, frozen=True, kw_only=True, tag="subscribe"):
    """Ask for the snapshot and all events from now on; `viewer` is a person watching."""

    viewer: bool = False
    name: str = ""


class StatusGet(Request, frozen=True, kw_only=True, tag="status"):
    """Ask for the state in one answer."""


class Listen(Request, frozen=True, kw_only=True, tag="listen"):
    """Mute (`on` false: the devices are closed) or listen again."""

    on: bool


class TranscriptGet(Request, frozen=True, kw_only=True, tag="transcript_get"):
    """Ask for the recent transcript from memory, the last `last_ms` of it or all there is.

    A long one comes in pages: ask again with `from_index` set to the answer's `next_index`.
    """

    last_ms: int | None = None
    format: TranscriptFormat = TranscriptFormat.TXT
    from_index: int = 0


class Clear(Request, frozen=True, kw_only=True, tag="clear"):
    """Forget the conversation and command output; transcripts stay."""


class SpeakerListGet(Request, frozen=True, kw_only=True, tag="speaker_list"):
    """Ask for the roster of voices."""


ControlRequest = Subscribe | StatusGet | Listen | TranscriptGet | Clear | SpeakerListGet


# --- answers ---


class Answer(Message, frozen=True, kw_only=True):
    """A direct reply to one request."""

    request_id: RequestId | UnsetType = UNSET


class Ack(Answer, frozen=True, kw_only=True, tag="ack"):
    """The request named by `command` was carried out."""

    command: str
    ok: bool = True


class SttStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The daemon as the assistant sees it; `connected` false means nobody hears."""

    connected: bool
    healthy: bool
    model: str | None = None
    muted: bool = False
    backlog: int = 0
    detail: str = ""
    hint: str = ""


class LlmStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The language model in use; `loopback` false means text leaves this machine."""

    name: str
    loopback: bool


class QueueDepth(msgspec.Struct, frozen=True, kw_only=True):
    """The one inference queue: jobs waiting, whether one runs, and of which kind."""

    depth: int = 0
    busy: bool = False
    kind: str | None = None


class Status(Answer, frozen=True, kw_only=True, tag="status"):
    """The state in one answer; `llm` is null when none is configured."""

    mode: Mode
    stt: SttStatus
    llm: LlmStatus | None
    queue: QueueDepth
    chat_capture: bool
    triage_chat: bool
    viewers: int
    session: str | None
    uptime_ms: int
    health: list[Health] = msgspec.field(default_factory=list)


class TranscriptText(Answer, frozen=True, kw_only=True, tag="transcript_text"):
    """A page of the transcript, rendered: pages joined in order are the whole document.

    `segments` counts those of this page; `next_index` is null on the last one.
    """

    format: TranscriptFormat
    text: str
    segments: int
    next_index: int | None = None


class SpeakerList(Answer, frozen=True, kw_only=True, tag="speaker_list"):
    """The roster of voices."""

    speakers: list[Speaker]


# --- events ---


class Snapshot(Message, frozen=True, kw_only=True, tag="snapshot"):
    """All state a new viewer needs, once, after its `ack`; recent transcripts follow as ordinary lines."""

    mode: Mode
    command_text: str
    queue: QueueDepth
    chat_capture: bool
    triage_chat: bool
    health: list[Health]
    speakers: list[Speaker]
    last_seq: int
    stt: SttStatus


class SttChanged(Event, frozen=True, kw_only=True, tag="stt"):
    """The assistant's view of the daemon changed: lost, found again, healthy, muted."""

    stt: SttStatus


class Cleared(Event, frozen=True, kw_only=True, tag="cleared"):
    """Somebody asked to forget."""


class NoticeLevel(StrEnum):
    """How loud a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Notice(Event, frozen=True, kw_only=True, tag="notice"):
    """A sentence for people: a timer that rings, a reminder, a fault."""

    level: NoticeLevel
    text: str
    source: str


class Queue(Update, frozen=True, kw_only=True, tag="queue"):
    """The inference queue changed."""

    depth: int
    busy: bool
    kind: str | None = None


class Heartbeat(Update, frozen=True, kw_only=True, tag="heartbeat"):
    """A sign of life about once a second: `seg` is the daemon's backlog, `inf` the inference queue."""

    seg: int
    inf: int
    busy: bool
    level_dbfs: dict[Channel, float | None]


ControlAnswer = Ack | Error | Status | TranscriptText | SpeakerList
ControlEvent = (
    Snapshot
    | Transcript
    | Partial
    | SpeechStart
    | SpeechStop
    | SegmentDone
    | TurnEnd
    | Gap
    | Health
    | SttChanged
    | Speakers
    | Notice
    | Queue
    | Heartbeat
    | Cleared
    | Lost
)
ControlMessage = Hello | ControlAnswer | ControlEvent
