"""Asking the probe: its lines, and everything it may do instead of answering."""

import sys

import pytest

from hearing.errors import HearingError
from hearing_cli import probe as module
from hearing_cli.probe import Device, Level, PortAudio, Problem, probe


def says(text: str, code: int = 0) -> tuple[str, ...]:
    """Stand in for the probe."""
    return sys.executable, "-c", f"import sys; print({text!r}); sys.exit({code})"


def test_every_kind_of_line_is_read_and_unknown_fields_are_ignored() -> None:
    found = probe(
        "devices",
        program=says(
            '{"type":"device","backend":"pulse","id":"a","name":"A","leg":"mic","rate_hz":48000,"channels":2,'
            '"default":true,"monitor":false,"colour":"red"}\n'
            '{"type":"level","device":"A","seconds":2.0,"rms_dbfs":null,"peak_dbfs":null}\n'
            '{"type":"portaudio","present":false,"hint":"apt"}\n'
            '{"type":"problem","what":"pulse","detail":"gone","hint":""}',
            code=1,
        ),
    )
    assert found == [
        Device("pulse", "a", "A", "mic", 48_000, 2, default=True, monitor=False),
        Level("A", 2.0, None, None),
        PortAudio(present=False, hint="apt"),
        Problem("pulse", "gone"),
    ]


def test_a_probe_that_dies_is_an_error_with_its_status() -> None:
    with pytest.raises(HearingError, match="the probe for `devices` ended with exit status 9"):
        probe("devices", program=says("", code=9))


def test_a_probe_that_talks_nonsense_is_an_error() -> None:
    with pytest.raises(HearingError, match="the probe for `level` is not understood"):
        probe("level", program=says("ALSA lib: no card"))


def test_a_probe_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT_S", 0.2)
    with pytest.raises(HearingError, match=r"does not end within 0\.2 s"):
        probe("level", program=(sys.executable, "-c", "import time; time.sleep(60)"))


def test_the_real_probe_speaks_this_language() -> None:
    found = probe("portaudio")
    assert [type(item) for item in found] == [PortAudio]
