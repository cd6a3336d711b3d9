"""`hearing demo` with every real process, with and without a terminal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hearing.testing.tmux import tmux

DEMO = [sys.executable, "-m", "hearing_cli", "demo"]

pytestmark = pytest.mark.usefixtures("real_models")


def test_without_a_terminal_the_live_path_hears_as_well_as_a_whole_file_decode(
    home: Path, runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(home))
    done = subprocess.run(
        [*DEMO, "--json", "--speed", "8"],
        capture_output=True,
        text=True,
        timeout=110,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["wer_pct"] <= 10.0
    assert result["wer_pct"] <= 1.05 * result["offline_wer_pct"] + 0.5  # half a word of 207: rounding
    assert result["reference_words"] >= 150
    assert "spring catalog" in done.stderr  # the words, as they came
    assert "spring catalog" in result["text"]
    assert list(runtime_dir.iterdir()) == [], "a running stack would not be disturbed"
    assert not list(home.glob("hearing-demo-*")), "its own folder is gone"


def test_in_a_terminal_the_words_appear_in_the_tui(home: Path) -> None:
    with tmux(home, [*DEMO, "--speed", "3"]) as window:
        window.wait_for("about the spring catalog", timeout_s=60)
        assert window.pane("alternate_on") == "1"
        window.type("q")
        assert window.ended() == 0


def test_a_model_that_does_not_exist_is_said_before_anything_starts(home: Path) -> None:
    done = subprocess.run(
        [*DEMO, "--json", "--model", "tinny.en"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "tinny.en" in done.stderr
    assert done.stdout == ""
