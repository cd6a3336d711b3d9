"""Whole files through stock faster-whisper."""

import json
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from hearing.errors import ExitCode, ModelError
from hearing_daemon import transcribe


@pytest.fixture
def meeting(real_models: Path) -> Path:
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as file:
        return Path(file)


def test_a_file_is_one_object_with_pieces_and_times(
    meeting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert transcribe.body([str(meeting), "--json"]) == ExitCode.OK
    (line,) = capsys.readouterr().out.splitlines()
    result = json.loads(line)
    assert result["file"] == str(meeting)
    assert "spring catalog" in result["text"]
    assert result["text"] == " ".join(piece["text"] for piece in result["segments"])
    assert 80 < result["audio_s"] < 90
    assert result["cpu_s"] > 0
    assert result["wall_s"] > 0


def test_a_file_that_is_no_sound_is_named_and_the_others_go_on(
    meeting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    garbage = tmp_path / "garbage.wav"
    garbage.write_bytes(b"no sound" * 100)
    assert transcribe.body([str(garbage), str(meeting)]) == ExitCode.FAILED
    said = capsys.readouterr()
    assert "spring catalog" in said.out
    assert f"`{garbage}` cannot be read as sound" in said.err


def test_a_missing_model_is_a_sentence(home: Path) -> None:
    with pytest.raises(ModelError):
        transcribe.body(["talk.wav", "--model", "/nowhere/model"])
