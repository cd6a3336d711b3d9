"""PulseAudio and PipeWire: finds the source, then lets `parec` take this process's place.

A Python process that copied between the two would add 13 MB, as much processor time again and one more
thing that can hang. `exec` keeps our parent-death signal.
"""

import os
import signal
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing.types import SAMPLE_RATE_HZ, Channel
from hearing_daemon.capture import framing
from hearing_daemon.capture.sources.pactl import PulseSource, Server
from hearing_daemon.capture.spec import AUTO


def choose(server: Server, device: str, leg: Channel) -> PulseSource:
    """Find the source that is meant: its name, its description, or a part that only one of them has.

    `auto` is the default source for the microphone and the default sink's monitor for the system leg.

    Raises:
        AudioError: There is none.
    """
    if device == AUTO:
        return _default(server, leg)
    wanted = device.casefold()
    tests: tuple[Callable[[PulseSource], bool], ...] = (
        lambda source: device in (source.name, source.description),
        lambda source: wanted in f"{source.name}\n{source.description}".casefold(),
    )
    for test in tests:
        found = [source for source in server.sources if test(source)]
        if len(found) == 1:
            return found[0]
        if found:
            candidates = ", ".join(f"`{source.name}`" for source in found)
            raise AudioError(f"device `{device}` may be {candidates}", hint="name one of them")
    names = [source.name for source in server.sources]
    close = get_close_matches(device, names, n=1, cutoff=0.85)  # a slip, not another device
    raise AudioError(
        f"device `{device}` is not there",
        hint=f"did you mean `{close[0]}`?" if close else "`hearing devices` lists what is there",
    )


def _default(server: Server, leg: Channel) -> PulseSource:
    for source in server.sources:
        if leg is Channel.MIC and source.name == server.default_source:
            return source
        if leg is Channel.SYSTEM and source.monitor_of and source.monitor_of == server.default_sink:
            return source
    what = "microphone" if leg is Channel.MIC else "monitor of the default output"
    raise AudioError(f"the PulseAudio server has no {what}", hint="`hearing devices` lists what is there")


def label(source: PulseSource, leg: Channel) -> str:
    """Name a source for people; a monitor that stands for the microphone is called what it is."""
    odd = leg is Channel.MIC and source.monitor_of
    return f"{source.description} ({'a monitor, ' if odd else ''}pulse: {source.name})"


def become_parec(source: PulseSource, leg: Channel) -> NoReturn:
    """Say what is captured, then turn this process into `parec`, which writes PCM and nothing else.

    Raises:
        AudioError: It cannot be started.
    """
    status = CaptureStatus(label(source, leg), source.rate_hz, source.channels)
    sys.stdout.buffer.write(framing.encode(status) + framing.encode_raw_follows())
    sys.stdout.buffer.flush()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # an ignored signal would stay ignored through exec
    try:
        os.execvpe("parec", parec_argv(source.name), {**os.environ, "LC_ALL": "C"})
    except OSError as error:
        raise AudioError(f"`parec` cannot be started: {error.strerror}") from None


def parec_argv(source_name: str) -> list[str]:
    """Write the command; without a latency it would deliver two seconds at once.

    `--verbose` makes it say on stderr when the server moves it to another source (`parec_talk`).
    """
    return [
        "parec",
        "--verbose",
        f"--device={source_name}",
        "--latency-msec=20",
        f"--rate={SAMPLE_RATE_HZ}",
        "--channels=1",
        "--format=s16le",
        "--client-name=hearing",
        "--stream-name=hearing",
    ]
