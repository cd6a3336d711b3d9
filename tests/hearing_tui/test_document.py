"""Rows are found without drawing: the same rows that drawing everything would give."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from hearing.types import Channel
from hearing_tui.document import Document, height
from hearing_tui.entries import Entry, Naming, Note, Spoken

Make = Callable[..., Spoken]


def spoken(text: str) -> Spoken:
    return Spoken(1, Channel.MIC, 0, 1000, "", text, "en", Naming.OFF, "", "")


ENTRIES = st.lists(
    st.one_of(
        st.text("ab ", max_size=60).map(lambda text: spoken(" ".join(text.split()))),
        st.builds(Note, st.just("gap")),
    ),
    max_size=30,
)


@given(ENTRIES, st.integers(1, 30))
def test_every_row_belongs_to_the_entry_a_full_layout_would_put_there(
    entries: list[Entry], width: int
) -> None:
    document = Document(width)
    document.show(entries, 0)
    expected = [(entry, row) for entry in entries for row in range(height(entry, width))]
    places = [document.at(row) for row in range(document.rows)]
    assert [(place.entry, place.row) for place in places if place] == expected
    assert document.at(document.rows) is None
    assert document.at(-1) is None


@given(ENTRIES, st.integers(0, 30), st.integers(1, 30), st.integers(1, 30))
def test_growing_forgetting_and_resizing_end_where_a_fresh_start_does(
    entries: list[Entry], cut: int, width: int, other: int
) -> None:
    cut = min(cut, len(entries))
    document = Document(width)
    document.show(entries[: cut + 1], 0)
    before = document.rows
    gone = document.show(entries[cut:], cut)
    document.resize(other)
    fresh = Document(other)
    fresh.show(entries[cut:], cut)
    assert document.rows == fresh.rows
    assert [document.at(row) for row in range(fresh.rows)] == [fresh.at(row) for row in range(fresh.rows)]
    assert 0 <= gone <= before


def test_rows_that_went_away_are_counted() -> None:
    document = Document(10)
    document.show([spoken("a"), spoken("b"), spoken("c")], 0)
    assert document.show([spoken("b"), spoken("c")], 1) == 3


def test_a_last_entry_that_changed_is_measured_again() -> None:
    document = Document(20)
    document.show([spoken("a"), Note("noise")], 0)
    document.show([spoken("a"), Note("noise", count=2)], 0)
    place = document.at(3)
    assert place is not None
    assert place.entry == Note("noise", count=2)


def test_a_row_and_its_entry_name_each_other_for_good() -> None:
    document = Document(20)
    document.show([spoken(str(n)) for n in range(5)], 100)
    assert document.number_at(7) == (102, 1)
    assert document.row_of(102) == 6
    assert document.row_of(1) == 0
    assert document.row_of(999) == document.rows


def test_an_empty_document_has_no_rows() -> None:
    document = Document()
    assert (document.rows, document.at(0), document.number_at(0), document.row_of(3)) == (0, None, (0, 0), 0)


def test_a_history_that_began_anew_is_measured_anew() -> None:
    document = Document(20)
    document.show([spoken("a"), spoken("b")], 50)
    document.show([spoken("c")], 0)
    assert (document.rows, document.first) == (3, 0)
