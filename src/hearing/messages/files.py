"""What the transcriber of files says, a JSON line each; words come as `transcript`, losses as `gap`.

Files come in the order they were named: `file_begins`, then words and `file_progress`, then `file_ends`.
"""

from hearing.messages.common import Message, Transcript
from hearing.messages.daemon import Gap


class FileBegins(Message, frozen=True, kw_only=True, tag="file_begins"):
    """The next file is opened; `total_ms` is its length as its headers state it, or null."""

    total_ms: int | None


class FileProgress(Message, frozen=True, kw_only=True, tag="file_progress"):
    """How far it is recognized: only an utterance that lasts may begin before `done_ms`."""

    done_ms: int


class FileEnds(Message, frozen=True, kw_only=True, tag="file_ends"):
    """The file is done, `heard_ms` of it could be read; `problem` says what was wrong, if anything."""

    heard_ms: int
    problem: str = ""
    hint: str = ""


class TranscriberFailed(Message, frozen=True, kw_only=True, tag="failed"):
    """Nothing more will come, of no file."""

    sentence: str
    hint: str = ""


FileMessage = FileBegins | FileProgress | FileEnds | TranscriberFailed | Transcript | Gap
