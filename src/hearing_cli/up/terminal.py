"""The terminal the TUI draws on, put back in order whatever killed the TUI."""

import contextlib
import os
import termios
from typing import Any, Final

_LEAVE_SCREEN: Final = b"\x1b[<u\x1b[?1049l"  # its keyboard protocol, its screen; cursor as it was before
_LEAVE_SCREEN_ONLY: Final = b"\x1b[?1047l"  # nothing on a screen that was left already: the cursor stays
_RESET: Final = b"".join(
    (
        b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l",  # mouse reporting off
        b"\x1b[?2004l",  # bracketed paste off
        b"\x1b[?1004l",  # focus reporting off
        b"\x1b[?2048l",  # in-band resize reports off
        b"\x1b[?2026l",  # no update held back
        b"\x1b[?7h",  # lines wrap
        b"\x1b[?25h",  # cursor on
        b"\x1b[0m",  # colours off
    )
)


class Terminal:
    """Remembers how the terminal was, and makes it so again.

    Args:
        fd: A descriptor of the terminal; closed by `close`.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._before: list[Any] = termios.tcgetattr(fd)

    @classmethod
    def controlling(cls) -> "Terminal | None":
        """Open the terminal this process belongs to, or give None where there is none."""
        try:
            return cls(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
        except (OSError, termios.error):
            return None

    @property
    def fd(self) -> int:
        """Give the descriptor, for a child whose own streams are no terminal."""
        return self._fd

    def restore(self, *, killed: bool) -> None:
        """Undo what a TUI does to a terminal; `killed`: it had no chance to leave its screen itself."""
        leave = _LEAVE_SCREEN if killed else _LEAVE_SCREEN_ONLY
        with contextlib.suppress(OSError, termios.error):  # it may have been hung up
            termios.tcflush(self._fd, termios.TCIFLUSH)  # answers and mouse reports nobody will read
            os.write(self._fd, leave + _RESET)
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._fd)
