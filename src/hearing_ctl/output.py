"""Printing what others wrote: as it is into files and pipes, made harmless on a terminal."""

from __future__ import annotations

import os
import sys


def write(text: str) -> None:
    """Write to stdout in UTF-8; a terminal gets no control character it did not ask for."""
    if sys.stdout.isatty():
        from hearing.safe_text import safe_text

        text = safe_text(text)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def coloured() -> bool:
    """Say whether stdout is a terminal whose user wants colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
