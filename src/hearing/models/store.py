"""The model weights that are here: a folder per model, checked against the catalogue or its own manifest.

Import is cheap: nothing of the network is touched here.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from hearing import paths
from hearing.errors import ModelError
from hearing.models import catalogue
from hearing.models.entry import FileSpec

MANIFEST = "manifest.json"
"""Beside the files of a model the user added: its files' sizes and hashes at that moment."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that is in the store; `problem` is "" or says which file is torn."""

    name: str
    folder: Path
    size: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FileCheck:
    """One file after a full check; `problem` is "" when its hash is right."""

    name: str
    problem: str = ""


def root() -> Path:
    """Give the store's folder; it may not exist."""
    return Path(paths.models_dir())


def locate(name: str) -> Path:
    """Find a model's folder: cheap, by the presence and the size of every file.

    Args:
        name: A catalogue name, a name given to `add`, or the absolute path of a folder with `model.bin`.

    Raises:
        ModelError: It is unknown, missing or torn; the hint says how to get it.
    """
    if Path(name).is_absolute():
        return _own_folder(Path(name))
    folder = _folder(name)
    for file in specs(name, folder):
        problem = size_problem(folder / file.name, file)
        if problem:
            raise ModelError(f"model `{name}` is torn: {problem}", hint=remedy(name))
    return folder


def specs(name: str, folder: Path) -> tuple[FileSpec, ...]:
    """Give the files a model's folder must hold; of several editions, the one it is nearest to.

    Raises:
        ModelError: Its manifest cannot be read.
    """
    entry = catalogue.ENTRIES.get(name)
    if entry is None:
        return _read_manifest(name, folder)
    editions = [edition.files for edition in entry.editions]
    return max(editions, key=lambda files: sum(not size_problem(folder / file.name, file) for file in files))


def installed() -> list[Installed]:
    """List the models in the store by name, torn ones too."""
    try:
        names = sorted(
            entry.name for entry in os.scandir(root()) if entry.is_dir() and _NAME.fullmatch(entry.name)
        )
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [_describe(name) for name in names]


def verify(name: str) -> tuple[FileCheck, ...]:
    """Read every byte of a model and compare the hashes.

    Raises:
        ModelError: It is unknown or missing, or it is a path, whose hashes nobody knows.
    """
    if Path(name).is_absolute():
        raise ModelError(
            f"no hashes are known for `{name}`", hint="`hearing models add NAME PATH` takes it into the store"
        )
    folder = _folder(name)
    try:
        files = specs(name, folder)
    except ModelError as error:
        return (FileCheck(MANIFEST, error.sentence),)
    return tuple(FileCheck(file.name, problem(folder / file.name, file)) for file in files)


def problem(path: Path, file: FileSpec) -> str:
    """Say what is wrong with a file, its hash included, or give ""."""
    wrong = size_problem(path, file)
    if wrong:
        return wrong
    try:
        return "" if sha256_of(path) == file.sha256 else f"`{file.name}` has a wrong hash"
    except OSError as error:
        return f"`{file.name}` cannot be read: {os.strerror(error.errno or 0).lower()}"


def size_problem(path: Path, file: FileSpec) -> str:
    """Say what is wrong with a file by its size alone, or give ""."""
    try:
        size = path.stat().st_size
    except OSError:
        return f"`{file.name}` is missing"
    return "" if size == file.size else f"`{file.name}` has {size} bytes, not {file.size}"


def sha256_of(path: Path) -> str:
    """Hash a file, in hexadecimal."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def checked_name(name: str) -> str:
    """Give a name back that is fit for a folder of the store.

    Raises:
        ModelError: It is not.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(
            f"`{name}` cannot name a model", hint="letters, digits, `.`, `_` and `-`, at most 64 of them"
        )
    return name


def remedy(name: str) -> str:
    """Give the command that mends a model."""
    return (
        f"`hearing models pull {name}`" if name in catalogue.ENTRIES else f"`hearing models add {name} PATH`"
    )


def _own_folder(folder: Path) -> Path:
    if not (folder / "model.bin").is_file():
        raise ModelError(
            f"`{folder}` holds no `model.bin`", hint="name a folder of a Whisper model made for CTranslate2"
        )
    return folder


def _folder(name: str) -> Path:
    """Give the folder of a model that is in the store, torn or not."""
    folder = root() / checked_name(name)
    if folder.is_dir():
        return folder
    if name in catalogue.ENTRIES:
        raise ModelError(f"model `{name}` is not here", hint=remedy(name))
    raise catalogue.unknown(name, tuple(model.name for model in installed()))


def _read_manifest(name: str, folder: Path) -> tuple[FileSpec, ...]:
    try:
        table = json.loads((folder / MANIFEST).read_bytes())
        return tuple(FileSpec(_plain(key), int(size), str(digest)) for key, size, digest in table["files"])
    except (OSError, ValueError, TypeError, KeyError):
        raise ModelError(
            f"model `{name}` is torn: its `{MANIFEST}` cannot be read",
            hint=f"`hearing models add {name} PATH` adds it again",
        ) from None


def _plain(name: str) -> str:
    if Path(name).name != name:
        raise ValueError(name)
    return name


def _describe(name: str) -> Installed:
    folder = root() / name
    size = sum(_size(path) for path in folder.iterdir())
    try:
        locate(name)
    except ModelError as error:
        return Installed(name, folder, size, error.sentence)
    return Installed(name, folder, size)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # a link to a file that has gone
        return 0
