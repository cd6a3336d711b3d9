"""Which legs the daemon has, from the command line and the configuration."""

import os
import stat
from functools import partial

from hearing.clock import Clock
from hearing.config import CaptureConfig
from hearing.errors import AudioError, UsageError
from hearing.types import Channel
from hearing_daemon.capture import installed, spec
from hearing_daemon.capture.child import ChildSource
from hearing_daemon.capture.leg import Leg
from hearing_daemon.capture.options import CaptureOptions
from hearing_daemon.capture.spec import OFF, Backend, Source


def build(options: CaptureOptions, config: CaptureConfig, clock: Clock, started_ms: int) -> list[Leg]:
    """Make the legs that are wished for, unopened; `--source` stands for the microphone, and alone.

    Raises:
        AudioError: A file that is named cannot be opened, or what a back end needs is not installed.
        UsageError: A source names nothing, or no leg is left.
    """
    sources = wished(options, config)
    if not sources:
        raise UsageError("both legs are `off`", hint="name a microphone with `--mic`, or `--mic auto`")
    for source in sources.values():
        check(source)
    return [
        Leg(channel, source, partial(ChildSource, source, channel), clock, started_ms)
        for channel, source in sources.items()
    ]


def wished(options: CaptureOptions, config: CaptureConfig) -> dict[Channel, Source]:
    """Decide what each leg listens to; a leg that is `off` is left out.

    Raises:
        UsageError: A source names nothing.
    """
    sources: dict[Channel, Source] = {}
    backend = Backend(config.backend)
    mic, system = options.mic or config.mic, options.system or config.system
    if options.source is not None:
        sources[Channel.MIC] = spec.parse(options.source, speed=options.speed, layout=options.layout)
        system = options.system or OFF
    elif mic != OFF:
        sources[Channel.MIC] = spec.parse_device(mic, backend)
    if system != OFF:
        sources[Channel.SYSTEM] = spec.parse_device(system, backend)
    return sources


def check(source: Source) -> None:
    """Refuse what can be known to fail before anything starts.

    Raises:
        AudioError, UsageError: See `build`.
    """
    match source:
        case spec.FileSource():
            _check_file(source)
        case spec.StdinSource() if os.isatty(0):
            raise UsageError(
                "stdin is a terminal, not sound", hint="`ffmpeg … -f s16le - | hearing-daemon …`"
            )
        case spec.DeviceSource(Backend.SOUNDDEVICE) if not installed.has_portaudio():
            raise installed.missing_portaudio()
        case spec.DeviceSource(Backend.PULSE) if not installed.has_pulse_programs():
            raise installed.missing_pulse_programs()
        case _:
            pass


def _check_file(source: spec.FileSource) -> None:
    path = source.path
    try:
        info = path.stat()
    except FileNotFoundError:
        raise AudioError(f"file `{path}` does not exist") from None
    except OSError as error:
        raise AudioError(f"file `{path}` cannot be read: {(error.strerror or '').lower()}") from None
    for bad, why in (
        (stat.S_ISDIR(info.st_mode), "is a folder"),
        (not stat.S_ISREG(info.st_mode), "is no regular file"),
        (info.st_size == 0, "is empty"),
        (not os.access(path, os.R_OK), "may not be read"),
    ):
        if bad:
            raise AudioError(f"file `{path}` {why}")
