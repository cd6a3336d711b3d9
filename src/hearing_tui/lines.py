"""How each row reads: entries and live speech as lines of (text, role), without colours. Pure."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from hearing.types import Channel
from hearing_tui.document import Place
from hearing_tui.entries import Naming, Note, Spoken
from hearing_tui.labels import LEGS, duration
from hearing_tui.live import Live, LiveSegments
from hearing_tui.wrap import wrap


class Role(StrEnum):
    """What a piece of a line is; the style sheet has a colour for each."""

    ME = "me"
    THEM = "them"
    META = "meta"
    NAMED = "named"
    UNKNOWN = "unknown"
    TEXT = "text"
    STABLE = "stable"
    UNSTABLE = "unstable"
    LISTENING = "listening"
    NOTE = "note"


Line = tuple[tuple[str, Role], ...]

GUTTER: Final = "▎ "
GUTTER_CELLS: Final = 2

_LEG_ROLES: Final = {Channel.MIC: Role.ME, Channel.SYSTEM: Role.THEM}
_NAMING_ROLES: Final = {Naming.NAMED: Role.NAMED, Naming.UNKNOWN: Role.UNKNOWN}


def line_at(place: Place, width: int, names: Mapping[str, str]) -> Line:
    """Give one row of the history; `width` is that of the text, without the gutter."""
    entry = place.entry
    if isinstance(entry, Note):
        return note_line(entry) if place.row == 0 else ()
    if place.row == 0:
        return header_line(entry, names)
    lines = wrap(entry.text, width)
    if place.row > len(lines):
        return ()
    return ((GUTTER, _LEG_ROLES[entry.leg]), (lines[place.row - 1], Role.TEXT))


def live_lines(live: LiveSegments, width: int) -> list[Line]:
    """Give the rows of speech without final words: a header each, the words so far, a blank row."""
    lines: list[Line] = []
    for segment in live.values():
        lines += [_live_header(segment), *_words_so_far(segment, width), ()]
    return lines


def header_line(entry: Spoken, names: Mapping[str, str]) -> Line:
    """Give the first row of an entry: gutter, time, leg, language, speaker, duration."""
    leg = _LEG_ROLES[entry.leg]
    naming, speaker = _speaker(entry, names)
    pieces = [(GUTTER, leg), (entry.at, Role.META), (LEGS[entry.leg], leg), (entry.language, Role.META)]
    if naming is not Naming.OFF:
        pieces.append((speaker, _NAMING_ROLES[naming]))
    pieces.append((duration(entry.duration_ms), Role.META))
    return _spaced(pieces)


def _speaker(entry: Spoken, names: Mapping[str, str]) -> tuple[Naming, str]:
    """Take today's name of a voice that was matched, so that a rename reaches old lines."""
    name = names.get(entry.speaker_id, "") if entry.naming is Naming.NAMED else ""
    return entry.naming, name or entry.speaker


def note_line(note: Note) -> Line:
    """Give the one row of a note."""
    leg = f"{LEGS[note.leg]}: " if note.leg else ""
    times = f", {note.count} times" if note.count > 1 else ""
    at = f"{note.at}  " if note.at else ""
    return ((f"· {at}{leg}{note.text}{times}", Role.NOTE),)


def _live_header(segment: Live) -> Line:
    leg = _LEG_ROLES[segment.leg]
    waiting = "…listening" if segment.open else "…recognizing"
    return _spaced(
        [(GUTTER, leg), (segment.at, Role.META), (LEGS[segment.leg], leg), (waiting, Role.LISTENING)]
    )


def _words_so_far(segment: Live, width: int) -> list[Line]:
    stable_chars = len(segment.stable)
    text = f"{segment.stable} {segment.unstable}".strip()
    lines: list[Line] = []
    at = 0
    for part in wrap(text, width) if text else []:
        at = text.find(part, at)
        sure = max(0, min(len(part), stable_chars - at))
        lines.append(
            (
                (GUTTER, _LEG_ROLES[segment.leg]),
                (part[:sure], Role.STABLE),
                (part[sure:], Role.UNSTABLE),
            )
        )
        at += len(part)
    return lines


def _spaced(pieces: list[tuple[str, Role]]) -> Line:
    """Put two blanks between the pieces that say something; the gutter has its own."""
    gutter, *rest = pieces
    spaced: list[tuple[str, Role]] = [gutter]
    for text, role in rest:
        if text:
            spaced += [(text, role), ("  ", Role.META)]
    return tuple(spaced[:-1])
