"""Takes weights the user already has into the store, by copy or by link."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from contextlib import ExitStack
from pathlib import Path

from hearing.errors import ModelError
from hearing.models import catalogue, store
from hearing.models.entry import Entry, FileSpec
from hearing.models.placing import put_in_place, workshop
from hearing.models.private_files import open_private, private_folder
from hearing.models.progress import Progress

_NEEDED = ("model.bin", "config.json", "tokenizer.json")
_VOCABULARIES = ("vocabulary.json", "vocabulary.txt")
_OPTIONAL = ("preprocessor_config.json",)  # large models say in it how many mel bands they want
_SPECIFICATION = b"WhisperSpec\0"
_CHUNK_BYTES = 1 << 20


def add(name: str, path: Path, progress: Progress | None = None, *, link: bool = False) -> Path:
    """Take a folder of a Whisper model made for CTranslate2, or a catalogue model's files, into the store.

    Under a name of the catalogue the files must be the catalogue's, by their hashes; under any other
    name they are taken as they are and their hashes are written down.

    Args:
        name: What the model will be called; a model that has this name is replaced.
        path: Its folder; for a model of a single file, that file will do.
        progress: Told of a wait.
        link: Link to the files where they are instead of copying them.

    Raises:
        ModelError: The path is no such model, or the store cannot be written; the store is unchanged.
    """
    store.checked_name(name)
    path = Path(os.path.expanduser(path)).absolute()  # noqa: PTH111  # pathlib's raises on an unknown user
    if store.root().resolve() in path.resolve().parents:
        raise ModelError(f"`{path}` is in the model store already")
    entry = catalogue.ENTRIES.get(name)
    try:
        chosen = _of_catalogue(entry, path) if entry else _of_whisper(path)
        size = sum(file.stat().st_size for file in chosen.values())
    except OSError as error:
        reason = os.strerror(error.errno or errno.EIO).lower()
        raise ModelError(f"`{path}` cannot be read: {reason}") from None
    told = progress or Progress()
    with workshop(name, size, lambda: told.note("another pull runs: waiting for it")) as work:
        shutil.rmtree(work / "added", ignore_errors=True)
        files = private_folder(work / "added")
        specs = [_take(source, files / target, link) for target, source in chosen.items()]
        if entry is None:
            _write_manifest(files / store.MANIFEST, specs)
        put_in_place(files, name)
    return store.locate(name)


def _of_catalogue(entry: Entry, path: Path) -> dict[str, Path]:
    """Give the user's file for each file of the edition they are, or say what is wrong with them."""
    problems = []
    for edition in entry.editions:
        single = path.is_file() and len(edition.files) == 1
        found = {file.name: path if single else path / file.name for file in edition.files}
        wrong = [store.problem(found[file.name], file) for file in edition.files]
        if not any(wrong):
            return found
        problems.append([sentence for sentence in wrong if sentence])
    raise ModelError(
        f"`{path}` is not the catalogue's `{entry.name}`: {min(problems, key=len)[0]}",
        hint="a model of your own needs a name of its own" if path.is_dir() else "",
    )


def _of_whisper(path: Path) -> dict[str, Path]:
    """Give the files of a folder that the recognizer can load without asking a hub."""
    missing = [name for name in _NEEDED if not (path / name).is_file()]
    vocabulary = [name for name in _VOCABULARIES if (path / name).is_file()]
    if not missing and not vocabulary:
        missing = [_VOCABULARIES[0]]
    if missing:
        raise ModelError(
            f"`{path}` is no Whisper model made for CTranslate2: `{missing[0]}` is missing",
            hint="`ct2-transformers-converter --copy_files tokenizer.json …` makes one",
        )
    _check_weights(path / "model.bin")
    _check_json(path / "config.json")
    extra = [name for name in _OPTIONAL if (path / name).is_file()]
    return {name: path / name for name in (*_NEEDED, *vocabulary, *extra)}


def _check_weights(path: Path) -> None:
    """Look at the head: a version (4 bytes), the length of a name (2 bytes), and the name."""
    with path.open("rb") as file:
        head = file.read(6 + len(_SPECIFICATION))
    if head[6:] != _SPECIFICATION:
        raise ModelError(f"`{path}` holds no Whisper weights made for CTranslate2")


def _check_json(path: Path) -> None:
    try:
        table = json.loads(path.read_bytes())
    except ValueError:
        table = None
    if not isinstance(table, dict):
        raise ModelError(f"`{path}` is no JSON object")


def _take(source: Path, target: Path, link: bool) -> FileSpec:
    """Copy or link one file; its size and hash are those of the bytes that were read."""
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as read, ExitStack() as stack:
        written = None if link else stack.enter_context(open_private(target))
        while chunk := read.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            if written:
                written.write(chunk)
        if written:
            written.flush()
            os.fsync(written.fileno())
    if link:
        target.symlink_to(source.resolve())
    return FileSpec(target.name, size, digest.hexdigest())


def _write_manifest(path: Path, specs: list[FileSpec]) -> None:
    table = {"files": [[file.name, file.size, file.sha256] for file in specs]}
    with open_private(path) as file:
        file.write(json.dumps(table, indent=1).encode() + b"\n")
