"""Writing a transcript to a file the user names: private, whole or not at all, never over another unasked."""

import os
import stat
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from hearing.errors import HearingError
from hearing.messages.control import TranscriptFormat

_MODE: Final = 0o600


class SaveError(HearingError):
    """A file cannot be written where and as the user said."""


class ExistsError(SaveError):
    """Something stands there already; only the user may say that it goes."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a transcript goes, and as what."""

    path: Path
    format: TranscriptFormat


def default_name(now: datetime) -> str:
    """Name a file nobody has named."""
    return f"transcript-{now:%Y-%m-%d-%H%M%S}.md"


def target(typed: str, folder: Path) -> Target:
    """Read what the user typed: `~` is home, a relative path starts at `folder`, the suffix is the format.

    Raises:
        SaveError: It names no file, or no format we write.
    """
    name = typed.strip()
    if not name or name.endswith("/"):
        raise SaveError("a file name is missing")
    if "\0" in name:
        raise SaveError("a file name cannot hold a NUL")
    try:
        path = folder / Path(name).expanduser()
    except RuntimeError:  # `~nobody`
        raise SaveError(f"`{name}` names an unknown user") from None
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in set(TranscriptFormat):
        known = ", ".join(f".{known}" for known in TranscriptFormat)
        raise SaveError(f"`{path.name}` has no format we write", hint=f"end it in one of {known}")
    return Target(path, TranscriptFormat(suffix))


def write(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write the file, 0600.

    Raises:
        ExistsError: Something is there and `overwrite` is false.
        SaveError: It cannot be written; nothing is left behind.
    """
    try:
        if overwrite:
            _replace(path, text)
        else:
            _create(path, text)
    except FileExistsError:
        raise ExistsError(f"`{path.name}` exists already") from None
    except OSError as error:
        raise SaveError(f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}") from None


def _create(path: Path, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
    try:
        _fill(fd, text)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _replace(path: Path, text: str) -> None:
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        raise SaveError(f"`{path}` is no ordinary file")
    fd, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    try:
        _fill(fd, text)
        Path(beside).replace(path)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise


def _fill(fd: int, text: str) -> None:
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        os.fchmod(fd, _MODE)
        file.write(text)
        file.flush()
        os.fsync(fd)
