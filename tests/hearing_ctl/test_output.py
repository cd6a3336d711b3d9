"""A pipe gets what was said as it is; a terminal gets nothing that drives it."""

import os
import pty
import sys

import pytest

from hearing_ctl import output

HOSTILE = "a\x1b[2Jb\x9b2J\u202ec é\n"


def test_a_pipe_gets_every_byte(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output.write(HOSTILE + "\ud800")
    assert capfdbinary.readouterr().out == HOSTILE.encode() + b"?"


def test_a_terminal_gets_no_control(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = pty.openpty()
    with os.fdopen(terminal, "w", encoding="latin-1") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        output.write(HOSTILE)
        assert os.read(ours, 100).decode() == "a[2Jb2Jc é\r\n"
        assert output.coloured() == (os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR"))
        monkeypatch.setenv("NO_COLOR", "1")
        assert not output.coloured()
        monkeypatch.setenv("NO_COLOR", "")
        monkeypatch.setenv("TERM", "dumb")
        assert not output.coloured()
        monkeypatch.setenv("TERM", "xterm")
        assert output.coloured()
        monkeypatch.undo()
    os.close(ours)
