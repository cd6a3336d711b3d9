"""Putting a terminal back in order."""

import os
import pty
import termios
import tty

import pytest

from hearing_cli.up.terminal import Terminal


@pytest.mark.parametrize(("killed", "leaves"), [(True, b"\x1b[<u\x1b[?1049l"), (False, b"\x1b[?1047l")])
def test_raw_mode_and_every_report_are_off_again_and_the_cursor_is_on(killed: bool, leaves: bytes) -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    terminal = Terminal(os.dup(slave))
    tty.setraw(slave)
    assert termios.tcgetattr(slave) != before
    terminal.restore(killed=killed)
    assert termios.tcgetattr(slave) == before
    said = os.read(master, 4096)
    assert said.startswith(leaves)
    for off in (b"?1000l", b"?1002l", b"?1003l", b"?1006l", b"?2004l", b"?1004l", b"?2048l"):
        assert b"\x1b[" + off in said
    assert b"\x1b[?25h" in said
    terminal.close()
    os.close(slave)
    os.close(master)


def test_a_terminal_that_was_hung_up_costs_nothing() -> None:
    master, slave = pty.openpty()
    terminal = Terminal(slave)
    os.close(master)
    terminal.restore(killed=True)
    terminal.close()


def test_what_is_no_terminal_is_refused() -> None:
    reading, writing = os.pipe()
    with pytest.raises(termios.error):
        Terminal(reading)
    os.close(reading)
    os.close(writing)
