"""Word error rate as the Open ASR leaderboard counts it: after the English normalizer of Whisper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import jiwer
from whisper_normalizer.english import EnglishTextNormalizer


@dataclass(frozen=True, slots=True)
class WordErrors:
    """Substitutions, deletions and insertions, against the number of reference words."""

    errors: int
    words: int

    @property
    def pct(self) -> float:
        """Give the errors per hundred reference words: the word error rate."""
        return 100 * self.errors / self.words


def word_errors(references: Sequence[str], hypotheses: Iterable[str]) -> WordErrors:
    """Count the errors over all texts together, after normalization.

    Raises:
        ValueError: The two sides are not of equal length, or no reference has a word.
    """
    said = [normalized(text) for text in references]
    heard = [normalized(text) for text in hypotheses]
    if len(said) != len(heard):
        raise ValueError(f"{len(heard)} hypotheses for {len(said)} references")
    if not any(map(str.split, said)):
        raise ValueError("no word in the references")
    counts = jiwer.process_words(said, heard)
    return WordErrors(
        errors=counts.substitutions + counts.deletions + counts.insertions,
        words=counts.hits + counts.substitutions + counts.deletions,
    )


def wer_pct(references: Sequence[str], hypotheses: Iterable[str]) -> float:
    """Give the errors per hundred reference words; raises as `word_errors` does."""
    return word_errors(references, hypotheses).pct


def normalized(text: str) -> str:
    """Give the text as it is compared: case, punctuation, numbers, contractions and spelling evened out."""
    return str(_normalizer()(text))


@cache
def _normalizer() -> EnglishTextNormalizer:
    return EnglishTextNormalizer()  # reads its spelling table from disk
