"""The transcriber as a child: everything it may say, and its end."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hearing.errors import HearingError
from hearing.messages.files import FileBegins, FileEnds, FileMessage
from hearing.testing.processes import descendants
from hearing_cli.transcribe.transcriber import messages


@contextmanager
def says(code: str) -> Iterator[Iterator[FileMessage]]:
    """Run Python in its place."""
    with messages([], program=(sys.executable, "-c", code)) as said:
        yield said


@pytest.mark.parametrize("status", [0, 1])
def test_its_lines_are_messages(status: int) -> None:
    lines = '{"type":"file_begins","total_ms":null,"new":1}\\n{"type":"file_ends","heard_ms":7}'
    with says(f"print('{lines}'); raise SystemExit({status})") as said:
        assert list(said) == [FileBegins(total_ms=None), FileEnds(heard_ms=7)]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ('print(\'{"type":"failed","sentence":"no model","hint":"pull"}\')', "no model"),
        ("raise SystemExit(70)", "the transcriber ended with exit status 70"),
        ("import os; os.kill(os.getpid(), 11)", "the transcriber ended with exit status -11"),
        ("print('ALSA lib')", "the transcriber is not understood"),
        ("print('x' * 1_000_000)", "the transcriber is not understood"),
    ],
)
def test_whatever_else_it_does_is_an_error(code: str, sentence: str) -> None:
    with says(code) as said, pytest.raises(HearingError, match=sentence):
        list(said)


def test_who_stops_reading_ends_it() -> None:
    code = 'print(\'{"type":"file_begins","total_ms":1}\', flush=True); import time; time.sleep(600)'
    with says(code) as said:
        next(said)
        (pid,) = descendants(os.getpid())
    assert pid not in descendants(os.getpid())


def test_nothing_is_imported_from_the_folder_of_the_recordings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "import os, sys; raise SystemExit(70 if os.getcwd() in sys.path or '' in sys.path else 0)"
    with says(code) as said:
        assert list(said) == []


def test_it_knows_whom_not_to_outlive() -> None:
    code = "import os; raise SystemExit(70 * (os.getenv('HEARING_PARENT_PID') != str(os.getppid())))"
    with says(code) as said:
        assert list(said) == []
