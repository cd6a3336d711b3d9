"""Printing what others wrote: as it is into files and pipes, made harmless on a terminal."""

from __future__ import annotations

import os
import sys

from hearing_ctl import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import TextIOWrapper


def write(text: str) -> None:
    """Write what others wrote to stdout, in UTF-8; a terminal gets no control character of theirs.

    Raises:
        StopError: There is no stdout.
    """
    if _stdout().isatty():
        from hearing.safe_text import safe_text

        text = safe_text(text)
    write_own(text)


def write_own(text: str) -> None:
    """Write what is harmless already, colours included.

    Raises:
        StopError: There is no stdout.
    """
    out = _stdout()
    out.buffer.write(text.encode("utf-8", "replace"))
    out.buffer.flush()


def coloured() -> bool:
    """Say whether stdout is a terminal whose user wants colours."""
    return _stdout().isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _stdout() -> TextIOWrapper:
    if sys.stdout is None:  # closed by whoever started us
        raise exits.StopError(exits.FAILED, "there is no stdout to write to")
    return sys.stdout  # type: ignore[return-value]
