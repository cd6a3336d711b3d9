"""A TUI as the supervisor sees one: raw mode, another screen, keys, resizes, no manners when it dies."""

import os
import signal
import sys
import termios
import tty
from pathlib import Path
from types import FrameType

from hearing import program

_ENTER = "\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[2J\x1b[H"
_LEAVE = "\x1b[?1003l\x1b[?1000l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[?1049l"


def main() -> int:
    return program.run("tui", _live)


def _live() -> int:
    log = Path(sys.argv[1])
    before = termios.tcgetattr(0)
    tty.setraw(0)
    sys.stderr.write(_ENTER + "FAKE TUI\r\n")
    sys.stderr.flush()
    signal.signal(signal.SIGWINCH, _resized)
    signal.signal(signal.SIGTERM, _stopped)
    _note(log, f"tui start {os.getpid()}")
    try:
        while True:
            key = os.read(0, 1)
            sys.stderr.write(f"KEY {key.decode()}\r\n")
            sys.stderr.flush()
            if key == b"x":
                return 9
            if key == b"q":
                break
    except SystemExit:
        pass
    sys.stderr.write(_LEAVE)
    sys.stderr.flush()
    termios.tcsetattr(0, termios.TCSADRAIN, before)
    _note(log, "tui end")
    return 0


def _resized(_signum: int, _frame: FrameType | None) -> None:
    size = os.get_terminal_size(0)
    sys.stderr.write(f"SIZE {size.columns}x{size.lines}\r\n")
    sys.stderr.flush()


def _stopped(_signum: int, _frame: FrameType | None) -> None:
    raise SystemExit


def _note(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
