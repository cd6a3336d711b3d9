"""What the program does before, and instead of, drawing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hearing.errors import ExitCode

PROGRAM = [sys.executable, "-m", "hearing_tui"]


def run(*argv: str, config: str | None = None, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    if config is not None and home is not None:
        (home / "config.toml").write_text(config)
        argv = ("--config", str(home / "config.toml"), *argv)
    return subprocess.run(
        [*PROGRAM, *argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


def test_without_a_terminal_it_says_what_to_do_instead() -> None:
    ended = run()
    assert ended.returncode == ExitCode.USAGE
    assert (
        ended.stderr
        == "hearing-tui: no terminal to draw on\nhint: `hearing-tui --dump 10` prints ten seconds instead\n"
    )


def test_an_unknown_theme_is_named_with_those_there_are(home: Path) -> None:
    ended = run("--screenshot", str(home / "x.svg"), "--sample", config='[tui]\ntheme = "mauve"\n', home=home)
    assert ended.returncode == ExitCode.CONFIG
    assert "`mauve` is no known theme" in ended.stderr
    assert "textual-light" in ended.stderr
    assert not (home / "x.svg").exists()


def test_a_bad_config_stops_it_with_the_line(home: Path) -> None:
    ended = run(config="[tui]\nthme = 1\n", home=home)
    assert ended.returncode == ExitCode.CONFIG
    assert ":2:" in ended.stderr


def test_a_picture_that_cannot_be_written_is_one_sentence(home: Path) -> None:
    ended = run("--screenshot", str(home / "no" / "x.svg"), "--sample")
    assert ended.returncode == ExitCode.FAILED
    assert "cannot be written" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_live_picture_without_an_assistant_exits_69(home: Path) -> None:
    ended = run("--screenshot", str(home / "x.svg"))
    assert ended.returncode == ExitCode.UNAVAILABLE


def test_dumping_never_loads_textual(runtime_dir: Path) -> None:
    script = (
        "import sys; sys.argv = ['hearing-tui', '--dump', '0.1'];"
        "from hearing_tui.__main__ import main; code = main();"
        "heavy = sorted({name.split('.')[0] for name in sys.modules} & {'textual', 'numpy', 'httpx'});"
        "sys.exit(f'loaded: {heavy}' if heavy else code)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == ExitCode.UNAVAILABLE, ended.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_behind_a_picture_is_one_sentence() -> None:
    ended = run("--screenshot", "/dev/full", "--sample")
    assert ended.returncode == ExitCode.FAILED
    assert "no space left" in ended.stderr
