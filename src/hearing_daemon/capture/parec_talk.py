"""What `parec --verbose` says on stderr, and which of it is news."""

import re

from hearing.errors import AudioError

_MOVED = re.compile(r"Stream moved to device (?P<name>\S+) \(")
_LINE_ENDS = re.compile(rb"[\r\n]")
_MAX_LINE_BYTES = 4_096


class Lines:
    """Cuts stderr into lines; `parec` ends its clock lines with a carriage return alone."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> list[str]:
        """Give the lines that are whole; of an endless one only the end is kept."""
        *whole, held = _LINE_ENDS.split(self._held + data)
        self._held = held[-_MAX_LINE_BYTES:]
        lines = (line.decode(errors="replace").replace("\x1b[K", "").strip() for line in whole)
        return [line for line in lines if line]


def is_chatter(line: str) -> bool:
    """Say whether a line is of no use to anybody."""
    return line.startswith("Time: ")


def complaint(line: str) -> AudioError | None:
    """Read a line that means the take is over: the source is gone and the server gave us another one.

    A microphone that nobody chose must not be listened to.
    """
    moved = _MOVED.search(line)
    if moved is None:
        return None
    return AudioError(f"the device is gone: the sound server moved us to `{moved['name']}`")
