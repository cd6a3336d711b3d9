"""`hearing devices`."""

import json
from pathlib import Path

import pytest

from hearing.safe_text import safe_text
from hearing.testing.pulse import MIC, SPEAKERS, pulse_server
from hearing_cli import devices_command
from hearing_cli.__main__ import main
from hearing_cli.devices_command import table
from hearing_cli.probe import Device


def test_names_are_aligned_safe_and_marked() -> None:
    devices = [
        Device("pulse", "mic0", "Mic \x1b[31mred", "mic", 48_000, 2, default=True, monitor=False),
        Device("pulse", "out.monitor", "Speakers", "system", 44_100, 2, default=False, monitor=True),
    ]
    assert table(devices) == [
        "   LEG   BACKEND  RATE   CH  ID           NAME",
        "*  me    pulse    48000  2   mic0         Mic [31mred",
        "   them  pulse    44100  2   out.monitor  Speakers",
    ]


def test_a_hostile_name_cannot_drive_the_terminal_as_json_either(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "Mic \x1b[2J\x9b2J\u202e\U000e0041"
    device = Device("pulse", "mic0", name, "mic", 48_000, 2, default=True, monitor=False)
    monkeypatch.setattr(devices_command, "probe", lambda _what: [device])
    assert main(["devices", "--json"]) == 0
    said = capsys.readouterr().out
    assert safe_text(said) == said
    assert json.loads(said)[0]["name"] == name


def test_without_any_device_it_says_why_and_exits_1(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{home}/nobody")
    assert main(["devices", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out) == []
    assert "pulse: no PulseAudio server answers\nhint: " in said.err


def test_microphones_and_monitors_of_a_real_server_are_listed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pulse_server(home / "pulse") as pulse:
        for name, value in pulse.env.items():
            monkeypatch.setenv(name, value)
        assert main(["devices", "--json"]) == 0
        devices = {device["id"]: device for device in json.loads(capsys.readouterr().out)}
        assert devices[MIC]["monitor"] is False
        assert devices[MIC]["default"] is True
        assert devices[f"{SPEAKERS}.monitor"]["monitor"] is True
