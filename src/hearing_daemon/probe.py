"""What can be heard here: devices, a level, PortAudio; JSON lines on stdout, never longer than its deadlines.

Lines have a `type`: `device`, `level`, `portaudio`, and `problem` for what could not be found out.
"""

import argparse
import asyncio
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import numpy as np

from hearing import process
from hearing.errors import AudioError, ExitCode
from hearing.interfaces import CaptureStatus
from hearing.types import SAMPLE_RATE_HZ, Channel
from hearing_daemon.capture import installed, spec
from hearing_daemon.capture.child import ChildSource
from hearing_daemon.capture.spec import Backend, DeviceSource

PORTAUDIO_S = 8.0
"""How long PortAudio may look for devices; a bad driver can hang it for ever."""

OPENING_S = 10.0
"""How long a device may take to give its first sound."""

_FULL_SCALE = 32_768.0

Line = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Print what is asked for; exit 1 when any line is a `problem`."""
    process.harden()
    process.die_with_parent()
    wanted = _parser().parse_args(arguments)
    exit_code = ExitCode.OK
    for line in _lines(wanted):
        print(json.dumps(line, ensure_ascii=False), flush=True)
        if line["type"] == "problem":
            exit_code = ExitCode.FAILED
    return exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hearing-probe", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    devices = commands.add_parser("devices", help="every device of every back end")
    devices.add_argument("--backend", choices=[Backend.PULSE, Backend.SOUNDDEVICE])
    devices.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    level = commands.add_parser("level", help="listen for a moment and measure")
    level.add_argument("--backend", choices=[*Backend], default=Backend.AUTO)
    level.add_argument("--device", default=spec.AUTO)
    level.add_argument("--leg", choices=[*Channel], default=Channel.MIC)
    level.add_argument("--seconds", type=_seconds, default=2.0)
    commands.add_parser("portaudio", help="whether PortAudio is installed")
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.1 <= seconds <= 60:
        raise argparse.ArgumentTypeError(f"`{text}` is not from 0.1 to 60 seconds")
    return seconds


def _lines(wanted: argparse.Namespace) -> Iterator[Line]:
    match wanted.command:
        case "devices" if wanted.in_process:
            yield from _portaudio_devices()
        case "devices":
            if wanted.backend != Backend.SOUNDDEVICE:
                yield from _pulse_devices()
            if wanted.backend != Backend.PULSE:
                yield from _portaudio_devices_of_a_child()
        case "level":
            source = DeviceSource(Backend(wanted.backend), wanted.device)
            yield asyncio.run(measure(source, Channel(wanted.leg), wanted.seconds))
        case "portaudio":
            present = installed.has_portaudio()
            yield {
                "type": "portaudio",
                "present": present,
                "hint": "" if present else installed.portaudio_hint(),
            }


def _problem(what: str, error: AudioError) -> Line:
    return {"type": "problem", "what": what, "detail": error.sentence, "hint": error.hint}


def _pulse_devices() -> Iterator[Line]:
    from hearing_daemon.capture.sources import pactl

    try:
        server = pactl.ask()
    except AudioError as error:
        yield _problem(Backend.PULSE, error)
        return
    for source in server.sources:
        is_default = server.default_sink == source.monitor_of if source.monitor_of else False
        yield {
            "type": "device",
            "backend": Backend.PULSE,
            "id": source.name,
            "name": source.description,
            "leg": Channel.SYSTEM if source.monitor_of else Channel.MIC,
            "rate_hz": source.rate_hz,
            "channels": source.channels,
            "default": is_default or source.name == server.default_source,
            "monitor": bool(source.monitor_of),
        }


def _portaudio_devices_of_a_child() -> Iterator[Line]:
    """Ask PortAudio in a process that can be killed."""
    if not installed.has_portaudio():
        yield _problem(Backend.SOUNDDEVICE, installed.missing_portaudio())
        return
    try:
        child = subprocess.run(
            [sys.executable, "-m", "hearing_daemon.probe", "devices", "--in-process"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # ALSA complains there about every device that is not
            timeout=PORTAUDIO_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield _problem(
            Backend.SOUNDDEVICE, AudioError(f"PortAudio found no end of devices in {PORTAUDIO_S:g} s")
        )
        return
    yield from (json.loads(line) for line in child.stdout.splitlines())
    if child.returncode not in (ExitCode.OK, ExitCode.FAILED):
        yield _problem(
            Backend.SOUNDDEVICE, AudioError(f"PortAudio died with status {child.returncode} looking")
        )


def _portaudio_devices() -> Iterator[Line]:
    from hearing_daemon.capture.sources import portaudio

    try:
        devices = portaudio.devices()
    except AudioError as error:
        yield _problem(Backend.SOUNDDEVICE, error)
        return
    for device in devices:
        yield {
            "type": "device",
            "backend": Backend.SOUNDDEVICE,
            "id": device.id,
            "name": device.name,
            "leg": Channel.MIC,
            "rate_hz": device.rate_hz,
            "channels": device.channels,
            "default": device.is_default,
            "monitor": False,
        }


async def measure(source: DeviceSource, leg: Channel, seconds: float) -> Line:
    """Listen for so long and give a `level` line, or a `problem` line when nothing can be heard.

    Levels are dBFS, None for digital silence.
    """
    child = ChildSource(source, leg)
    device, heard = source.name, []
    left = round(seconds * SAMPLE_RATE_HZ)
    try:
        async with asyncio.timeout(OPENING_S + seconds):
            async with aclosing(child.blocks()) as blocks:
                async for item in blocks:
                    if isinstance(item, CaptureStatus):
                        device = item.device
                        continue
                    heard.append(item)
                    left -= len(item)
                    if left <= 0:
                        break
    except AudioError as error:
        return _problem("level", error)
    except TimeoutError:
        return _problem("level", AudioError(f"`{device}` gives no sound within {OPENING_S:g} s"))
    finally:
        await child.close()
    sound = np.concatenate(heard).astype(np.float64) / _FULL_SCALE
    return {
        "type": "level",
        "backend": source.backend,
        "leg": leg,
        "device": device,
        "seconds": round(len(sound) / SAMPLE_RATE_HZ, 2),
        "rms_dbfs": _dbfs(float(np.sqrt(np.mean(sound**2)))),
        "peak_dbfs": _dbfs(float(np.max(np.abs(sound)))),
    }


def _dbfs(amplitude: float) -> float | None:
    return round(20 * math.log10(amplitude), 1) if amplitude > 0 else None


if __name__ == "__main__":
    sys.exit(main())
