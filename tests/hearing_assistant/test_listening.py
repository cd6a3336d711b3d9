"""The `listening` file: whole, private, and remembered."""

import os
import stat
from pathlib import Path

import pytest

from hearing_assistant.listening import ListeningFile


@pytest.mark.parametrize("umask", [0, 0o777])
def test_what_was_written_is_read_and_private_whatever_the_umask(runtime_dir: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        ListeningFile(runtime_dir).write(on=False)
    finally:
        os.umask(before)
    path = runtime_dir / "listening"
    assert path.read_bytes() == b"off\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ListeningFile(runtime_dir).muted()
    ListeningFile(runtime_dir).write(on=True)
    assert path.read_bytes() == b"on\n"
    assert not ListeningFile(runtime_dir).muted()
    assert [entry.name for entry in runtime_dir.iterdir()] == ["listening"]


def test_a_reader_sees_the_old_file_or_the_new_one(runtime_dir: Path) -> None:
    listening = ListeningFile(runtime_dir)
    listening.write(on=True)
    with (runtime_dir / "listening").open() as old:
        listening.write(on=False)
        assert old.read() == "on\n"


@pytest.mark.parametrize("content", [b"", b"on", b"offf\n", b"\xff\xfe", b"of", b"o" * 1_000])
def test_anything_but_off_means_on(runtime_dir: Path, content: bytes) -> None:
    (runtime_dir / "listening").write_bytes(content)
    assert not ListeningFile(runtime_dir).muted()


def test_a_missing_file_or_a_folder_means_on(runtime_dir: Path) -> None:
    assert not ListeningFile(runtime_dir).muted()
    (runtime_dir / "listening").mkdir()
    assert not ListeningFile(runtime_dir).muted()


def test_a_pipe_in_its_place_hangs_nobody(runtime_dir: Path) -> None:
    os.mkfifo(runtime_dir / "listening")
    assert not ListeningFile(runtime_dir).muted()


def test_a_link_is_replaced_and_never_followed(runtime_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("off\n")
    (runtime_dir / "listening").symlink_to(target)
    assert not ListeningFile(runtime_dir).muted()
    ListeningFile(runtime_dir).write(on=False)
    assert target.read_text() == "off\n"
    assert not (runtime_dir / "listening").is_symlink()


def test_a_failed_write_leaves_the_old_one_and_nothing_else(runtime_dir: Path) -> None:
    (runtime_dir / "listening").mkdir()
    (runtime_dir / "listening" / "x").touch()
    with pytest.raises(OSError, match="directory"):
        ListeningFile(runtime_dir).write(on=False)
    assert [entry.name for entry in runtime_dir.iterdir()] == ["listening"]


def test_what_a_killed_namesake_left_is_no_hindrance(runtime_dir: Path) -> None:
    (runtime_dir / f".listening.{os.getpid()}").write_text("junk")
    ListeningFile(runtime_dir).write(on=False)
    assert (runtime_dir / "listening").read_text() == "off\n"
