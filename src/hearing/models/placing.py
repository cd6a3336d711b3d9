"""How a model gets its place in the store: made aside, under a lock, moved at once."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hearing.errors import ModelError
from hearing.models import store
from hearing.models.private_files import locked, private_folder, sync_folder

_WORK = ".pull"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def workshop(name: str, needed: int, on_wait: Callable[[], object]) -> Iterator[Path]:
    """Lend the folder where one process at a time makes the model `name`.

    It is kept when the work fails, so that the next one goes on with it; `clear` throws it away.

    Args:
        name: A checked name.
        needed: Bytes the work takes, for the hint of a full disk.
        on_wait: Called once if another process is in it.

    Raises:
        ModelError: Something cannot be written; of a full disk all that was taken is given back.
    """
    try:
        work = private_folder(store.root() / _WORK)
        with locked(work / f"{name}.lock", on_wait):
            yield private_folder(work / name)
    except OSError as error:
        raise _unwritable(name, needed, error) from None


def put_in_place(files: Path, name: str) -> Path:
    """Give finished files the model's name; a folder that has it now steps aside and is thrown away."""
    folder, work = store.root() / name, _work(name)
    old = work / "old"
    sync_folder(files)
    shutil.rmtree(old, ignore_errors=True)
    if folder.is_symlink() or folder.exists():
        folder.replace(old)
    files.replace(folder)
    sync_folder(folder.parent)
    clear(name)
    return folder


def clear(name: str) -> None:
    """Throw the workshop's content away."""
    shutil.rmtree(_work(name), ignore_errors=True)


def _work(name: str) -> Path:
    return store.root() / _WORK / name


def _unwritable(name: str, needed: int, error: OSError) -> ModelError:
    reason = os.strerror(error.errno or errno.EIO).lower()
    if error.errno in _FULL:
        clear(name)
        hint = f"free {needed // 1_000_000 + 1} MB, or set `HEARING_MODELS_DIR` to a folder with more room"
    else:
        hint = "set `HEARING_MODELS_DIR` to a folder of yours"
    return ModelError(
        f"model store `{store.root()}` cannot be written: {reason}; nothing was installed", hint=hint
    )
