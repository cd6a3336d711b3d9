"""Where the documents of files go: private, whole or not at all, never over another unasked."""

import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearing.errors import HearingError, UsageError
from hearing.rendering import DocumentFormat

_MODE: Final = 0o600
_SUBTITLES: Final = (DocumentFormat.SRT, DocumentFormat.VTT)


@dataclass(frozen=True, slots=True)
class Job:
    """One file and where its document goes; None is stdout."""

    file: Path
    target: Path | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do, in order, and as what."""

    format: DocumentFormat
    jobs: tuple[Job, ...]


def plan(files: Sequence[Path], output: str | None, form: DocumentFormat | None) -> Plan:
    """Decide from the command line; a folder is one that exists or ends in `/`.

    Raises:
        UsageError: Two documents would be one, or a document would be a recording.
    """
    if output is None:
        return _to_stdout(files, form or DocumentFormat.TXT)
    where = Path(output).expanduser()
    if output.endswith("/") or where.is_dir():
        form = form or DocumentFormat.TXT
        targets = [where / f"{file.stem}.{form}" for file in files]
    else:
        if len(files) > 1:
            raise UsageError(f"`{output}` is no folder", hint="several files need `-o FOLDER/`")
        form = form or _by_suffix(where)
        targets = [where]
    _refuse_clashes(files, targets)
    return Plan(form, tuple(map(Job, files, targets)))


def _to_stdout(files: Sequence[Path], form: DocumentFormat) -> Plan:
    if len(files) > 1 and form in _SUBTITLES:
        raise UsageError(f"several files make no one `{form}`", hint="`-o FOLDER/` writes a document each")
    return Plan(form, tuple(Job(file, None) for file in files))


def _by_suffix(where: Path) -> DocumentFormat:
    try:
        return DocumentFormat(where.suffix.removeprefix(".").lower())
    except ValueError:
        known = ", ".join(f".{form}" for form in DocumentFormat)
        hint = f"end it in one of {known}, or say `--format`"
        raise UsageError(f"`{where.name}` has no format we write", hint=hint) from None


def _refuse_clashes(files: Sequence[Path], targets: Sequence[Path]) -> None:
    real = Counter(target.resolve() for target in targets)
    for path, count in real.items():
        if count > 1:
            raise UsageError(f"`{path.name}` would be written {count} times", hint="transcribe them apart")
        if path in {file.resolve() for file in files}:
            raise UsageError(f"`{path.name}` is a recording to read", hint="name another with `-o`")


def check(target: Path, *, force: bool) -> None:
    """Refuse what can be known before the work is done.

    Raises:
        HearingError: Something stands there already, or no file can.
    """
    if target.exists() and not target.is_file():
        raise HearingError(f"`{target}` is no ordinary file")
    if not force and os.path.lexists(target):
        raise _exists(target)


def write(target: Path, text: str, *, force: bool) -> None:
    """Write a document, 0600, its folder made if it is missing.

    Raises:
        HearingError: Something stands there and `force` is false, or it cannot be written; nothing is left.
    """
    check(target, force=force)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = _written_beside(target, text)
        try:
            if not force:
                _claim(target)
            beside.replace(target)
        except (OSError, HearingError):
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise HearingError(f"`{target}` cannot be written: {(error.strerror or '').lower()}") from None


def _claim(target: Path) -> None:
    """Make the name ours: whoever was faster keeps it."""
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE))
    except FileExistsError:
        raise _exists(target) from None


def _written_beside(target: Path, text: str) -> Path:
    fd, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)  # 0600 by itself
    try:
        with os.fdopen(fd, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(fd)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _exists(target: Path) -> HearingError:
    return HearingError(f"`{target}` exists already", hint="`--force` writes over it")
