"""Which legs there are, and what is refused before anything starts."""

import os
from pathlib import Path

import pytest

from hearing.clock import SystemClock
from hearing.config import CaptureConfig
from hearing.errors import AudioError, UsageError
from hearing.types import Channel
from hearing_daemon.capture import installed, legs
from hearing_daemon.capture.leg import Leg
from hearing_daemon.capture.options import CaptureOptions
from hearing_daemon.capture.spec import Backend, DeviceSource, FileSource, Source

AUTO = DeviceSource(Backend.AUTO, "auto")


def build(options: CaptureOptions, config: CaptureConfig | None = None) -> list[Leg]:
    clock = SystemClock()
    return legs.build(options, config or CaptureConfig(), clock, clock.monotonic_ms())


@pytest.mark.parametrize(
    ("options", "config", "wished"),
    [
        ({}, {}, {Channel.MIC: AUTO}),
        ({}, {"system": "auto"}, {Channel.MIC: AUTO, Channel.SYSTEM: AUTO}),
        ({"mic": "off"}, {"system": "auto"}, {Channel.SYSTEM: AUTO}),
        ({"mic": "USB"}, {"backend": "pulse"}, {Channel.MIC: DeviceSource(Backend.PULSE, "USB")}),
        ({"mic": "sounddevice:USB"}, {}, {Channel.MIC: DeviceSource(Backend.SOUNDDEVICE, "USB")}),
        ({"mic": "off"}, {}, {}),
        ({"source": "x.wav"}, {"system": "auto"}, {Channel.MIC: FileSource(Path("x.wav"))}),
        (
            {"source": "x.wav", "system": "auto"},
            {},
            {Channel.MIC: FileSource(Path("x.wav")), Channel.SYSTEM: AUTO},
        ),
        ({"source": "x.wav", "mic": "off"}, {}, {Channel.MIC: FileSource(Path("x.wav"))}),
    ],
)
def test_the_command_line_comes_before_the_configuration(
    options: dict[str, str], config: dict[str, str], wished: dict[Channel, Source]
) -> None:
    settings = CaptureConfig(**config)  # type: ignore[arg-type]
    assert legs.wished(CaptureOptions(**options), settings) == wished  # type: ignore[arg-type]


def test_a_daemon_without_legs_is_refused() -> None:
    with pytest.raises(UsageError, match="both legs are `off`"):
        build(CaptureOptions(mic="off", system="off"))


def test_a_pulled_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(b"RIFF")
    [leg] = build(CaptureOptions(source=str(path), speed=float("inf")))
    assert leg.pulled
    assert not leg.live
    [leg] = build(CaptureOptions())
    assert leg.live
    assert not leg.pulled


def test_files_that_cannot_be_read_are_refused_before_anything_starts(tmp_path: Path) -> None:
    empty, fifo = tmp_path / "empty.wav", tmp_path / "fifo"
    empty.touch()
    os.mkfifo(fifo)
    for path, why in (
        (tmp_path / "gone.wav", "does not exist"),
        (tmp_path, "is a folder"),
        (empty, "is empty"),
        (fifo, "is no regular file"),
    ):
        with pytest.raises(AudioError, match=f"^file `{path}` {why}$"):
            build(CaptureOptions(source=str(path)))


def test_a_file_in_a_folder_that_is_closed_to_us_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    options = CaptureOptions(source=str(tmp_path / "x.wav"))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", closed)
        with pytest.raises(AudioError, match="cannot be read: permission denied"):
            build(options)


@pytest.mark.parametrize(
    ("backend", "program", "sentence", "hint"),
    [
        ("sounddevice", "has_portaudio", "PortAudio is not installed", "libportaudio2|brew|PortAudio"),
        ("pulse", "has_pulse_programs", "`parec` or `pactl` is not installed", "pulseaudio-utils"),
    ],
)
def test_what_is_asked_for_by_name_and_not_installed_is_refused_with_the_command_to_install_it(
    monkeypatch: pytest.MonkeyPatch, backend: str, program: str, sentence: str, hint: str
) -> None:
    monkeypatch.setattr(installed, program, lambda: False)
    for options in (CaptureOptions(source=backend), CaptureOptions(mic=f"{backend}:x")):
        with pytest.raises(AudioError, match=sentence) as caught:
            build(options)
        assert any(part in caught.value.hint for part in hint.split("|"))
    assert build(CaptureOptions()), "with `auto` it runs and keeps looking"


def test_a_terminal_is_no_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda _fd: True)
    with pytest.raises(UsageError, match="stdin is a terminal"):
        build(CaptureOptions(source="stdin"))
