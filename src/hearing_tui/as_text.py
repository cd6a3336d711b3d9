"""A control message as one line for people, or None where it is nothing to read. Pure."""

from collections.abc import Callable
from typing import Any, Final

from hearing.messages.common import Error, Health, Lost, Transcript
from hearing.messages.control import Notice, SttChanged
from hearing.messages.daemon import Gap, SegmentDone
from hearing.safe_text import safe_line
from hearing.time_of_day import time_of_day
from hearing_tui import entries
from hearing_tui.entries import Entry, Spoken
from hearing_tui.lines import header_line, note_line


def as_text(message: object) -> str | None:
    """Give the line; everything foreign in it is harmless."""
    render = _RENDER.get(type(message))
    return None if render is None else render(message)


def _entry(entry: Entry) -> str:
    line = header_line(entry, {})[1:] if isinstance(entry, Spoken) else note_line(entry)
    words = f"  {entry.text}" if isinstance(entry, Spoken) else ""
    return "".join(text for text, _ in line) + words


def _segment_done(message: SegmentDone) -> str | None:
    if message.dropped is None:
        return None
    return _entry(entries.dropped(message.dropped, None, time_of_day(message.ts)))


def _health(message: Health) -> str:
    more = "; ".join(filter(None, (message.device, message.detail, message.hint)))
    return safe_line(f"{message.part}: {message.state}" + (f" ({more})" if more else ""))


def _stt(message: SttChanged) -> str:
    stt = message.stt
    state = "healthy" if stt.healthy else "not healthy" if stt.connected else "no daemon"
    more = "; ".join(filter(None, (stt.model, "muted" if stt.muted else "", stt.detail, stt.hint)))
    return safe_line(f"stt: {state}" + (f" ({more})" if more else ""))


_RENDER: Final[dict[type, Callable[[Any], str | None]]] = {
    Transcript: lambda message: _entry(entries.spoken(message)),
    Gap: lambda message: _entry(entries.gap(message)),
    Lost: lambda message: _entry(entries.lost(message)),
    SegmentDone: _segment_done,
    Health: _health,
    SttChanged: _stt,
    Notice: lambda message: safe_line(f"{message.level}: {message.text}"),
    Error: lambda message: safe_line(f"error: {message.message}"),
}
