"""What names a source, and what names nothing."""

from pathlib import Path

import pytest

from hearing.errors import UsageError
from hearing_daemon.capture import spec
from hearing_daemon.capture.spec import (
    AUTO,
    Backend,
    DeviceSource,
    FileSource,
    Source,
    StdinSource,
    WhenMuted,
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("auto", DeviceSource(Backend.AUTO, AUTO)),
        ("pulse", DeviceSource(Backend.PULSE, AUTO)),
        ("pulse:alsa_input.usb:1.0", DeviceSource(Backend.PULSE, "alsa_input.usb:1.0")),
        ("sounddevice:USB, ALSA", DeviceSource(Backend.SOUNDDEVICE, "USB, ALSA")),
        ("auto:USB", DeviceSource(Backend.AUTO, "USB")),
        ("stdin", StdinSource()),
        ("meeting.wav", FileSource(Path("meeting.wav"))),
        ("file:stdin", FileSource(Path("stdin"))),
        ("file:file:x", FileSource(Path("file:x"))),
        ("a:b.wav", FileSource(Path("a:b.wav"))),
        ("pulseaudio.wav", FileSource(Path("pulseaudio.wav"))),
    ],
)
def test_a_spec_names_one_source_and_is_written_back(text: str, source: Source) -> None:
    assert spec.parse(text) == source
    assert spec.parse(source.spec) == source


@pytest.mark.parametrize("text", ["", "file:", "pulse:", "sounddevice:", "auto:"])
def test_a_spec_that_names_nothing_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(UsageError, match=f"source `{text}` names nothing") as caught:
        spec.parse(text)
    assert "`file:PATH`" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("auto", DeviceSource(Backend.AUTO, AUTO)),
        ("USB Microphone", DeviceSource(Backend.AUTO, "USB Microphone")),
        ("pulse:x", DeviceSource(Backend.PULSE, "x")),
        ("pulse", DeviceSource(Backend.PULSE, AUTO)),
        ("hw:1,0", DeviceSource(Backend.AUTO, "hw:1,0")),
    ],
)
def test_a_device_may_name_its_back_end(text: str, device: DeviceSource) -> None:
    assert spec.parse_device(text, Backend.AUTO) == device


def test_only_devices_are_live_and_each_kind_is_muted_in_its_own_way() -> None:
    kinds: list[tuple[Source, bool, WhenMuted]] = [
        (FileSource(Path("x")), False, WhenMuted.HOLD),
        (StdinSource(), False, WhenMuted.DISCARD),
        (DeviceSource(), True, WhenMuted.CLOSE),
    ]
    assert [(source.live, source.when_muted) for source, _, _ in kinds] == [
        (live, when) for _, live, when in kinds
    ]
