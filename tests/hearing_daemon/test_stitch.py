"""Words doubled by an overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing_daemon.stitch import MOST_DOUBLED_WORDS, doubled_words, without_first_words


@pytest.mark.parametrize(
    ("before", "after", "doubled"),
    [
        ("we ordered the boxes", "the boxes are blue", 2),
        ("We ordered the boxes.", "The boxes, are blue", 2),
        ("we ordered the boxes", "are blue", 0),
        ("", "are blue", 0),
        ("the boxes", "", 0),
        ("go go go", "go go home", 2),
        ("we need four thousand", "and four thousand copies", 3),
        ("we need copies", "and copies too", 0),
        ("a - b", "- b c", 2),
        ("a -", "- c", 0),
        ("Straße", "STRASSE und", 1),
    ],
)
def test_the_longest_repetition_counts(before: str, after: str, doubled: int) -> None:
    assert doubled_words(before, after) == doubled


def test_removing_words_keeps_the_rest() -> None:
    assert without_first_words("the boxes, are blue.", 2) == "are blue."


words = st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=1, max_size=30, unique=True)


@given(words, st.integers(0, MOST_DOUBLED_WORDS), st.data())
def test_a_cut_anywhere_with_any_overlap_gives_the_text_back(
    said: list[str], overlap: int, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(said)))
    before, after = " ".join(said[:cut]), " ".join(said[max(0, cut - overlap) :])
    rest = without_first_words(after, doubled_words(before, after))
    assert f"{before} {rest}".split() == said
