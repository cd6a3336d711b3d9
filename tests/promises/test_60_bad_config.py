"""Promise 60: bad configuration ends every program with status 78 and names line and key; nothing starts."""

import subprocess
import sys
from pathlib import Path

import pytest

from hearing_cli.__main__ import main

CASES = {
    "unknown key": (
        "[stt]\n\nbeamsize = 3\n",
        ":3: `stt.beamsize` is no known key\nhint: did you mean `beam_size`?",
    ),
    "unknown table": ("\n[capturing]\n", ":2: `capturing` is no known key\nhint: did you mean `capture`?"),
    "wrong type": ('[stt]\nbeam_size = "three"\n', ":2: `stt.beam_size`: expected `int`, got `str`"),
    "out of range": ("[vad]\nthreshold = 1.5\n", ":2: `vad.threshold`: expected `float` <= 1.0"),
    "no such choice": ('[capture]\nbackend = "alsa"\n', ":2: `capture.backend`: invalid enum value 'alsa'"),
    "a key for a table": ("vad = 3\n", ":1: `vad`: expected `object`, got `int`"),
    "bad TOML": ("[stt]\nmodel = tiny\n", ":2: bad TOML: invalid value"),
    "unfinished": ('[stt]\nmodel = "tiny\n', ":2: bad TOML: "),
    "the same twice": ("[stt]\nmodel = 'a'\nmodel = 'b'\n", ":3: bad TOML: "),
}
PROGRAMS = ("hearing_daemon", "hearing_assistant")


@pytest.mark.parametrize("case", CASES)
def test_hearing_up_refuses_before_anything_starts(
    case: str, home: Path, runtime_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, expected = CASES[case]
    bad = home / "bad.toml"
    bad.write_text(text)
    assert main(["up", "--config", str(bad)]) == 78
    assert f"hearing: {bad}{expected}" in capsys.readouterr().err
    assert list(runtime_dir.iterdir()) == [], "not even a lock file"


def test_the_users_own_file_is_held_to_the_same(
    home: Path, runtime_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = home / ".config" / "hearing" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[tui]\nteme = 'x'\n")
    assert main(["up"]) == 78
    assert f"{own}:2: `tui.teme` is no known key\nhint: did you mean `theme`?" in capsys.readouterr().err
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: None, "does not exist\nhint: `hearing config init` writes one"),
        (lambda path: path.mkdir(), "cannot be read: "),
    ],
    ids=["missing", "folder"],
)
def test_a_file_that_cannot_be_read(
    make: object, expected: str, home: Path, runtime_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(make)
    make(home / "named.toml")
    assert main(["up", "--config", str(home / "named.toml")]) == 78
    assert f"hearing: config `{home}/named.toml` {expected}" in capsys.readouterr().err
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_server_started_by_hand_refuses_too(program: str, home: Path, runtime_dir: Path) -> None:
    bad = home / "bad.toml"
    bad.write_text("[stt]\nbeamsize = 3\n")
    done = subprocess.run(
        [sys.executable, "-m", program, "--config", str(bad)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 78, done.stderr
    assert f"{bad}:2: `stt.beamsize` is no known key\nhint: did you mean `beam_size`?" in done.stderr
    assert list(runtime_dir.iterdir()) == []
