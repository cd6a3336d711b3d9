"""What stands in the transcript: one frozen record per line of history, made safe as it enters.

Everything foreign becomes a `str` here, through `safe_line`, and is only ever drawn as plain text after.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hearing.messages.common import Lost, Transcript
from hearing.messages.daemon import Dropped, Gap
from hearing.safe_text import safe_line
from hearing.time_of_day import time_of_day
from hearing.types import Channel

MAX_TEXT_CHARS: Final = 4_000
"""Longer text is cut: the longest segment (28 s) holds a tenth of it."""

_UNKNOWN: Final = "Unknown"


class Naming(StrEnum):
    """What is known of who spoke."""

    OFF = "off"
    UNKNOWN = "unknown"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class Spoken:
    """Finalized words; `at` is when they began, as `HH:MM:SS`, or "" where the message had no stamp.

    `stamp` is the whole stamp: it tells a replay from the same words said again, even after a restart of
    everything, when ids and stream times begin anew.
    """

    seg_id: int
    leg: Channel
    start_ms: int
    end_ms: int
    at: str
    text: str
    language: str
    naming: Naming
    speaker: str
    speaker_id: str
    stamp: str = ""

    @property
    def duration_ms(self) -> int:
        """Give the length of the speech; a sender's nonsense counts as none."""
        return max(0, self.end_ms - self.start_ms)


@dataclass(frozen=True, slots=True)
class Note:
    """A quiet line between the words: a gap, a dropped segment, events this terminal was too slow for.

    The same note again is counted instead of repeated; `leg` is None where it concerns both.
    """

    text: str
    leg: Channel | None = None
    at: str = ""
    count: int = 1

    def says_the_same(self, other: "Note") -> bool:
        """Say whether the other is this note once more."""
        return (self.text, self.leg) == (other.text, other.leg)


Entry = Spoken | Note

_DROPPED: Final[dict[Dropped, str]] = {
    Dropped.NOISE: "noise, no words",
    Dropped.EMPTY: "no words",
    Dropped.HALLUCINATION: "no real words",
    Dropped.WORKER_CRASH: "words lost: the recognizer crashed on them",
    Dropped.BACKLOG: "words lost: the recognizer is too slow",
    Dropped.ECHO: "an echo of the other side",
}


def spoken(message: Transcript) -> Spoken:
    """Make the record of one transcript."""
    naming, speaker = _who(message)
    return Spoken(
        seg_id=message.seg_id,
        leg=message.leg,
        start_ms=message.start_ms,
        end_ms=message.end_ms,
        at=time_of_day(message.ts, before_ms=max(0, message.end_ms - message.start_ms)),
        text=bounded(message.text),
        language=safe_line(message.language or "")[:16],
        naming=naming,
        speaker=speaker,
        speaker_id=message.speaker_id or "",
        stamp=message.ts if isinstance(message.ts, str) else "",
    )


def gap(message: Gap) -> Note:
    """Say what is missing between two instants."""
    seconds = max(0, message.to_ms - message.from_ms) / 1000
    reason = safe_line(message.reason)[:80].replace("_", " ")
    text = f"{seconds:.1f} s missing" + (f": {reason}" if reason else "")
    return Note(text, message.leg, time_of_day(message.ts))


def dropped(reason: Dropped, leg: Channel | None, at: str) -> Note:
    """Say why a segment gave no words."""
    return Note(_DROPPED[reason], leg, at)


def lost(message: Lost) -> Note:
    """Say how much this terminal was too slow for."""
    return Note(f"{message.count} events lost: this terminal was too slow")


def bounded(text: str) -> str:
    """Give foreign text on one line, harmless and of a length that can be drawn."""
    line = safe_line(text[: 4 * MAX_TEXT_CHARS])
    return line if len(line) <= MAX_TEXT_CHARS else line[:MAX_TEXT_CHARS] + " … (cut)"


def _who(message: Transcript) -> tuple[Naming, str]:
    name = safe_line(message.speaker or "")[:40]
    if message.speaker_status == "none":
        return Naming.OFF, ""
    if name and name != _UNKNOWN:
        return Naming.NAMED, name
    return Naming.UNKNOWN, _UNKNOWN
