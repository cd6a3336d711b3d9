"""The `listening` file: the assistant writes it, the daemon reads it and opens or closes its devices."""

import contextlib
import os
from pathlib import Path

from hearing import paths

_OFF = "off"
_MAX_BYTES = 16


class ListeningFile:
    """What was asked last, kept beside the sockets, so that it outlives both processes."""

    def __init__(self, runtime_dir: str | Path) -> None:
        self._path = Path(runtime_dir) / paths.LISTENING_FILE

    def muted(self) -> bool:
        """Say whether the file says `off`; a missing one, or one that cannot be read, means on."""
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            return os.read(fd, _MAX_BYTES).decode("ascii", "replace").strip() == _OFF
        except OSError:  # a folder stands there
            return False
        finally:
            os.close(fd)

    def write(self, *, on: bool) -> None:
        """Replace the file atomically, 0600 whatever the umask.

        Raises:
            OSError: It cannot be written; the old one still stands.
        """
        fresh = self._path.with_name(f".{paths.LISTENING_FILE}.{os.getpid()}")
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()  # left by a killed process of the same number
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(fresh, flags, 0o600)
        try:
            os.fchmod(fd, 0o600)
            os.write(fd, b"on\n" if on else b"off\n")
            fresh.rename(self._path)
        except OSError:
            fresh.unlink()
            raise
        finally:
            os.close(fd)
