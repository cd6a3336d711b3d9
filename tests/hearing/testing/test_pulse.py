"""The PulseAudio server of the tests: private, answering, and gone afterwards."""

import stat
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from hearing.testing.pulse import MIC, ROOM, SPEAKERS, Pulse, PulseUnavailableError, pulse_server


@pytest.fixture
def server(home: Path) -> Iterator[Pulse]:
    try:
        with pulse_server(home / "pulse") as running:
            yield running
    except PulseUnavailableError as why:
        pytest.skip(str(why))


def test_it_has_speakers_a_room_and_a_microphone_in_it(server: Pulse) -> None:
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    names = {line.split("\t")[1] for line in server.pactl("list", "short", "sources").splitlines()}
    assert names == {f"{SPEAKERS}.monitor", f"{ROOM}.monitor", MIC}
    assert f"Default Source: {MIC}" in server.pactl("info")
    assert f"Default Sink: {SPEAKERS}" in server.pactl("info")


def test_devices_come_and_go(server: Pulse) -> None:
    module = server.load("module-null-sink", "sink_name=usb")
    assert "usb.monitor" in server.pactl("list", "short", "sources")
    server.unload(module)
    assert "usb.monitor" not in server.pactl("list", "short", "sources")


def test_it_is_gone_afterwards(home: Path) -> None:
    try:
        with pulse_server(home / "pulse", microphone=False) as running:
            assert f"Default Source: {SPEAKERS}.monitor" in running.pactl("info")
    except PulseUnavailableError as why:
        pytest.skip(str(why))
    assert not psutil.pid_exists(running.pid)


def test_a_machine_without_it_is_told_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(PulseUnavailableError, match="apt install pulseaudio"), pulse_server(home / "pulse"):
        pass
