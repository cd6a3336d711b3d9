"""`hearing up` before anything starts: what it refuses, what it hands on, what it fetches."""

import argparse
import asyncio
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from hearing import paths
from hearing.errors import DownloadError, ModelError
from hearing.testing.daemon import FakeDaemon
from hearing.transport.listen import hold_lock
from hearing_cli import commands, models_command, up_command
from hearing_cli.__main__ import main


def parsed(*arguments: str) -> argparse.Namespace:
    parser, subparsers = commands.front_parser()
    up_command.register(subparsers)
    return parser.parse_args(["up", *arguments])


def test_only_what_was_said_is_handed_on_to_the_daemon() -> None:
    assert up_command.daemon_options(parsed()) == []
    told = ["--source", "stdin", "--mic", "USB", "--system", "auto", "--speed", "2", "--rate", "8000"]
    told += ["--channels", "2", "--format", "f32le", "--model", "base"]
    assert up_command.daemon_options(parsed(*told)) == told


def test_every_child_is_told_the_configuration_by_a_path_that_holds_anywhere(home: Path) -> None:
    args = parsed("--config", "mine.toml", "--verbose")
    assert up_command.common_options(args) == ["--config", str(Path.cwd() / "mine.toml"), "--verbose"]
    assert up_command.common_options(parsed()) == []


@pytest.mark.parametrize("spec", [None, "auto", "stdin", "demo", "pulse", "pulse:a/b", "sounddevice:USB"])
def test_a_source_that_is_no_file_is_left_to_the_daemon(spec: str | None) -> None:
    up_command.check_source(spec)


def test_a_recording_that_is_not_there_is_refused_before_anything_starts(
    home: Path, runtime_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for spec in (f"{home}/talk.mp3", f"file:{home}/talk.mp3", str(home)):
        assert main(["up", "--source", spec]) == 2
        assert "is no file\nhint: `--source` takes a recording" in capsys.readouterr().err
    assert list(runtime_dir.iterdir()) == []
    (home / "talk.mp3").touch()
    up_command.check_source(f"file:{home}/talk.mp3")


def test_the_demo_is_a_source_by_name() -> None:
    args = parsed("--source", "demo")
    with up_command._demo_as_file(args):
        assert up_command.daemon_options(args) == [
            "--source",
            f"file:{files('hearing_cli.demo_data') / 'meeting.flac'}",
        ]


def test_a_tui_without_a_terminal_is_refused(runtime_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearing_cli", "up", "--with-tui"],
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "`--with-tui` needs a terminal, and there is none\nhint: `hearing up` alone" in done.stderr
    assert list(runtime_dir.iterdir()) == []


def test_a_second_start_is_refused_with_the_pid_of_the_first(
    runtime_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fd = hold_lock(runtime_dir / paths.UP_LOCK)
    assert main(["up"]) == 75
    assert f"`hearing-up` is already running (pid {os.getpid()})" in capsys.readouterr().err
    os.close(fd)


@pytest.mark.parametrize(
    ("error", "offline", "goes_on"),
    [
        (DownloadError("no source answers", hint="try again"), False, True),
        (ModelError("`x` is not here, and nothing may be fetched"), True, True),
        (ModelError("`tinny` is no known model", hint="did you mean `tiny.en`?"), False, False),
    ],
)
def test_without_weights_the_stack_starts_and_says_so_but_an_unknown_model_is_refused(
    error: ModelError,
    offline: bool,
    goes_on: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ensure(name: str, *, offline: bool) -> Path:
        raise error

    monkeypatch.setattr(models_command, "ensure", ensure)
    if goes_on:
        up_command.fetch_model("x", offline=offline)
        assert f"warning: {error.sentence}" in capsys.readouterr().err
    else:
        with pytest.raises(ModelError):
            up_command.fetch_model("x", offline=offline)


async def test_options_for_a_daemon_that_runs_already_are_said_to_change_nothing(
    runtime_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with FakeDaemon(runtime_dir):
        assert await asyncio.to_thread(up_command._daemon_runs, runtime_dir)
    assert not up_command._daemon_runs(runtime_dir)
    up_command._say_what_is_ignored(parsed("--mic", "USB", "--speed", "2"))
    assert "`--mic --speed` changes nothing" in capsys.readouterr().err
