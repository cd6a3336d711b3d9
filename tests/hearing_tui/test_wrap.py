"""No line is wider than the pane, no word is lost, whatever the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hearing.safe_text import safe_line
from hearing_tui.wrap import wrap


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("short", 10, ["short"]),
        ("one two three", 7, ["one two", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("a abcdefgh b", 4, ["a", "abcd", "efgh", "b"]),
        ("日本語です", 4, ["日本", "語で", "す"]),
        ("مرحبا بالعالم", 8, ["مرحبا", "بالعالم"]),
    ],
)
def test_cases(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


@given(st.text(max_size=200), st.integers(2, 40))
def test_every_line_fits_and_nothing_is_lost(raw: str, width: int) -> None:
    text = safe_line(raw)
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_an_emoji_family_is_not_torn_apart() -> None:
    family = "👨\u200d👩\u200d👧"
    assert wrap(f"abcd {family} {family}", 6)[-1].endswith(family)
