"""Words that the overlap of a forced cut made double, removed. Pure text."""

import unicodedata
from collections.abc import Sequence
from typing import Final

MOST_DOUBLED_WORDS: Final = 12
"""Nobody says more words in the two seconds that an overlap may last."""


def normalized(word: str) -> str:
    """Give a word as it is compared: case folded, punctuation and accents of width left out."""
    folded = unicodedata.normalize("NFKC", word).casefold()
    return "".join(char for char in folded if char.isalnum())


def doubled_words(before: str, after: str) -> int:
    """Count the leading words of `after` that repeat the end of `before`.

    The longest repetition counts; the first word after the cut may be a fragment that matches nothing, if at
    least two whole words behind it do.
    """
    tail = [normalized(word) for word in before.split()[-MOST_DOUBLED_WORDS:]]
    head = [normalized(word) for word in after.split()[: MOST_DOUBLED_WORDS + 1]]
    whole = _longest(tail, head)
    beyond_fragment = _longest(tail, head[1:])
    return beyond_fragment + 1 if beyond_fragment >= max(2, whole) else whole


def without_first_words(text: str, count: int) -> str:
    """Give the text without its first `count` words."""
    return " ".join(text.split()[count:])


def _longest(tail: Sequence[str], head: Sequence[str]) -> int:
    lengths = range(min(len(tail), len(head)), 0, -1)
    return next((length for length in lengths if tail[-length:] == head[:length] and any(head[:length])), 0)
