"""What the daemon's room finds out about sound, asked of its own program: nothing of it is loaded here."""

import subprocess
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from hearing.errors import HearingError

LIMIT_S: Final = 40.0
"""Longer than all deadlines of the probe together."""


class Line(msgspec.Struct, frozen=True, tag_field="type"):
    """One line of the probe."""


class Device(Line, frozen=True, tag="device"):
    """Something that gives sound; `leg` is what it suits, `monitor` means it gives what is played."""

    backend: str
    id: str
    name: str
    leg: str
    rate_hz: int
    channels: int
    default: bool
    monitor: bool


class Level(Line, frozen=True, tag="level"):
    """How loud it was; None is digital silence."""

    device: str
    seconds: float
    rms_dbfs: float | None
    peak_dbfs: float | None


class PortAudio(Line, frozen=True, tag="portaudio"):
    """Whether PortAudio is installed, and how to get it."""

    present: bool
    hint: str = ""


class Problem(Line, frozen=True, tag="problem"):
    """What could not be found out, and why."""

    what: str
    detail: str
    hint: str = ""


Found = Device | Level | PortAudio | Problem
_DECODER: Final = msgspec.json.Decoder(Found)


def probe(
    *arguments: str, program: Sequence[str] = (sys.executable, "-m", "hearing_daemon.probe")
) -> list[Found]:
    """Run the probe and give its lines.

    Raises:
        HearingError: It does not end, dies, or says something that is no line of it.
    """
    try:
        done = subprocess.run(
            [*program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=LIMIT_S,
            check=False,
        )
        lines = [_DECODER.decode(line) for line in done.stdout.splitlines() if line.strip()]
    except subprocess.TimeoutExpired:
        raise HearingError(f"the probe for `{arguments[0]}` does not end within {LIMIT_S:g} s") from None
    except msgspec.MsgspecError as error:
        raise HearingError(
            f"the probe for `{arguments[0]}` is not understood: {str(error).lower()}"
        ) from None
    if not lines and done.returncode:
        raise HearingError(f"the probe for `{arguments[0]}` ended with exit status {done.returncode}")
    return lines
