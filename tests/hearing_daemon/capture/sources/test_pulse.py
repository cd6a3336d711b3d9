"""Which source of a PulseAudio server is meant, and when none is."""

import pytest

from hearing.errors import AudioError
from hearing.types import Channel
from hearing_daemon.capture.sources import pulse
from hearing_daemon.capture.sources.pactl import PulseSource, Server

MONITOR = PulseSource("speakers.monitor", "Monitor of Speakers", "speakers", 48_000, 2)
HDMI = PulseSource("hdmi.monitor", "Monitor of HDMI", "hdmi", 48_000, 2)
USB = PulseSource("alsa_input.usb", "USB Microphone", "", 44_100, 1)
WEBCAM = PulseSource("alsa_input.webcam", "Webcam Microphone", "", 16_000, 1)
SERVER = Server((MONITOR, HDMI, USB, WEBCAM), default_source="alsa_input.usb", default_sink="hdmi")


@pytest.mark.parametrize(
    ("device", "leg", "source"),
    [
        ("auto", Channel.MIC, USB),
        ("auto", Channel.SYSTEM, HDMI),
        ("alsa_input.webcam", Channel.MIC, WEBCAM),
        ("USB Microphone", Channel.MIC, USB),
        ("webcam", Channel.MIC, WEBCAM),
        ("speakers.monitor", Channel.SYSTEM, MONITOR),
        ("speakers.monitor", Channel.MIC, MONITOR),
    ],
)
def test_a_name_a_description_or_a_part_of_one_names_a_source(
    device: str, leg: Channel, source: PulseSource
) -> None:
    assert pulse.choose(SERVER, device, leg) == source


def test_a_name_that_fits_several_is_refused_with_their_names() -> None:
    with pytest.raises(AudioError, match=r"`microphone` may be `alsa_input.usb`, `alsa_input.webcam`"):
        pulse.choose(SERVER, "microphone", Channel.MIC)


def test_a_name_that_is_not_there_never_becomes_another_microphone() -> None:
    with pytest.raises(AudioError, match=r"`alsa_input.usb2` is not there") as caught:
        pulse.choose(SERVER, "alsa_input.usb2", Channel.MIC)
    assert caught.value.hint == "did you mean `alsa_input.usb`?"


@pytest.mark.parametrize(
    ("leg", "what"), [(Channel.MIC, "no microphone"), (Channel.SYSTEM, "no monitor of the default output")]
)
def test_a_server_without_devices_says_so(leg: Channel, what: str) -> None:
    with pytest.raises(AudioError, match=what):
        pulse.choose(Server((), "", ""), "auto", leg)


def test_a_monitor_that_stands_for_the_microphone_is_called_what_it_is() -> None:
    assert pulse.label(MONITOR, Channel.MIC) == "Monitor of Speakers (a monitor, pulse: speakers.monitor)"
    assert pulse.label(MONITOR, Channel.SYSTEM) == "Monitor of Speakers (pulse: speakers.monitor)"
    assert pulse.label(USB, Channel.MIC) == "USB Microphone (pulse: alsa_input.usb)"
