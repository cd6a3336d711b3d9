"""What pactl says, as servers of different age say it, and servers that say nothing."""

import os
from pathlib import Path

import pytest

from hearing.errors import AudioError
from hearing_daemon.capture.sources import pactl
from hearing_daemon.capture.sources.pactl import PulseSource

LISTING = """\
Source #0
\tState: IDLE
\tName: speakers.monitor
\tDescription: Monitor of Speakers: left & right
\tDriver: module-null-sink.c
\tSample Specification: s16le 2ch 48000Hz
\tMonitor of Sink: speakers
\tProperties:
\t\tdevice.description = "Monitor: no field"
\tFormats:
\t\tpcm

Source #12
\tState: RUNNING
\tName: alsa_input.usb
\tDescription: USB Microphone
\tSample Specification: float32le 1ch 44100Hz
\tMonitor of Sink: n/a

Source #13
\tState: RUNNING
\tDescription: nameless

Source #14
\tName: odd
\tSample Specification: what?
"""


def test_a_listing_is_read_and_what_it_lacks_is_survived() -> None:
    assert pactl.parse_sources(LISTING) == (
        PulseSource("speakers.monitor", "Monitor of Speakers: left & right", "speakers", 48_000, 2),
        PulseSource("alsa_input.usb", "USB Microphone", "", 44_100, 1),
        PulseSource("odd", "odd", "", 0, 0),
    )
    assert pactl.parse_sources("") == ()


def test_a_machine_without_the_programs_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AudioError, match="`parec` or `pactl` is not installed") as caught:
        pactl.ask()
    assert "pulseaudio-utils" in caught.value.hint


@pytest.mark.parametrize(
    ("script", "sentence"),
    [("exit 1", "no PulseAudio server answers"), ("sleep 60", "gives no answer within 0.2 s")],
)
def test_a_server_that_does_not_answer_is_an_error_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, sentence: str
) -> None:
    for name in ("pactl", "parec"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{script.replace('sleep', 'exec sleep')}\n")
        program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(pactl, "_ANSWER_S", 0.2 if "sleep" in script else 20.0)
    with pytest.raises(AudioError, match=sentence):
        pactl.ask()
