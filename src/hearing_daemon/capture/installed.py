"""What this machine has to capture with, found without loading any of it, and how to get the rest."""

import ctypes.util
import shutil
import sys

from hearing.errors import AudioError

PULSE_HINT = "`apt install pulseaudio-utils`, or your system's package with `parec` and `pactl`"
_PORTAUDIO_HINTS = {
    "darwin": "`brew install portaudio`",
    "linux": "`apt install libportaudio2`, or your system's package of PortAudio",
}


def portaudio_hint() -> str:
    """Say how PortAudio is installed here."""
    return _PORTAUDIO_HINTS.get(sys.platform, "install PortAudio")


def has_portaudio() -> bool:
    """Say whether sounddevice will find PortAudio: its wheels bring it along everywhere but on Linux."""
    return sys.platform != "linux" or ctypes.util.find_library("portaudio") is not None


def has_pulse_programs() -> bool:
    """Say whether both programs we need are on PATH."""
    return shutil.which("parec") is not None and shutil.which("pactl") is not None


def missing_portaudio() -> AudioError:
    """Give the error for a machine without it."""
    return AudioError("PortAudio is not installed", hint=portaudio_hint())


def missing_pulse_programs() -> AudioError:
    """Give the error for a machine without them."""
    return AudioError("`parec` or `pactl` is not installed", hint=PULSE_HINT)
