"""Words counted as Whisper's own normalizer evens them out."""

import pytest

from hearing_cli.wer import normalized, wer_pct


def test_case_punctuation_and_spelled_numbers_do_not_count() -> None:
    assert wer_pct(["They asked for nine hundred dollars."], ["they asked for $900"]) == 0.0


def test_substitutions_deletions_and_insertions_count_over_all_texts_together() -> None:
    assert wer_pct(["red green blue black", "cat dog"], ["red green glue black", "cat"]) == pytest.approx(
        100 / 3
    )
    assert wer_pct(["red green blue black"], ["red green blue black very much"]) == 50.0


def test_unequal_or_empty_sides_are_refused() -> None:
    with pytest.raises(ValueError, match="1 hypotheses for 2 references"):
        wer_pct(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="no word in the references"):
        wer_pct(["!?"], ["a"])


def test_normalized_text_is_what_is_compared() -> None:
    assert normalized("Let's MEET, on page twelve!") == "let us meet on page 12"
