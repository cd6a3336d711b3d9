"""What a PulseAudio or PipeWire server says of its sources, asked through `pactl`.

The plain listing is read, not JSON: servers before release 16 have only that.
"""

import os
import subprocess
from dataclasses import dataclass

from hearing.errors import AudioError
from hearing_daemon.capture.installed import has_pulse_programs, missing_pulse_programs

_ANSWER_S = 2.0


@dataclass(frozen=True, slots=True)
class PulseSource:
    """One source of the server; `monitor_of` names the sink it listens to, "" for a real one."""

    name: str
    description: str
    monitor_of: str
    rate_hz: int
    channels: int


@dataclass(frozen=True, slots=True)
class Server:
    """What there is to listen to, and the server's own defaults."""

    sources: tuple[PulseSource, ...]
    default_source: str
    default_sink: str


def ask() -> Server:
    """Ask the server for everything, within a few seconds.

    Raises:
        AudioError: The programs are missing, no server answers, or it hangs.
    """
    if not has_pulse_programs():
        raise missing_pulse_programs()
    info = _fields(_run("info"))
    return Server(
        parse_sources(_run("list", "sources")), info.get("Default Source", ""), info.get("Default Sink", "")
    )


def _run(*arguments: str) -> str:
    try:
        answer = subprocess.run(
            ["pactl", *arguments],
            env={**os.environ, "LC_ALL": "C"},  # what we read is English
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AudioError(
            f"the PulseAudio server gives no answer within {_ANSWER_S:g} s",
            hint="`systemctl --user restart pipewire-pulse` (or `pulseaudio -k`) restarts it",
        ) from None
    if answer.returncode != 0:
        raise AudioError("no PulseAudio server answers", hint="`pactl info` shows why")
    return answer.stdout.decode(errors="replace")


def parse_sources(listing: str) -> tuple[PulseSource, ...]:
    """Read `pactl list sources`; an entry without a name is left out."""
    entries = [_fields(entry) for entry in ("\n" + listing).split("\nSource #")[1:]]
    return tuple(_source(fields) for fields in entries if fields.get("Name"))


def _source(fields: dict[str, str]) -> PulseSource:
    rate_hz, channels = _sample_specification(fields.get("Sample Specification", ""))
    monitor_of = fields.get("Monitor of Sink", "n/a")
    return PulseSource(
        name=fields["Name"],
        description=fields.get("Description", fields["Name"]),
        monitor_of="" if monitor_of == "n/a" else monitor_of,
        rate_hz=rate_hz,
        channels=channels,
    )


def _sample_specification(text: str) -> tuple[int, int]:
    """Read `s16le 2ch 44100Hz` as rate and channels, (0, 0) where it says something else."""
    match text.split():
        case [_, channels, rate] if channels[:-2].isdecimal() and rate[:-2].isdecimal():
            return int(rate[:-2]), int(channels[:-2])
    return 0, 0


def _fields(text: str) -> dict[str, str]:
    """Read `Key: value` lines; properties further in (`key = value`) are none."""
    pairs = (line.strip().partition(": ") for line in text.splitlines())
    return {key: value for key, colon, value in pairs if colon}
