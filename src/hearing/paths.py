"""Where things live: one search order for the runtime folder, so that servers, viewers and hotkeys agree.

Only `os` and `stat` are imported: `hearing-ctl` stands on this file.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # `typing` itself costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

DAEMON_SOCKET = "hearing-daemon.sock"
ASSISTANT_SOCKET = "hearing-assistant.sock"
UP_LOCK = "hearing-up.lock"
LISTENING_FILE = "listening"

_APP = "hearing"
_MAX_SOCKET_PATH = 104  # sizeof(sun_path) is 108 on Linux, 104 on macOS, the NUL included


class UnfitDirError(Exception):
    """A folder that must not hold a socket; the text says why."""


def runtime_dir(
    explicit: str | None = None, *, warn: Callable[[str], object] | None = None, create: bool = True
) -> str:
    """Find the folder of the sockets.

    Order: `explicit` (`--runtime-dir`), `HEARING_RUNTIME_DIR`, `$XDG_RUNTIME_DIR`, the system's own
    per-user folder, `run/` in the state folder. A folder that was named on purpose (the first two) is
    used or refused; an unfit one of the others is skipped with one call of `warn(sentence)`.

    Args:
        explicit: A folder given on the command line.
        warn: Called once per skipped folder with the reason.
        create: Whether the named folder and `run/` may be created, 0700, when they are missing.

    Raises:
        UnfitDirError: The stated folder, or every candidate, is unfit.
    """
    stated = explicit or os.environ.get("HEARING_RUNTIME_DIR")
    if stated:
        return _fit(stated, create=create)
    for candidate in (os.environ.get("XDG_RUNTIME_DIR"), _system_runtime_dir()):
        if not candidate:
            continue
        try:
            return _fit(candidate, create=False)
        except UnfitDirError as why:
            if warn is not None:
                warn(f"{why}; looking further")
    return _fit(os.path.join(state_dir(), "run"), create=create)


def _system_runtime_dir() -> str | None:
    candidate = f"/run/user/{os.geteuid()}"
    return candidate if os.path.isdir(candidate) else None


def _fit(path: str, *, create: bool) -> str:
    """Give the folder back, created if need be, held to: absolute, short enough for a socket, `_check`."""
    if not os.path.isabs(path):
        raise UnfitDirError(f"runtime folder `{path}` is not an absolute path")
    path = os.path.normpath(path)  # `link/` and `link/.` would be the folder behind the symlink
    if len(os.fsencode(path)) + 1 + len(ASSISTANT_SOCKET) >= _MAX_SOCKET_PATH:
        raise UnfitDirError(f"runtime folder `{path}` is too long for a socket")
    if create:
        _make_private(path)
    _check(path)
    return path


def _check(path: str) -> None:
    """Hold the folder to: a directory, no symlink, ours, 0700, writable."""
    try:
        info = os.lstat(path)
    except OSError as error:
        raise UnfitDirError(
            f"runtime folder `{path}` cannot be used: {os.strerror(error.errno or 0).lower()}"
        ) from None
    for bad, why in (
        (stat.S_ISLNK(info.st_mode), "is a symlink"),
        (not stat.S_ISDIR(info.st_mode), "is not a folder"),
        (info.st_uid != os.geteuid(), f"belongs to uid {info.st_uid}, not to {os.geteuid()}"),
        (stat.S_IMODE(info.st_mode) != 0o700, f"has mode {stat.S_IMODE(info.st_mode):04o}, not 0700"),
        (not os.access(path, os.W_OK | os.X_OK), "cannot be written"),
    ):
        if bad:
            raise UnfitDirError(f"runtime folder `{path}` {why}")


def _make_private(path: str) -> None:
    """Create the folder and its missing parents 0700, whatever the umask; an existing one is left alone."""
    if os.path.lexists(path):
        return
    try:
        private_dir(path)
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise UnfitDirError(f"runtime folder `{path}` cannot be created: {reason}") from None


def private_dir(path: str) -> str:
    """Create a folder and its missing parents, each new one 0700, and give the path back.

    Raises:
        OSError: It cannot be created.
    """
    if not os.path.isdir(path):
        parent = os.path.dirname(path)
        if parent and parent != path:
            private_dir(parent)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not os.path.isdir(path):  # a file or a dangling link, not a race we lost
                raise
            return path
        os.chmod(path, 0o700)
    return path


def _home(variable: str, default: str) -> str:
    base = os.environ.get(variable)
    if not base or not os.path.isabs(base):  # the XDG specification says to ignore a relative one
        base = os.path.join(os.path.expanduser("~"), default)
    return os.path.join(base, _APP)


def config_dir() -> str:
    """Give the folder of `config.toml`; it may not exist."""
    return _home("XDG_CONFIG_HOME", ".config")


def config_file() -> str:
    """Give the path of the user's configuration; it may not exist."""
    return os.path.join(config_dir(), "config.toml")


def data_dir() -> str:
    """Give the folder of model weights; it may not exist."""
    return _home("XDG_DATA_HOME", os.path.join(".local", "share"))


def models_dir() -> str:
    """Give the folder of the model store: `HEARING_MODELS_DIR`, else `models/` in the data folder."""
    return os.environ.get("HEARING_MODELS_DIR") or os.path.join(data_dir(), "models")


def state_dir() -> str:
    """Give the folder of what is kept between runs; it may not exist."""
    return _home("XDG_STATE_HOME", os.path.join(".local", "state"))
