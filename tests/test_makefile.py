"""The first `make` says what it does: nobody waits minutes before an empty screen, or reads a recipe."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FAKE_PYTHON = """\
#!/bin/sh
[ "$2" = venv ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
exit 0
"""


def test_the_first_call_says_that_it_installs_and_shows_no_recipe(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o700)
    venv = tmp_path / "venv"
    made = subprocess.run(
        ["make", "--no-print-directory", "venv", f"PYTHON={python}", f"VENV={venv}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert made.stdout == ""
    assert made.stderr.splitlines() == [
        f"making {venv}",
        f"installing into {venv}: half a gigabyte on disk, a minute or two, once",
    ]
