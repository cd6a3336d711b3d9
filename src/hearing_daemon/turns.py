"""When a turn of one leg is over: it was silent for long enough, and all of it is recognized. No I/O.

    turns, ended = step(turns, Opened(seg_id=7))

Silence is counted in stream time, so a slow recognizer joins no two turns and a fast file splits none.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Opened:
    """Speech began."""

    seg_id: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The open segment's last speech ended at `speech_end_ms` of stream time."""

    seg_id: int
    speech_end_ms: int


@dataclass(frozen=True, slots=True)
class Done:
    """A segment is recognized or dropped; `has_text` says which."""

    seg_id: int
    has_text: bool


@dataclass(frozen=True, slots=True)
class Passed:
    """Stream time has come to `now_ms`."""

    now_ms: int


@dataclass(frozen=True, slots=True)
class SourceEnded:
    """Nothing more will come: the source ended or was muted."""


Event = Opened | Closed | Done | Passed | SourceEnded


@dataclass(frozen=True, slots=True)
class Turn:
    """Segments in order; `undone` of them are not recognized yet, `is_over` once silence ended it."""

    seg_ids: tuple[int, ...]
    undone: frozenset[int]
    open_seg: int | None
    last_speech_ms: int = 0
    has_text: bool = False
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Turns:
    """The unfinished turns of one leg, oldest first; only the newest may still be spoken."""

    silence_ms: int
    unfinished: tuple[Turn, ...] = ()


Outcome = tuple[Turns, tuple[tuple[int, ...], ...]]


def step(turns: Turns, event: Event) -> Outcome:
    """Take an event; give also the segments of each turn that has ended by it.

    A turn in which nothing gave text ends without a word.
    """
    return _settle(_STEPS[type(event)](turns, event))


def _opened(turns: Turns, event: Opened) -> Turns:
    newest = turns.unfinished[-1] if turns.unfinished else None
    if newest is None or newest.is_over:
        turn = Turn((event.seg_id,), frozenset({event.seg_id}), event.seg_id)
        return replace(turns, unfinished=(*turns.unfinished, turn))
    return _with_newest(
        turns,
        seg_ids=(*newest.seg_ids, event.seg_id),
        undone=newest.undone | {event.seg_id},
        open_seg=event.seg_id,
    )


def _closed(turns: Turns, event: Closed) -> Turns:
    return _with_newest(turns, open_seg=None, last_speech_ms=event.speech_end_ms)


def _done(turns: Turns, event: Done) -> Turns:
    return replace(
        turns,
        unfinished=tuple(
            replace(turn, undone=turn.undone - {event.seg_id}, has_text=turn.has_text or event.has_text)
            if event.seg_id in turn.undone
            else turn
            for turn in turns.unfinished
        ),
    )


def _passed(turns: Turns, event: Passed) -> Turns:
    newest = turns.unfinished[-1] if turns.unfinished else None
    if newest is None or newest.open_seg is not None:
        return turns
    return _with_newest(turns, is_over=event.now_ms - newest.last_speech_ms >= turns.silence_ms)


def _source_ended(turns: Turns, event: SourceEnded) -> Turns:
    return _with_newest(turns, is_over=True) if turns.unfinished else turns


_STEPS: Final[dict[type[Any], Callable[[Turns, Any], Turns]]] = {
    Opened: _opened,
    Closed: _closed,
    Done: _done,
    Passed: _passed,
    SourceEnded: _source_ended,
}


def _with_newest(turns: Turns, **changes: Any) -> Turns:
    *older, newest = turns.unfinished
    return replace(turns, unfinished=(*older, replace(newest, **changes)))


def _settle(turns: Turns) -> Outcome:
    """Take the ended turns off the front, so that they end in the order they were spoken."""
    ended = []
    rest = turns.unfinished
    while rest and rest[0].is_over and not rest[0].undone:
        if rest[0].has_text:
            ended.append(rest[0].seg_ids)
        rest = rest[1:]
    return replace(turns, unfinished=rest), tuple(ended)
