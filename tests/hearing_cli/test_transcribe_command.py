"""`hearing transcribe`, with the real transcriber and with one that says what a test wants."""

import json
import os
import signal
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from hearing.testing.processes import descendants, is_alive, started, wait_for
from hearing_cli import models_command
from hearing_cli.__main__ import main
from hearing_cli.transcribe import transcriber

WORD = (
    '{"type":"transcript","seg_id":1,"leg":"mic","start_ms":0,"end_ms":900,'
    r'"text":"hi \u001b[2J\u009b there"}'
)
GOOD = ['{"type":"file_begins","total_ms":900}', WORD, '{"type":"file_ends","heard_ms":900}']


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let a script that prints a file's lines stand in for the transcriber, and any model be here."""
    script, lines = tmp_path / "fake.py", tmp_path / "lines"
    script.write_text(f"print(open({str(lines)!r}).read())")
    lines.write_text("\n".join(GOOD))
    monkeypatch.setattr(models_command, "ensure", lambda name, offline: Path("/nowhere"))
    monkeypatch.setattr(transcriber, "PROGRAM", (sys.executable, str(script)))
    return lines


def test_words_go_to_stdout_and_nothing_drives_a_terminal(
    says: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcribe", "a.wav"]) == 0
    said = capsys.readouterr()
    assert said.out == "hi [2J there\n"
    assert said.err == ""
    assert main(["transcribe", "a.wav", "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert not {"\x1b", "\x9b"} & {*out}
    assert json.loads(out)[0]["text"] == "hi \x1b[2J\x9b there"


def test_a_bad_file_is_one_line_and_the_others_are_written(
    says: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [
        '{"type":"file_begins","total_ms":null}',
        '{"type":"file_ends","heard_ms":0,"problem":"`b` is bad"}',
    ]
    says.write_text("\n".join([*GOOD, *bad, *GOOD]))
    assert main(["transcribe", "a.wav", "b.wav", "c.wav", "-o", f"{tmp_path}/out/"]) == 1
    assert capsys.readouterr().err == "hearing: `b` is bad\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "c.txt"]


def test_a_file_cut_short_or_with_a_gap_keeps_what_was_heard_and_exits_1(
    says: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gap = '{"type":"gap","leg":"mic","from_ms":100,"to_ms":1200,"reason":"worker_crash"}'
    says.write_text("\n".join([GOOD[0], gap, *GOOD[1:]]))
    assert main(["transcribe", "a.wav"]) == 1
    said = capsys.readouterr()
    assert said.out == "hi [2J there\n"
    assert said.err == "hearing: `a.wav`: nothing could be made of it from 0.1 s to 1.2 s\n"
    says.write_text("\n".join([*GOOD[:2], '{"type":"file_ends","heard_ms":900,"problem":"cut"}']))
    assert main(["transcribe", "a.wav"]) == 1
    assert capsys.readouterr().out == "hi [2J there\n"


def test_a_document_that_exists_is_not_written_over_and_the_others_are_done(
    says: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("mine")
    assert main(["transcribe", "a.wav", "b.wav", "-o", str(tmp_path)]) == 1
    assert "a.txt` exists already\nhint: `--force`" in capsys.readouterr().err
    assert (tmp_path / "a.txt").read_text() == "mine"
    assert (tmp_path / "b.txt").read_text() == "hi [2J there\n"
    assert main(["transcribe", "a.wav", "-o", str(tmp_path / "a.txt"), "--force"]) == 0
    assert (tmp_path / "a.txt").read_text() == "hi [2J there\n"


def test_a_transcriber_that_ends_too_soon_is_an_error(says: Path, capsys: pytest.CaptureFixture[str]) -> None:
    says.write_text(GOOD[0])
    assert main(["transcribe", "a.wav"]) == 1
    assert "the transcriber ended too soon" in capsys.readouterr().err


def test_a_missing_model_offline_is_a_sentence(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transcribe", "a.wav", "--offline"]) == 1
    assert "`tiny.en`" in capsys.readouterr().err


def test_the_demo_as_subtitles_through_the_real_pipeline(real_models: Path, tmp_path: Path) -> None:
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as meeting:
        assert main(["transcribe", str(meeting), "-o", str(tmp_path / "a.vtt"), "--offline"]) == 0
    said = (tmp_path / "a.vtt").read_text()
    assert said.startswith("WEBVTT\n\n00:00:00.")
    assert "spring catalog" in said


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopping_it_leaves_no_process_and_no_file(
    real_models: Path, tmp_path: Path, signum: signal.Signals
) -> None:
    target = tmp_path / "a.txt"
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as meeting:
        argv = [sys.executable, "-m", "hearing_cli", "transcribe", *[str(meeting)], "-o", str(target)]
        with started(argv, stdout=subprocess.DEVNULL, start_new_session=True) as process:
            pids = wait_for(
                lambda: len(descendants(process.pid)) >= 2 and descendants(process.pid), "a worker"
            )
            assert isinstance(pids, list)
            to_all = signum is signal.SIGINT  # as a terminal sends it
            (os.killpg if to_all else os.kill)(process.pid, signum)
            status = process.wait(30)
            assert process.stderr is not None
            assert process.stderr.read() == ""
            assert status == (130 if to_all else -signum)
            wait_for(lambda: not any(map(is_alive, pids)), "their end")
    assert list(tmp_path.iterdir()) == []
