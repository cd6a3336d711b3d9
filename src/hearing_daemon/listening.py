"""The `listening` file: how the assistant mutes a daemon that takes no input."""

import logging
import os
from pathlib import Path
from typing import Final

from hearing import paths

log = logging.getLogger(__name__)

POLL_S: Final = 0.25
_READ_BYTES: Final = 16


class ListeningFile:
    """Reads the switch; a missing file means on, an unreadable or odd one changes nothing."""

    def __init__(self, runtime_dir: Path) -> None:
        self._path = runtime_dir / paths.LISTENING_FILE
        self._is_on = True
        self._complained = False

    def is_on(self) -> bool:
        """Read it now."""
        try:
            word = self._word()
        except FileNotFoundError:
            word = b"on"
        except OSError:
            word = b""
        if word in (b"on", b"off"):
            self._is_on, self._complained = word == b"on", False
        elif not self._complained:
            self._complained = True
            log.warning("`%s` says neither `on` nor `off`; it stays as it was", paths.LISTENING_FILE)
        return self._is_on

    def _word(self) -> bytes:
        """Read without waiting: a pipe in its place would hold the daemon for ever."""
        fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return os.read(fd, _READ_BYTES).strip()
        finally:
            os.close(fd)
