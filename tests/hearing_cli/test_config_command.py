"""`hearing config`, and the example that documents every option."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from hearing import config
from hearing_cli.__main__ import main
from hearing_cli.config_command import example_text

ROOT = Path(__file__).parents[2]
_OPTION = re.compile(r"^#([a-z_]+ = .+)$", re.MULTILINE)


def test_the_example_has_every_option_with_its_default() -> None:
    uncommented = _OPTION.sub(r"\1", example_text())
    assert tomllib.loads(uncommented) == msgspec.to_builtins(config.Config())


def test_every_option_of_the_example_has_a_line_of_explanation_above_it() -> None:
    lines = example_text().splitlines()
    for number, line in enumerate(lines):
        if _OPTION.match(line):
            assert re.match(r"# [A-Z].*\.$", lines[number - 1]), line


def test_the_example_as_it_stands_is_valid_and_changes_nothing() -> None:
    assert config.parse(example_text()) == config.Config()


def test_the_example_at_the_root_is_the_one_that_ships() -> None:
    assert (ROOT / "config.example.toml").read_text(encoding="utf-8") == example_text()


def test_init_writes_a_private_file_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = home / ".config" / "hearing" / "config.toml"
    assert main(["config", "init"]) == 0
    assert capsys.readouterr().out == f"{where}\n"
    assert where.read_text(encoding="utf-8") == example_text()
    assert where.stat().st_mode & 0o777 == 0o600
    assert where.parent.stat().st_mode & 0o777 == 0o700


def test_init_never_writes_over_a_file_unless_forced(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = home / "mine.toml"
    where.write_text("[stt]\nbeam_size = 5\n" + "# more\n" * 1_000)
    where.chmod(0o644)
    assert main(["config", "init", "--config", str(where)]) == 1
    assert "exists\nhint: `--force` writes over it" in capsys.readouterr().err
    assert where.read_text().startswith("[stt]\nbeam_size = 5\n")
    assert main(["config", "init", "--config", str(where), "--force"]) == 0
    assert where.read_text(encoding="utf-8") == example_text()
    assert where.stat().st_mode & 0o777 == 0o600


def test_show_gives_what_is_in_effect_as_toml(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "mine.toml").write_text("[stt]\nbeam_size = 5\n")
    assert main(["config", "show", "--config", str(home / "mine.toml")]) == 0
    shown = tomllib.loads(capsys.readouterr().out)
    assert shown["stt"]["beam_size"] == 5
    assert shown["vad"] == msgspec.to_builtins(config.VadConfig())


def test_path_follows_xdg(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "elsewhere"))
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{home}/elsewhere/hearing/config.toml\n"


def test_check_is_content_with_a_missing_file_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "check"]) == 0
    assert "all is at its default" in capsys.readouterr().out


@pytest.mark.parametrize("order", [["check", "--config"], ["--config"]])
def test_check_names_line_and_nearest_key(
    home: Path, capsys: pytest.CaptureFixture[str], order: list[str]
) -> None:
    bad = home / "bad.toml"
    bad.write_text("[stt]\n\nbeamsize = 3\n")
    argv = ["config", *order, str(bad)]
    assert main(argv if "check" in argv else [*argv, "check"]) == 78
    assert (
        capsys.readouterr().err
        == f"hearing: {bad}:3: `stt.beamsize` is no known key\nhint: did you mean `beam_size`?\n"
    )
