"""A transcript as a document, in pages that joined in order are the whole of it. Pure.

A page that is not the last promises another, which always has a line: the newest is never evicted. Pages
are cut by their size on the wire, so that each answer keeps within one line of the protocol.
"""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec

from hearing.messages.common import Transcript
from hearing.messages.control import TranscriptFormat
from hearing.safe_text import safe_line
from hearing.time_of_day import time_of_day
from hearing.types import Channel

PAGE_BYTES: Final = 192 * 1024
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")
_LEGS: Final = {Channel.MIC: "me", Channel.SYSTEM: "them"}


class DocumentFormat(StrEnum):
    """What a document can be: all that `transcript_get` gives, and WebVTT."""

    TXT = "txt"
    JSON = "json"
    MD = "md"
    SRT = "srt"
    VTT = "vtt"


@dataclass(frozen=True, slots=True)
class Line:
    """One final: `index` counts all ever kept; `[start_ms, end_ms)` only moves forward in a document."""

    index: int
    start_ms: int
    end_ms: int
    transcript: Transcript


def who(transcript: Transcript) -> str:
    """Name the voice of a resolved transcript in a document: the speaker, else the leg it came in on."""
    return transcript.speaker or _LEGS[transcript.leg]


def speaker_only(transcript: Transcript) -> str:
    """Name the speaker, or nobody: a recording has no leg that is worth a name."""
    return transcript.speaker or ""


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
    line: Callable[[Line, str], str]
    separator: str
    closing: str
    empty: str


def document(lines: Iterable[Line], form: DocumentFormat, *, name: Callable[[Transcript], str] = who) -> str:
    """Render all lines at once; `name` says what stands beside each, "" leaves the name out."""
    return page(lines, form, first=True, limit_bytes=sys.maxsize, name=name).text


def page(
    lines: Iterable[Line],
    form: TranscriptFormat | DocumentFormat,
    *,
    first: bool,
    limit_bytes: int = PAGE_BYTES,
    name: Callable[[Transcript], str] = who,
) -> Page:
    """Render lines until they end or the page is full; a page takes one line at least.

    Args:
        lines: From where this page begins; the rest of them go into later pages.
        form: The format.
        first: Whether the document begins here.
        limit_bytes: The size of the text as JSON, one line more at most.
        name: Gives what stands beside a line, or "".
    """
    shape = _SHAPES[DocumentFormat(form)]
    parts: list[str] = []
    used_bytes = 0
    for line in lines:
        part = shape.line(line, safe_line(name(line.transcript)))
        used_bytes += len(msgspec.json.encode(part))
        if parts and used_bytes > limit_bytes:
            text = shape.separator.join(parts) + shape.separator
            return Page((shape.opening if first else "") + text, len(parts), line.index)
        parts.append(part)
    if first and not parts:
        return Page(shape.empty, 0, None)
    text = shape.separator.join(parts) + shape.closing
    return Page((shape.opening if first else "") + text, len(parts), None)


def _txt(line: Line, name: str) -> str:
    """Give the words of a line; where nobody is named they stand alone."""
    said = safe_line(line.transcript.text)
    return f"{_time_of_day(line)} {name}: {said}" if name else said


def _md(line: Line, name: str) -> str:
    text = _MARKDOWN.sub(r"\\\1", safe_line(line.transcript.text))
    bold = _MARKDOWN.sub(r"\\\1", name)
    return f"**{bold}** ({_time_of_day(line)}): {text}" if name else f"({_time_of_day(line)}) {text}"


def _srt(line: Line, _name: str) -> str:
    """Give one cue, numbered by the line's index from 1 so that later pages count on."""
    times = f"{_clock(line.start_ms, ',')} --> {_clock(line.end_ms, ',')}"
    return f"{line.index + 1}\n{times}\n{_cue(line)}\n"


def _vtt(line: Line, _name: str) -> str:
    """Give one cue; what would be a tag or a character reference is written out."""
    said = _cue(line).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"{_clock(line.start_ms, '.')} --> {_clock(line.end_ms, '.')}\n{said}\n"


def _cue(line: Line) -> str:
    """Give a subtitle's one line: never empty, never with what looks like times."""
    said = safe_line(line.transcript.text).replace("-->", "->") or "…"
    return f"{safe_line(line.transcript.speaker)}: {said}" if line.transcript.speaker else said


def _json(line: Line, _name: str) -> str:
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


_SHAPES: Final[dict[DocumentFormat, _Shape]] = {
    DocumentFormat.TXT: _Shape("", _txt, "\n", "\n", ""),
    DocumentFormat.JSON: _Shape("[\n", _json, ",\n", "\n]\n", "[]\n"),
    DocumentFormat.MD: _Shape("# Transcript\n\n", _md, "\n\n", "\n", "# Transcript\n"),
    DocumentFormat.SRT: _Shape("", _srt, "\n", "", ""),
    DocumentFormat.VTT: _Shape("WEBVTT\n\n", _vtt, "\n", "", "WEBVTT\n"),
}


def _time_of_day(line: Line) -> str:
    """Give the wall clock when the words began, else their stream time."""
    length_ms = max(0, line.end_ms - line.start_ms)
    return time_of_day(line.transcript.ts, before_ms=length_ms) or _clock(line.start_ms)[:-4]


def _clock(at_ms: int, point: str = ".") -> str:
    seconds, ms = divmod(at_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{point}{ms:03d}"
