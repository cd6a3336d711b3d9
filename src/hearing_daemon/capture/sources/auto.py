"""Which back end opens a device: the one that is asked for, or the first that works."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hearing.errors import AudioError
from hearing.types import Channel
from hearing_daemon.capture.spec import Backend, DeviceSource

if TYPE_CHECKING:
    from hearing.interfaces import CaptureStatus, Samples


def read(source: DeviceSource, leg: Channel) -> "Iterator[Samples | CaptureStatus]":
    """Open a device; with PulseAudio this never returns, since `parec` takes over.

    Raises:
        AudioError: Nothing could be opened; it names what each back end lacks.
    """
    match source.backend:
        case Backend.PULSE:
            return _pulse(source.device, leg)
        case Backend.SOUNDDEVICE:
            return _portaudio(source.device, leg)
        case Backend.AUTO:
            return _first(source.device, leg)


def _pulse(device: str, leg: Channel) -> "Iterator[Samples | CaptureStatus]":
    from hearing_daemon.capture.sources import pactl, pulse

    return pulse.become_parec(pulse.choose(pactl.ask(), device, leg), leg)


def _portaudio(device: str, leg: Channel) -> "Iterator[Samples | CaptureStatus]":
    from hearing_daemon.capture.sources import portaudio

    return portaudio.read(device, leg)


def _first(device: str, leg: Channel) -> "Iterator[Samples | CaptureStatus]":
    """Try PulseAudio, which alone has monitors, then PortAudio."""
    try:
        return _pulse(device, leg)
    except AudioError as pulse_error:
        try:
            return _portaudio(device, leg)
        except AudioError as error:
            raise AudioError(
                f"{pulse_error.sentence}, and {error.sentence}", hint=error.hint or pulse_error.hint
            ) from None
