"""What both sockets share: the base of all messages, greetings, errors, health."""

from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

from hearing.types import Channel

PROTO = 1
"""Version of the wire protocol; a client that cannot speak it says so and leaves."""


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Anything that travels as one line; unknown fields are ignored by whoever reads it."""


class Event(Message, frozen=True, kw_only=True):
    """Something that happened, numbered by its publisher and never silently lost.

    `seq` is contiguous within one `boot_id`; `ts` is the wall clock, ISO 8601 with zone. Both are unset
    until the publisher stamps them.
    """

    seq: int | UnsetType = UNSET
    ts: str | UnsetType = UNSET


class Update(Message, frozen=True, kw_only=True):
    """A newest-wins reading: a later one with the same `conflation_key` replaces it unsent."""

    ts: str | UnsetType = UNSET

    @property
    def conflation_key(self) -> str:
        """Name what a later update replaces."""
        return type(self).__name__


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first line of every connection, from the server."""

    server: str
    version: str
    pid: int
    boot_id: str
    proto: int = PROTO


class Error(Message, frozen=True, kw_only=True, tag="error"):
    """A refusal or a fault; `code` is one of `hearing.errors.ErrorCode`."""

    code: str
    message: str
    hint: str = ""
    request_id: str | int | UnsetType = UNSET


class Lost(Message, frozen=True, kw_only=True, tag="lost"):
    """Events this client was too slow for: `count` of them from `from_seq` on."""

    from_seq: int
    count: int


class HealthPart(StrEnum):
    """What a health event speaks of."""

    MIC = "mic"
    SYSTEM = "system"
    STT = "stt"


class HealthState(StrEnum):
    """States of a leg, then states of the recognizer."""

    STARTING = "starting"
    LISTENING = "listening"
    QUIET = "quiet"
    NO_SIGNAL = "no_signal"
    NO_DEVICE = "no_device"
    DEGRADED = "degraded"
    REOPENING = "reopening"
    MUTED = "muted"
    ENDED = "ended"
    LOADING = "loading"
    READY = "ready"
    RESTARTING = "restarting"
    NO_MODEL = "no_model"
    FAILED = "failed"
    REMOTE = "remote"


class Health(Event, frozen=True, kw_only=True, tag="health"):
    """The state of one part, sent on change; `detail` says what is wrong, `hint` what to do."""

    part: HealthPart
    state: HealthState
    device: str = ""
    detail: str = ""
    hint: str = ""


class Speaker(msgspec.Struct, frozen=True, kw_only=True):
    """One known voice."""

    id: str
    name: str | None
    status: str
    cumulative_s: float
    sample_path: str | None
    created_at: str


class Speakers(Event, frozen=True, kw_only=True, tag="speakers"):
    """The whole roster of voices, on mint, confirm, rename and prune."""

    speakers: list[Speaker]


class SpeechStart(Event, frozen=True, kw_only=True, tag="speech_start"):
    """VAD opened a segment at `at_ms` of stream time, pre-roll included."""

    seg_id: int
    leg: Channel
    at_ms: int


class SpeechStop(Event, frozen=True, kw_only=True, tag="speech_stop"):
    """VAD closed a segment at `at_ms` of stream time."""

    seg_id: int
    leg: Channel
    at_ms: int


class Partial(Update, frozen=True, kw_only=True, tag="partial"):
    """Words so far of an open segment: `stable` will not change, `unstable` may."""

    seg_id: int
    leg: Channel
    stable: str
    unstable: str

    @property
    def conflation_key(self) -> str:
        """Keep the newest per segment."""
        return f"partial:{self.seg_id}"


class Transcript(Event, frozen=True, kw_only=True, tag="transcript"):
    """Finalized words over `[start_ms, end_ms)` of stream time; one per recognized piece.

    `confidence` is 0 to 1 or null; `speaker` is the name as the sender resolved it.
    """

    seg_id: int
    leg: Channel
    start_ms: int
    end_ms: int
    text: str
    language: str | None = None
    confidence: float | None = None
    speaker_id: str | None = None
    speaker_status: str = "none"
    speaker: str | None = None
    speaker_score: float | None = None
