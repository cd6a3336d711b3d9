"""Printing: what others wrote goes as it is into files and pipes, and harmless onto a terminal."""

from __future__ import annotations

import os
import sys

from hearing_ctl import exits


def write(text: str) -> None:
    """Write what others wrote to stdout; a terminal gets no control character of theirs.

    Raises:
        StopError: As `write_own`.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        from hearing.safe_text import safe_text

        text = safe_text(text)
    write_own(text)


def write_own(text: str) -> None:
    """Write what is harmless already, colours included, in UTF-8, leaving nothing in a buffer.

    Raises:
        StopError: It cannot be written; without a sentence when whoever reads it has seen enough.
    """
    if sys.stdout is None:  # closed by whoever started us; descriptor 1 may be our own socket by now
        raise exits.StopError(exits.FAILED, "there is no stdout to write to")
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]
    except BrokenPipeError:
        raise exits.StopError(exits.FAILED, "") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise exits.StopError(exits.FAILED, f"stdout cannot be written: {why}") from None


def coloured() -> bool:
    """Say whether stdout is a terminal whose user wants colours."""
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
