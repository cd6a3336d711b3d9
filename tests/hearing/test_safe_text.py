"""What others wrote, once made safe, cannot move a cursor, set a clipboard or turn a line around."""

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.safe_text import safe_json, safe_line, safe_text

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
C0 = "".join(chr(code) for code in range(0x20) if chr(code) not in "\n\t") + "\x7f"
C1 = "".join(chr(code) for code in range(0x80, 0xA0))
FORBIDDEN = set(C0 + C1 + BIDI + "\u2028\u2029\ufeff\u00ad\u2060")


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("C0 and DEL", C0),
        ("C1", C1),
        ("bidi controls", BIDI),
        ("line and paragraph separators", "\u2028\u2029"),
        ("invisible format characters", "\ufeff\u00ad\u2060\u180e\U000e0041"),
        ("surrogates", "\ud800\udfff"),
        ("private use", "\ue000\uf8ff\U000f0000\U0010fffd"),
        ("never characters", "\ufffe\uffff\U0001ffff"),
    ],
)
def test_what_can_act_is_dropped(name: str, bad: str) -> None:
    assert safe_text(f"a{bad}b") == "ab", name


@pytest.mark.parametrize(
    "kept",
    [
        "plain words, 12 % and ~",
        "line\n\ttabbed",
        "naïve Łódź Ελλάδα Привет",
        "日本語 中文 한국어",
        "\u0645\u06cc\u200c\u062e",  # a Persian word needs its non-joiner
        "क्\u200dष",
        "👩\u200d👩\u200d👧 ❤️",
        "e\u0301 n\u0303",
        "“quotes” \u2013 dashes … €",
        "",
    ],
)
def test_what_is_written_by_people_is_kept(kept: str) -> None:
    assert safe_text(kept) == kept


@pytest.mark.parametrize(
    "attack",
    [
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b[2J\x1b[H",
        "\x9b2J",
        "\x1b]0;title\x1b\\",
        "user\u202etxt.exe",
        "pass\x08\x08\x08\x08word",
        "\rcovered",
    ],
)
def test_no_attack_keeps_a_byte_that_acts(attack: str) -> None:
    assert not FORBIDDEN & set(safe_text(attack))


@given(st.text(st.characters(codec=None)))
def test_of_any_text_only_harmless_characters_survive_and_none_is_added(text: str) -> None:
    safe = safe_text(text)
    assert not FORBIDDEN & set(safe)
    assert not {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"} & {
        unicodedata.category(c) for c in safe if c not in "\n\t"
    }
    left = iter(text)
    assert all(char in left for char in safe), "the rest keeps its order"
    assert safe_text(safe) == safe
    safe.encode()


def test_every_single_character_is_kept_or_dropped_by_its_category() -> None:
    dropped = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        expected = char in "\n\t\u200c\u200d" or unicodedata.category(char) not in dropped
        assert bool(safe_text(char)) is expected, hex(code)


@given(st.text())
def test_a_safe_line_is_one_line_with_single_spaces(text: str) -> None:
    line = safe_line(text)
    assert "\n" not in line
    assert "\t" not in line
    assert line == line.strip()
    assert "  " not in line


def test_a_safe_line_folds_white_space() -> None:
    assert safe_line(" a\n\tb\r\n  c ") == "a b c"


@given(st.text())
def test_safe_json_says_the_same_and_cannot_drive_a_terminal(text: str) -> None:
    written = safe_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(written) == text
    assert safe_text(written) == written
