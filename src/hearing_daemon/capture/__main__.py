"""The capture child: one source, mono 16 kHz PCM and statuses as frames on stdout.

It holds the device so that the daemon need not: reopening is a new process with a fresh device list, and
a driver that hangs is killed with it. Sound goes to the pipe and nowhere else.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hearing import process
from hearing.errors import ExitCode, HearingError
from hearing.interfaces import CaptureStatus
from hearing.types import Channel
from hearing_daemon.capture import framing, options, spec
from hearing_daemon.capture.sources.pace import Pace

if TYPE_CHECKING:
    from hearing.interfaces import Samples

STDIN_SLACK = 1.02
"""A pipe is taken slightly faster than real time: a live writer's clock may run fast."""


def main() -> int:
    """Read the source until it ends, fails, or the reader is gone."""
    process.harden()
    process.die_with_parent(signal.SIGKILL)
    arguments = _parser().parse_args()
    try:
        source = options.child_source(arguments)
        for item in _open(source, Channel(arguments.leg)):
            _send(framing.Pcm(item.astype("<i2").tobytes()) if not isinstance(item, CaptureStatus) else item)
        _send(framing.End())
    except HearingError as error:
        _send(framing.Failure(error.sentence, error.hint))
        return ExitCode.FAILED
    except BrokenPipeError:  # the daemon has gone
        return ExitCode.FAILED
    return ExitCode.OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hearing-capture", description=__doc__, allow_abbrev=False)
    parser.add_argument("--leg", choices=[*Channel], default=Channel.MIC)
    options.add_source_arguments(parser)
    return parser


def _open(source: spec.Source, leg: Channel) -> Iterator[Samples | CaptureStatus]:
    """Load the one back end that is asked for."""
    match source:
        case spec.FileSource():
            from hearing_daemon.capture.sources import file

            return _paced(file.read(source.path), Pace(source.speed))
        case spec.StdinSource():
            from hearing_daemon.capture.sources import stdin

            return _paced(stdin.read(source.layout), Pace(source.speed * STDIN_SLACK))
        case spec.DeviceSource():
            from hearing_daemon.capture.sources import auto

            return auto.read(source, leg)


def _paced(items: Iterator[Samples | CaptureStatus], pace: Pace) -> Iterator[Samples | CaptureStatus]:
    for item in items:
        if not isinstance(item, CaptureStatus):
            time.sleep(pace.wait_s(len(item), time.monotonic()))
        yield item


def _send(frame: framing.Frame) -> None:
    sys.stdout.buffer.write(framing.encode(frame))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
