"""The front door: it teaches, forgives typos, and imports nothing it does not need."""

import subprocess
import sys

import pytest

from hearing import __version__
from hearing_cli import commands
from hearing_cli.__main__ import help_text, main

HEAVY = ("numpy", "msgspec", "textual", "httpx", "rich", "jiwer", "whisper_normalizer", "shtab", "tomli_w")


def test_help_lists_every_command_of_the_table_and_gives_examples() -> None:
    text = help_text()
    for command in commands.COMMANDS:
        assert f"  {command.name} " in text
        assert command.help in text
    assert "examples:\n  hearing demo" in text


def test_help_and_typos_import_nothing_heavy() -> None:
    script = (
        "import sys; from hearing_cli.__main__ import main; "
        "assert main(['--help']) == 0; assert main(['upp']) == 2; "
        f"loaded = set({HEAVY!r}) & set(sys.modules); assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", commands.COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself(command: commands.Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command.name, "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: hearing {command.name}" in said
    assert " ".join(command.help.split()[:3]) in " ".join(said.split())


@pytest.mark.parametrize(
    ("typed", "meant"), [("upp", "up"), ("donw", "down"), ("docter", "doctor"), ("model", "models")]
)
def test_a_typo_is_answered_with_the_nearest_command(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([typed]) == 2
    assert capsys.readouterr().err == (
        f"hearing: `{typed}` is no command of `hearing`\nhint: did you mean `hearing {meant}`?\n"
    )


def test_nothing_like_any_command_is_sent_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zzzz"]) == 2
    assert "`hearing --help` lists the commands" in capsys.readouterr().err


def test_a_wrong_option_is_answered_by_the_command_it_was_given_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["down", "--now"]) == 2
    assert capsys.readouterr().err == (
        "hearing: `--now` means nothing to `hearing down`\nhint: `hearing down --help` lists what it takes\n"
    )


def test_help_that_nobody_asked_for_stays_out_of_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", help_text())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hearing {__version__}\n"
