"""The recording that ships: where it lies, what is said in it, how long it is."""

import contextlib
import importlib.resources
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

_FOLDER = "hearing_cli.demo_data"


class Turn(msgspec.Struct, frozen=True):
    """One turn of the meeting, by the clock of the recording."""

    start_ms: int
    end_ms: int
    speaker: str
    text: str


class Meeting(msgspec.Struct, frozen=True):
    """The reference beside the recording."""

    title: str
    turns: list[Turn]

    @property
    def text(self) -> str:
        """Give all that is said."""
        return " ".join(turn.text for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Recording:
    """A sound file and what is said in it."""

    path: Path
    meeting: Meeting


@contextlib.contextmanager
def recording() -> Iterator[Recording]:
    """Give the recording as a file; one that ships inside an archive is unpacked for the while."""
    folder = importlib.resources.files(_FOLDER)
    meeting = msgspec.json.decode((folder / "meeting.json").read_bytes(), type=Meeting)
    with importlib.resources.as_file(folder / "meeting.flac") as path:
        yield Recording(path, meeting)
