"""What the doctor makes of what the probe says."""

import pytest

from hearing_cli.doctor.audio import level, microphones, monitors
from hearing_cli.doctor.check import State
from hearing_cli.probe import Device, Found, Level, Problem

MIC = Device("pulse", "m", "Mic", "mic", 48_000, 1, default=False, monitor=False)
BEST = Device("pulse", "b", "Best", "mic", 48_000, 1, default=True, monitor=False)
MONITOR = Device("pulse", "o", "Out", "system", 48_000, 2, default=True, monitor=True)


def test_a_microphone_is_found_and_the_default_named() -> None:
    check = microphones([MIC, BEST, MONITOR])
    assert (check.state, check.detail) == (State.OK, "2 found, default `Best` (pulse)")


def test_a_machine_without_microphone_fails_with_every_reason_and_a_way_on() -> None:
    check = microphones([MONITOR, Problem("sounddevice", "PortAudio is not installed", "apt install it")])
    assert check.state is State.FAIL
    assert check.detail == "none found; sounddevice: PortAudio is not installed"
    assert check.fix == "apt install it; or play a recording: `hearing up --source FILE`"


def test_monitors_are_a_matter_of_taste() -> None:
    assert monitors([MONITOR]).state is State.OK
    assert monitors([MIC]).state is State.WARN


@pytest.mark.parametrize(
    ("found", "state"),
    [
        ([Level("Mic", 2.0, -40.0, -12.0)], State.OK),
        ([Level("Mic", 2.0, -70.0, -60.0)], State.WARN),
        ([Level("Mic", 2.0, -6.0, 0.0)], State.WARN),
        ([Level("Mic", 2.0, None, None)], State.FAIL),
        ([Problem("level", "device is busy", "close the other program")], State.FAIL),
        ([], State.FAIL),
    ],
)
def test_levels(found: list[Found], state: State) -> None:
    check = level(found)
    assert check.state is state
    assert check.state is State.OK or check.fix or not found
