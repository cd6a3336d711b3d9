"""The mute switch."""

import os
from pathlib import Path

import pytest

from hearing.paths import LISTENING_FILE
from hearing_daemon.listening import ListeningFile


def test_without_a_file_it_listens(runtime_dir: Path) -> None:
    assert ListeningFile(runtime_dir).is_on()


@pytest.mark.parametrize(("word", "on"), [("on\n", True), ("off\n", False), ("off", False)])
def test_the_word_decides(runtime_dir: Path, word: str, on: bool) -> None:
    (runtime_dir / LISTENING_FILE).write_text(word)
    assert ListeningFile(runtime_dir).is_on() is on


@pytest.mark.parametrize("odd", [b"", b"maybe\n", b"\xff" * 100, b"offer"])
def test_an_odd_word_changes_nothing(runtime_dir: Path, odd: bytes, caplog: pytest.LogCaptureFixture) -> None:
    switch = ListeningFile(runtime_dir)
    (runtime_dir / LISTENING_FILE).write_text("off\n")
    assert not switch.is_on()
    (runtime_dir / LISTENING_FILE).write_bytes(odd)
    assert not switch.is_on()
    assert not switch.is_on()
    assert len(caplog.records) == 1


def test_a_folder_in_its_place_changes_nothing(runtime_dir: Path) -> None:
    (runtime_dir / LISTENING_FILE).mkdir()
    assert ListeningFile(runtime_dir).is_on()


def test_a_pipe_in_its_place_hangs_nobody(runtime_dir: Path) -> None:
    switch = ListeningFile(runtime_dir)
    (runtime_dir / LISTENING_FILE).write_text("off\n")
    assert not switch.is_on()
    (runtime_dir / LISTENING_FILE).unlink()
    os.mkfifo(runtime_dir / LISTENING_FILE)
    assert not switch.is_on()


def test_a_link_is_never_followed(runtime_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("off\n")
    (runtime_dir / LISTENING_FILE).symlink_to(tmp_path / "elsewhere")
    assert ListeningFile(runtime_dir).is_on()


def test_a_removed_file_means_on_again(runtime_dir: Path) -> None:
    switch = ListeningFile(runtime_dir)
    (runtime_dir / LISTENING_FILE).write_text("off\n")
    assert not switch.is_on()
    (runtime_dir / LISTENING_FILE).unlink()
    assert switch.is_on()
