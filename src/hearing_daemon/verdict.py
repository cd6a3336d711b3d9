"""What of a recognition is published: what was really said, once, harmless to print. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hearing.interfaces import Recognition
from hearing.messages.daemon import Dropped
from hearing.safe_text import safe_line
from hearing.types import TimeSpan
from hearing_daemon.stitch import doubled_words, without_first_words

NO_SPEECH_ABOVE: Final = 0.6
MEAN_LOGPROB_BELOW: Final = -1.0
"""Both doubts together mean that the engine invented it; Whisper's own two figures."""
MOST_CHARS: Final = 8_192
"""Half a minute of the fastest speech is a tenth of it; more is no speech, and might not fit one line."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words over a span of stream time."""

    span: TimeSpan
    text: str
    language: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The pieces to publish; where there are none, `dropped` says why."""

    pieces: tuple[Piece, ...]
    dropped: Dropped | None


def judge(span: TimeSpan, recognitions: Sequence[Recognition], said_before: str = "") -> Verdict:
    """Judge what an engine made of `span`; `said_before` is the text whose end the span repeats, or ""."""
    cleaned = [replace(recognition, text=safe_line(recognition.text)) for recognition in recognitions]
    believed = [recognition for recognition in cleaned if not is_invented(recognition)]
    pieces = tuple(_without_doubles(span, believed, said_before))
    if pieces:
        return Verdict(pieces, None)
    return Verdict((), Dropped.HALLUCINATION if len(believed) < len(cleaned) else Dropped.EMPTY)


def is_invented(recognition: Recognition) -> bool:
    """Say whether the engine doubts both the speech and the words, or nobody could say so much."""
    if len(recognition.text) > MOST_CHARS:
        return True
    if recognition.no_speech is None or recognition.mean_logprob is None:
        return False
    return recognition.no_speech > NO_SPEECH_ABOVE and recognition.mean_logprob < MEAN_LOGPROB_BELOW


def _without_doubles(span: TimeSpan, believed: Sequence[Recognition], said_before: str) -> Iterator[Piece]:
    doubled = doubled_words(said_before, " ".join(recognition.text for recognition in believed))
    for recognition in believed:
        text = without_first_words(recognition.text, doubled)
        doubled = max(0, doubled - len(recognition.text.split()))
        if any(char.isalnum() for char in text):
            where = _place(span, recognition)
            yield Piece(where, text, recognition.language, recognition.confidence)


def _place(span: TimeSpan, recognition: Recognition) -> TimeSpan:
    """Move times from the utterance into the stream; engines date words beyond the end now and then."""
    start_ms = min(span.start_ms + max(0, recognition.start_ms), span.end_ms)
    end_ms = min(span.start_ms + max(0, recognition.end_ms), span.end_ms)
    return TimeSpan(start_ms, max(start_ms, end_ms))
