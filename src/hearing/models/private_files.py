"""Files and folders only their owner can read, whatever the umask."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hearing import paths


def private_folder(path: Path) -> Path:
    """Create a folder and its missing parents, each new one 0700, and give it back."""
    return Path(paths.private_dir(str(path)))


def open_private(path: Path) -> BinaryIO:
    """Open a file for reading and writing, created 0600 when missing; its content is kept."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "r+b")


def sync_folder(path: Path) -> None:
    """Make the names in a folder survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, on_wait: Callable[[], object]) -> Iterator[None]:
    """Hold an exclusive lock; the kernel lets it go when its process dies.

    Args:
        path: The lock file, which stays.
        on_wait: Called once if somebody else holds it, before waiting without limit.
    """
    with open_private(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
