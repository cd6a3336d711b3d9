"""`hearing doctor` as a whole."""

import json
from pathlib import Path

import pytest

from hearing.testing.pulse import pulse_server
from hearing_cli import doctor_command
from hearing_cli.__main__ import main
from hearing_cli.doctor.check import fail, ok


def test_a_finding_is_a_line_and_its_fix_another_and_neither_drives_the_terminal() -> None:
    assert doctor_command.lines(ok("disk", "12 GB free\x1b[2J")) == ["ok    disk              12 GB free[2J"]
    assert doctor_command.lines(fail("model", "missing", "pull it")) == [
        "FAIL  model             missing",
        "                        fix: pull it",
    ]


def test_a_headless_machine_without_model_fails_and_every_failure_has_a_fix(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{home}/nobody")
    assert main(["doctor", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    failed = {check["name"]: check["fix"] for check in found["checks"] if check["state"] == "fail"}
    assert {"microphone", "model"} <= set(failed)
    assert all(failed.values())


def test_a_machine_with_everything_passes_and_its_level_is_measured(
    home: Path, real_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pulse_server(home / "pulse") as pulse:
        for name, value in pulse.env.items():
            monkeypatch.setenv(name, value)
        code = main(["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["microphone"]["state"] == "ok"
    assert checks["monitors"]["state"] == "ok"
    assert checks["model"]["state"] == "ok"
    assert "digital silence" in checks["level"]["detail"]  # nobody speaks in this room
    assert code == 1


def test_a_bad_configuration_is_reported_beside_everything_else(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{home}/nobody")
    (home / "bad.toml").write_text("[nope]\n")
    assert main(["doctor", "--config", str(home / "bad.toml")]) == 1
    said = capsys.readouterr().out
    assert f"FAIL  config            {home}/bad.toml:1: `nope` is no known key" in said
    assert "disk" in said
