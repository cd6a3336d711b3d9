"""Wrapping at words by terminal cells: wide, combining and emoji text included. Pure."""

from rich.cells import cell_len, chop_cells


def wrap(text: str, width: int) -> list[str]:
    """Cut one line of text into lines of at most `width` cells; a longer word is cut inside.

    A character wider than `width` itself keeps its own line: no terminal is that narrow.
    """
    measure = len if text.isascii() else cell_len
    if measure(text) <= width:
        return [text]
    lines: list[str] = []
    line, used = "", 0
    for word in text.split():
        size = measure(word)
        if used and used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if used:
            lines.append(line)
        line, used = word, size
        if size > width:
            *full, line = chop_cells(word, max(1, width)) or [""]
            lines += full
            used = measure(line)
    return [*lines, line]
