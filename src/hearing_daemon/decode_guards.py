"""When a decoded text deserves a second look, which of two texts to keep, and what to cut from it. Pure.

A decoder that has lost the sound repeats itself, runs on, or is unsure; honest speech shows such signs now
and then. So a sign only asks for another decode in a longer window, and that one settles it.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Doubt(StrEnum):
    """A sign that a text was not said."""

    RUNAWAY = "runaway"  # cut off at the cap on tokens
    COMPRESSES = "compresses"  # far better than speech does
    REPEATS = "repeats"  # the same words three times in a row
    DOUBLED = "doubled"  # nothing but the same words twice
    CROWDED = "crowded"  # more than a mouth says in that time
    UNSURE = "unsure"  # the decoder itself gives it little chance


LOOPS: Final = frozenset({Doubt.RUNAWAY, Doubt.COMPRESSES})
"""Signs that no agreement clears."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One decode of one clip, with what the decoder thinks of it.

    `answer_text` is the whole answer, `text` the part up to the clip's end; `ended` is False when the cap cut
    it; `mean_logprob` is per token, `no_speech` the chance that nobody spoke.
    """

    text: str
    answer_text: str
    start_ms: int
    end_ms: int
    clip_ms: int
    ended: bool
    mean_logprob: float
    no_speech: float
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a sign counts; the first three are the figures published with Whisper."""

    compression_above: float = 2.4
    logprob_below: float = -1.0
    no_speech_above: float = 0.6
    copies: int = 3
    words_per_s: float = 6.0
    spare_words: int = 2


def doubts(draft: Draft, limits: Limits) -> tuple[Doubt, ...]:
    """Name every sign in a draft; none if the decoder itself says that nobody spoke."""
    if draft.no_speech > limits.no_speech_above and draft.mean_logprob < limits.logprob_below:
        return ()
    return tuple(doubt for doubt, shows in GUARDS.items() if shows(draft, limits))


def settle(first: Draft, second: Draft, limits: Limits) -> Draft:
    """Choose between a draft that left a doubt and the one that was made to settle it.

    What both say was said, however odd, unless it is a loop; else fewer signs win, then the likelier. The
    higher `no_speech` stays; two unsure drafts of different words are the surest sign that nobody spoke.
    """
    alike = _words(first.text) == _words(second.text)
    nobody = not alike and _is_unsure(first, limits) and _is_unsure(second, limits)
    best = second if alike else _likelier(first, second, limits)
    signs = set(doubts(best, limits))
    looped = signs & LOOPS if alike else signs
    return replace(
        best,
        text=without_loops(best.text, limits.copies) if looped else best.text,
        no_speech=1.0 if nobody else max(first.no_speech, second.no_speech),
    )


def _likelier(first: Draft, second: Draft, limits: Limits) -> Draft:
    return max(second, first, key=lambda draft: (-len(doubts(draft, limits)), draft.mean_logprob))


def without_loops(text: str, copies: int) -> str:
    """Keep one of words that are said `copies` times in a row or more."""
    kept = text.split()
    while run := _first_run(_words(" ".join(kept)), copies):
        start, period, length = run
        kept = kept[: start + period] + kept[start + length :]
    return " ".join(kept)


def compression_ratio(text: str) -> float:
    """Give how many times smaller zlib makes a text: about 1 for a sentence, past 2.4 for a loop."""
    data = text.encode()
    return len(data) / len(zlib.compress(data))


def _runs_away(draft: Draft, limits: Limits) -> bool:
    return not draft.ended


def _compresses(draft: Draft, limits: Limits) -> bool:
    return compression_ratio(draft.answer_text) > limits.compression_above


def _repeats(draft: Draft, limits: Limits) -> bool:
    return _first_run(_words(draft.text), limits.copies) is not None


def _is_doubled(draft: Draft, limits: Limits) -> bool:
    words = _words(draft.text)
    half = len(words) // 2
    return half > 0 and words[:half] == words[half:]


def _is_crowded(draft: Draft, limits: Limits) -> bool:
    return len(_words(draft.text)) > limits.spare_words + limits.words_per_s * draft.clip_ms / 1_000


def _is_unsure(draft: Draft, limits: Limits) -> bool:
    return draft.mean_logprob < limits.logprob_below


GUARDS: Final[Mapping[Doubt, Callable[[Draft, Limits], bool]]] = MappingProxyType(
    {
        Doubt.RUNAWAY: _runs_away,
        Doubt.COMPRESSES: _compresses,
        Doubt.REPEATS: _repeats,
        Doubt.DOUBLED: _is_doubled,
        Doubt.CROWDED: _is_crowded,
        Doubt.UNSURE: _is_unsure,
    }
)


def _words(text: str) -> list[str]:
    """Split at blanks only, to keep the text's positions; case and punctuation do not count."""
    return ["".join(filter(str.isalnum, word)).casefold() or word for word in text.split()]


def _first_run(words: Sequence[str], copies: int) -> tuple[int, int, int] | None:
    """Find the first run of copies, shortest period first: its start, period and length in words."""
    for period in range(1, len(words) // copies + 1):
        start = 0
        for at in range(period, len(words) + 1):
            if at < len(words) and words[at] == words[at - period]:
                continue
            whole = (at - start) // period
            if whole >= copies:
                return start, period, whole * period
            start = at - period + 1
    return None
