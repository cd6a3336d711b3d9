"""The transcript as a document, in pages that joined in order are the whole of it. Pure.

A page that is not the last promises another, which always has a line: the newest is never evicted. Pages
are cut by their size on the wire, so that each answer keeps within one line of the protocol.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from hearing.messages.control import TranscriptFormat
from hearing.safe_text import safe_line
from hearing.time_of_day import time_of_day
from hearing_assistant.display import who
from hearing_assistant.transcripts import Line

PAGE_BYTES: Final = 192 * 1024
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a document with the lines it holds; `next_index` is None on the last one."""

    text: str
    lines: int
    next_index: int | None


@dataclass(frozen=True, slots=True)
class _Shape:
    """How one format opens, separates and closes a document around its rendered lines."""

    opening: str
    line: Callable[[Line], str]
    separator: str
    closing: str
    empty: str


def page(
    lines: Iterable[Line], form: TranscriptFormat, *, first: bool, limit_bytes: int = PAGE_BYTES
) -> Page:
    """Render lines until they end or the page is full; a page takes one line at least.

    Args:
        lines: From where this page begins; the rest of them go into later pages.
        form: The format.
        first: Whether the document begins here.
        limit_bytes: The size of the text as JSON, one line more at most.
    """
    shape = _SHAPES[form]
    parts: list[str] = []
    used_bytes = 0
    for line in lines:
        part = shape.line(line)
        used_bytes += len(msgspec.json.encode(part))
        if parts and used_bytes > limit_bytes:
            text = shape.separator.join(parts) + shape.separator
            return Page((shape.opening if first else "") + text, len(parts), line.index)
        parts.append(part)
    if first and not parts:
        return Page(shape.empty, 0, None)
    text = shape.separator.join(parts) + shape.closing
    return Page((shape.opening if first else "") + text, len(parts), None)


def _txt(line: Line) -> str:
    return f"{_time_of_day(line)} {_who(line)}: {safe_line(line.transcript.text)}"


def _md(line: Line) -> str:
    text = _MARKDOWN.sub(r"\\\1", safe_line(line.transcript.text))
    name = _MARKDOWN.sub(r"\\\1", _who(line))
    return f"**{name}** ({_time_of_day(line)}): {text}"


def _srt(line: Line) -> str:
    """Give one cue, never an empty one, numbered by the line's index from 1 so that later pages count on."""
    said = safe_line(line.transcript.text).replace("-->", "->") or "…"
    spoken = f"{safe_line(line.transcript.speaker)}: {said}" if line.transcript.speaker else said
    return f"{line.index + 1}\n{_srt_time(line.start_ms)} --> {_srt_time(line.end_ms)}\n{spoken}\n"


def _json(line: Line) -> str:
    said = line.transcript
    return msgspec.json.encode(
        {
            "index": line.index,
            "ts": said.ts or None,
            "start_ms": line.start_ms,
            "end_ms": line.end_ms,
            "leg": said.leg,
            "speaker": said.speaker,
            "language": said.language,
            "confidence": said.confidence,
            "text": said.text,
        }
    ).decode()


_SHAPES: Final[dict[TranscriptFormat, _Shape]] = {
    TranscriptFormat.TXT: _Shape("", _txt, "\n", "\n", ""),
    TranscriptFormat.JSON: _Shape("[\n", _json, ",\n", "\n]\n", "[]\n"),
    TranscriptFormat.MD: _Shape("# Transcript\n\n", _md, "\n\n", "\n", "# Transcript\n"),
    TranscriptFormat.SRT: _Shape("", _srt, "\n", "", ""),
}


def _who(line: Line) -> str:
    return safe_line(who(line.transcript))


def _time_of_day(line: Line) -> str:
    """Give the wall clock when the words began, else their stream time."""
    length_ms = max(0, line.end_ms - line.start_ms)
    return time_of_day(line.transcript.ts, before_ms=length_ms) or _srt_time(line.start_ms)[:-4]


def _srt_time(at_ms: int) -> str:
    seconds, ms = divmod(at_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d},{ms:03d}"
