"""Word error rate as the Open ASR leaderboard counts it: after the English normalizer of Whisper."""

from collections.abc import Iterable, Sequence
from functools import cache

import jiwer
from whisper_normalizer.english import EnglishTextNormalizer


def wer_pct(references: Sequence[str], hypotheses: Iterable[str]) -> float:
    """Give the errors per hundred reference words over all texts together, after normalization.

    Raises:
        ValueError: The two sides are not of equal length, or no reference has a word.
    """
    said = [normalized(text) for text in references]
    heard = [normalized(text) for text in hypotheses]
    if len(said) != len(heard):
        raise ValueError(f"{len(heard)} hypotheses for {len(said)} references")
    if not any(map(str.split, said)):
        raise ValueError("no word in the references")
    return 100 * float(jiwer.wer(said, heard))


def normalized(text: str) -> str:
    """Give the text as it is compared: case, punctuation, numbers, contractions and spelling evened out."""
    return str(_normalizer()(text))


@cache
def _normalizer() -> EnglishTextNormalizer:
    return EnglishTextNormalizer()  # reads its spelling table from disk
