"""The `listening` file: how the assistant mutes a daemon that takes no input."""

import logging
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
            with self._path.open("rb") as file:
                word = file.read(_READ_BYTES).strip()
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
