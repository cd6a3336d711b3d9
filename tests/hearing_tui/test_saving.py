"""A saved transcript is private, whole, and never takes another file's place unasked."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hearing.messages.control import TranscriptFormat
from hearing_tui.saving import ExistsError, SaveError, default_name, target, write


@pytest.mark.parametrize(
    ("typed", "relative", "form"),
    [
        ("a.md", "a.md", "md"),
        (" notes/b.TXT ", "notes/b.TXT", "txt"),
        ("c.d.srt", "c.d.srt", "srt"),
        ("e.json", "e.json", "json"),
    ],
)
def test_the_suffix_is_the_format(typed: str, relative: str, form: str, tmp_path: Path) -> None:
    where = target(typed, tmp_path)
    assert (where.path, where.format) == (tmp_path / relative, TranscriptFormat(form))


def test_home_and_absolute_paths_are_understood(home: Path, tmp_path: Path) -> None:
    assert target("~/a.md", tmp_path).path == home / "a.md"
    assert target("/x/a.md", tmp_path).path == Path("/x/a.md")


@pytest.mark.parametrize(
    "typed", ["", "  ", "folder/", "a", "a.doc", "md", ".md", "a\0.md", "~nobody-here/a.md"]
)
def test_what_is_no_file_we_write_is_refused(typed: str, tmp_path: Path) -> None:
    with pytest.raises(SaveError):
        target(typed, tmp_path)


def test_a_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write(tmp_path / "a.md", "hello")
        write(tmp_path / "a.md", "again", overwrite=True)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == 0o600
    assert (tmp_path / "a.md").read_text() == "again"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("mine")
    with pytest.raises(ExistsError):
        write(tmp_path / "a.md", "hello")
    assert (tmp_path / "a.md").read_text() == "mine"


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ExistsError):
        write(tmp_path / "a.md", "hello")
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    with pytest.raises(SaveError, match="no ordinary file"):
        write(tmp_path / "a.md", "hello", overwrite=True)


def test_a_missing_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="no such file or directory"):
        write(tmp_path / "no" / "a.md", "hello")


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    if overwrite:
        (tmp_path / "a.md").write_text("mine")
    with pytest.raises(SaveError, match="no space left"):
        write(tmp_path / "a.md", "hello", overwrite=overwrite)
    assert [path.read_text() for path in tmp_path.iterdir()] == (["mine"] if overwrite else [])


def test_the_default_name_is_a_name_we_write(tmp_path: Path) -> None:
    name = default_name(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert name == "transcript-2026-01-02-030405.md"
    assert target(name, tmp_path).format is TranscriptFormat.MD
