"""Completions: every command and option of the real parsers, in each shell's own words."""

import shutil
import subprocess

import pytest

from hearing_cli import commands
from hearing_cli.__main__ import main


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_every_command_and_its_options_are_in_the_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completions", shell]) == 0
    script = capsys.readouterr().out
    for command in commands.COMMANDS:
        assert command.name in script
    for option in ("with-tui", "runtime-dir", "json"):
        assert option in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_the_script_and_completes_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions", "bash"]) == 0
    script = capsys.readouterr().out + (
        '\nCOMP_WORDS=(hearing do); COMP_CWORD=1; _shtab_hearing; echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) >= {"down", "doctor"}
