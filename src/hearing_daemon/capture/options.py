"""What the command line says about capture, for the daemon and for its capture children."""

import argparse
from dataclasses import dataclass

from hearing.errors import UsageError
from hearing_daemon.capture import spec
from hearing_daemon.capture.spec import AUTO, DEFAULT_LAYOUT, MAX_SPEED, RawFormat, RawLayout, Source


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """The daemon's own wishes; None leaves the choice to the configuration.

    Attributes:
        source: What the `mic` leg listens to, over everything else; without `system` it is the only leg.
        mic, system: A device, `auto` or `off`, over `[capture]`.
        speed: A multiple of real time for a file; infinity is `max`.
        layout: What raw PCM on stdin is.
    """

    source: str | None = None
    mic: str | None = None
    system: str | None = None
    speed: float = 1.0
    layout: RawLayout = DEFAULT_LAYOUT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add all options of capture to the daemon's parser."""
    add_source_arguments(parser)
    parser.add_argument("--mic", metavar="DEVICE", help="microphone: a device, `auto` or `off`")
    parser.add_argument(
        "--system", metavar="DEVICE", help="what the computer plays: a device, `auto` or `off`"
    )


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names one source and how it is read."""
    parser.add_argument("--source", metavar="SPEC", help=f"listen to this instead: {spec.SPEC_HINT}")
    parser.add_argument("--speed", metavar="X", default="1", help="play a file X times as fast, or `max`")
    parser.add_argument(
        "--rate", type=int, default=16_000, metavar="N", help="rate of raw PCM on stdin, in Hz"
    )
    parser.add_argument("--channels", type=int, default=1, metavar="N", help="channels of raw PCM on stdin")
    parser.add_argument(
        "--format", choices=[*RawFormat], default=RawFormat.S16LE, help="sample format on stdin"
    )


def from_args(arguments: argparse.Namespace) -> CaptureOptions:
    """Read what `add_arguments` added.

    Raises:
        UsageError: A value is out of its range.
    """
    return CaptureOptions(
        source=arguments.source,
        mic=arguments.mic,
        system=arguments.system,
        speed=_speed(arguments.speed),
        layout=_layout(arguments),
    )


def child_source(arguments: argparse.Namespace) -> Source:
    """Read what `add_source_arguments` added, as the capture child does."""
    return spec.parse(arguments.source or AUTO, speed=_speed(arguments.speed), layout=_layout(arguments))


def child_arguments(source: Source) -> list[str]:
    """Write a source as `child_source` reads it."""
    written = [
        "--source",
        source.spec,
        "--speed",
        "max" if source.speed == MAX_SPEED else f"{source.speed:g}",
    ]
    if isinstance(source, spec.StdinSource):
        raw = source.layout
        written += ["--rate", str(raw.rate_hz), "--channels", str(raw.channels), "--format", raw.sample]
    return written


def _speed(text: str) -> float:
    if text == "max":
        return MAX_SPEED
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 1_000:
        raise UsageError(f"speed `{text}` is neither `max` nor a number from 0.01 to 1000")
    return speed


def _layout(arguments: argparse.Namespace) -> RawLayout:
    if not 1_000 <= arguments.rate <= 768_000:
        raise UsageError(f"rate `{arguments.rate}` is not from 1000 to 768000 Hz")
    if not 1 <= arguments.channels <= 64:
        raise UsageError(f"channels `{arguments.channels}` is not from 1 to 64")
    return RawLayout(arguments.rate, arguments.channels, RawFormat(arguments.format))
