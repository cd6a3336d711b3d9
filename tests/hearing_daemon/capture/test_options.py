"""The command line of capture, and how a child is told its source."""

import argparse
from pathlib import Path

import pytest

from hearing.errors import UsageError
from hearing_daemon.capture import options
from hearing_daemon.capture.options import CaptureOptions
from hearing_daemon.capture.spec import (
    MAX_SPEED,
    Backend,
    DeviceSource,
    FileSource,
    RawFormat,
    RawLayout,
    Source,
    StdinSource,
)


def read(*words: str) -> CaptureOptions:
    parser = argparse.ArgumentParser(exit_on_error=False)
    options.add_arguments(parser)
    return options.from_args(parser.parse_args(words))


def test_without_options_everything_is_left_to_the_configuration() -> None:
    assert read() == CaptureOptions()


def test_every_option_is_read() -> None:
    assert read(
        *("--source", "stdin", "--mic", "off", "--system", "auto", "--speed", "max"),
        *("--rate", "44100", "--channels", "2", "--format", "f32le"),
    ) == CaptureOptions(
        source="stdin",
        mic="off",
        system="auto",
        speed=MAX_SPEED,
        layout=RawLayout(44_100, 2, RawFormat.F32LE),
    )


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--speed", "0", "speed `0` is neither"),
        ("--speed", "fast", "speed `fast` is neither"),
        ("--speed", "nan", "speed `nan` is neither"),
        ("--speed", "inf", "speed `inf` is neither"),
        ("--rate", "0", "rate `0` is not from"),
        ("--channels", "0", "channels `0` is not from"),
    ],
)
def test_values_out_of_range_are_refused(option: str, value: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read(option, value)


@pytest.mark.parametrize(
    "source",
    [
        FileSource(Path("/x/a b.wav"), 20.0),
        FileSource(Path("\udcff.wav"), MAX_SPEED),
        StdinSource(RawLayout(8_000, 2, RawFormat.U8), 0.5),
        DeviceSource(Backend.AUTO, "auto"),
        DeviceSource(Backend.AUTO, "USB: 2"),
        DeviceSource(Backend.PULSE, "x.monitor"),
    ],
)
def test_a_child_is_told_exactly_the_source_that_was_meant(source: Source) -> None:
    parser = argparse.ArgumentParser()
    options.add_source_arguments(parser)
    assert options.child_source(parser.parse_args(options.child_arguments(source))) == source
