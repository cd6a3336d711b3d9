"""The probe: lines of JSON, in time, on any machine."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hearing.testing.pulse import MIC, SPEAKERS, Pulse, PulseUnavailableError, pulse_server
from hearing_daemon import probe
from hearing_daemon.capture import installed
from hearing_daemon.capture.sources import portaudio
from hearing_daemon.capture.sources.portaudio import InputDevice

Run = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the probe here and give its exit code and its lines."""

    def run_it(*words: str) -> tuple[int, list[dict[str, Any]]]:
        code = probe.main(list(words))
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run_it


@pytest.fixture
def silent_machine(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """A machine without PulseAudio and PortAudio."""
    monkeypatch.setenv("PULSE_SERVER", f"unix:{home}/nobody")
    monkeypatch.setattr(installed, "has_portaudio", lambda: False)


@pytest.fixture
def pulse(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    try:
        with pulse_server(home / "pulse") as server:
            for name, value in server.env.items():
                monkeypatch.setenv(name, value)
            yield server
    except PulseUnavailableError as why:
        pytest.skip(str(why))


@pytest.mark.usefixtures("silent_machine")
def test_a_machine_without_sound_gets_problems_with_hints(run: Run) -> None:
    code, lines = run("devices")
    assert code == 1
    assert [(line["type"], line["what"]) for line in lines] == [
        ("problem", "pulse"),
        ("problem", "sounddevice"),
    ]
    assert all(line["detail"] and line["hint"] for line in lines)


@pytest.mark.usefixtures("silent_machine")
def test_portaudio_that_is_missing_is_no_failure_of_the_probe(run: Run) -> None:
    code, [line] = run("portaudio")
    assert (code, line["present"]) == (0, False)
    assert line["hint"] == installed.portaudio_hint()


def test_devices_of_a_server_say_which_leg_they_suit(pulse: Pulse, run: Run) -> None:
    code, lines = run("devices", "--backend", "pulse")
    assert code == 0
    by_id = {line["id"]: line for line in lines}
    assert by_id[MIC] | {"name": ""} == {
        "type": "device",
        "backend": "pulse",
        "id": MIC,
        "name": "",
        "leg": "mic",
        "rate_hz": 44_100,
        "channels": 2,
        "default": True,
        "monitor": False,
    }
    speakers = by_id[f"{SPEAKERS}.monitor"]
    assert (speakers["leg"], speakers["monitor"], speakers["default"]) == ("system", True, True)


def test_a_level_is_measured(pulse: Pulse, run: Run) -> None:
    code, [line] = run("level", "--backend", "pulse", "--seconds", "0.3")
    assert code == 0
    assert line["type"] == "level"
    assert MIC in line["device"]
    assert line["seconds"] >= 0.3
    assert line["rms_dbfs"] is line["peak_dbfs"] is None, "a room in which nothing plays is digital silence"


def test_a_device_that_is_not_there_is_a_problem(pulse: Pulse, run: Run) -> None:
    code, [line] = run("level", "--backend", "pulse", "--device", "nosuch")
    assert (code, line["type"], line["detail"]) == (1, "problem", "device `nosuch` is not there")


def test_portaudio_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path) -> None:
    hung = tmp_path / "python"
    hung.write_text("#!/bin/sh\nexec sleep 600\n")
    hung.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(hung))
    monkeypatch.setattr(installed, "has_portaudio", lambda: True)
    monkeypatch.setattr(probe, "PORTAUDIO_S", 0.2)
    code, [line] = run("devices", "--backend", "sounddevice")
    assert (code, line["detail"]) == (1, "PortAudio found no end of devices in 0.2 s")


def test_portaudio_that_crashes_is_said(monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path) -> None:
    crashing = tmp_path / "python"
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(crashing))
    monkeypatch.setattr(installed, "has_portaudio", lambda: True)
    code, [line] = run("devices", "--backend", "sounddevice")
    assert (code, line["detail"]) == (1, "PortAudio died with status -11 looking")


def test_portaudios_devices_are_lines_too(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(portaudio, "devices", lambda: [InputDevice("USB, ALSA", "USB", 48_000, 2, True)])
    code, [line] = run("devices", "--in-process")
    assert code == 0
    assert (line["id"], line["name"], line["leg"], line["default"]) == ("USB, ALSA", "USB", "mic", True)


@pytest.mark.parametrize("seconds", ["0", "-1", "61", "nan", "long"])
def test_a_length_that_is_none_is_refused(run: Run, seconds: str) -> None:
    with pytest.raises(SystemExit) as caught:
        run("level", "--seconds", seconds)
    assert caught.value.code == 2


def test_it_is_a_program_that_ends_quietly_for_a_reader_that_left() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearing_daemon.probe", "portaudio"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["type"] == "portaudio"
    assert done.stderr == ""
