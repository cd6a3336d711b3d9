"""Foreign text made harmless: what was heard, or what a model wrote, can never drive a terminal."""

import unicodedata

_KEPT = {"\n", "\t"}
_JOINERS = {"\u200c", "\u200d"}  # ZWNJ and ZWJ: Persian, Indic scripts and emoji need them
_DROPPED_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def safe_text(text: str) -> str:
    """Drop C0 (but newline and tab), C1, bidi and other format controls, surrogates and unassigned points.

    The result can be printed to any terminal: no byte of it starts an escape sequence.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if _is_safe(char))


def safe_line(text: str) -> str:
    """Give `safe_text` on a single line, white space folded."""
    return " ".join(safe_text(text).split())


def safe_json(text: str) -> str:
    r"""Give JSON that says the same, with `\uXXXX` for every character `safe_text` would drop."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _is_safe(char) else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def _is_safe(char: str) -> bool:
    return char in _KEPT or char in _JOINERS or unicodedata.category(char) not in _DROPPED_CATEGORIES
