"""Where documents go, and what never happens to a file that is there."""

import stat
from pathlib import Path

import pytest

from hearing.errors import HearingError, UsageError
from hearing.rendering import DocumentFormat
from hearing_cli.transcribe import outputs

A, B = Path("a.mp3"), Path("talks/b.ogg")


@pytest.mark.parametrize(
    ("files", "output", "form", "expected", "targets"),
    [
        ([A], None, None, "txt", [None]),
        ([A, B], None, "json", "json", [None, None]),
        ([A], "x.srt", None, "srt", ["x.srt"]),
        ([A], "x.srt", "vtt", "vtt", ["x.srt"]),
        ([A], "notes", "md", "md", ["notes"]),
        ([A, B], "notes/", None, "txt", ["notes/a.txt", "notes/b.txt"]),
        ([A, B], "/", "vtt", "vtt", ["/a.vtt", "/b.vtt"]),
    ],
)
def test_each_file_has_its_place(
    files: list[Path], output: str | None, form: str | None, expected: str, targets: list[str | None]
) -> None:
    plan = outputs.plan(files, output, DocumentFormat(form) if form else None)
    assert plan.format == expected
    assert [job.file for job in plan.jobs] == files
    assert [str(job.target) if job.target else None for job in plan.jobs] == targets


@pytest.mark.parametrize(
    ("files", "output", "form", "sentence"),
    [
        ([A, B], "x.txt", None, "`x.txt` is no folder"),
        ([A, B], None, "srt", "several files make no one `srt`"),
        ([A], "x.doc", None, "`x.doc` has no format we write"),
        ([A], "x", None, "`x` has no format we write"),
        ([A, Path("a.wav")], "notes/", None, "`a.txt` would be written 2 times"),
        ([A, A], "notes/", None, "`a.txt` would be written 2 times"),
        ([A], "a.mp3", "txt", "`a.mp3` is a recording to read"),
        ([Path("a.txt")], "./", None, "`a.txt` is a recording to read"),
    ],
)
def test_what_would_lose_something_is_refused(
    files: list[Path], output: str | None, form: str | None, sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        outputs.plan(files, output, DocumentFormat(form) if form else None)
    assert refused.value.sentence == sentence
    assert refused.value.hint


def test_a_document_is_private_and_so_is_its_new_folder(tmp_path: Path) -> None:
    target = tmp_path / "notes" / "a.txt"
    outputs.write(target, "words\n", force=False)
    assert target.read_text() == "words\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700


def test_what_is_there_stays_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(HearingError, match="exists already"):
        outputs.check(target, force=False)
    with pytest.raises(HearingError, match="exists already"):
        outputs.write(target, "new", force=False)
    assert target.read_text() == "old"
    outputs.write(target, "new", force=True)
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_who_comes_first_between_look_and_write_keeps_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.txt"
    monkeypatch.setattr(outputs, "check", lambda target, force: target.write_text("faster"))
    with pytest.raises(HearingError, match="exists already"):
        outputs.write(target, "new", force=False)
    assert target.read_text() == "faster"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_to_nowhere_is_something_that_is_there(tmp_path: Path) -> None:
    link = tmp_path / "a.txt"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HearingError, match="exists already"):
        outputs.write(link, "new", force=False)
    assert not (tmp_path / "elsewhere").exists()


def test_where_nothing_can_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HearingError, match=r"cannot be written: (file exists|not a directory)"):
        outputs.write(tmp_path / "file" / "a.txt", "words", force=False)
    with pytest.raises(HearingError, match="is no ordinary file"):
        outputs.write(tmp_path, "words", force=True)
