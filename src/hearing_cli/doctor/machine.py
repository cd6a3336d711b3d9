"""The machine: Python, disk, terminal."""

import locale
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Final

from hearing import __version__, paths
from hearing_cli.doctor.check import Check, fail, ok, warn

MIN_PYTHON: Final = (3, 11)
_ENOUGH_BYTES: Final = 1_000_000_000
_LEAST_BYTES: Final = 200_000_000


def check_python() -> Check:
    """Look at the interpreter."""
    detail = f"hearing {__version__}, python {platform.python_version()}, {platform.system()}"
    if sys.version_info[:2] < MIN_PYTHON:
        return fail("python", detail, "install python 3.11 or newer")
    return ok("python", detail)


def check_disk() -> Check:
    """Look at the room for model weights."""
    folder = _existing(Path(paths.models_dir()))
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free at {folder}"
    if free < _LEAST_BYTES:
        return fail("disk", detail, "free some space, or set HEARING_MODELS_DIR to another disk")
    if free < _ENOUGH_BYTES:
        return warn("disk", detail, "the larger speech models need more")
    return ok("disk", detail)


def check_terminal() -> Check:
    """Look at whether the TUI could be shown here."""
    term = os.environ.get("TERM", "")
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return warn("terminal", "none here", "`hearing up --with-tui` needs one; `hearing up` does not")
    if term in ("", "dumb"):
        return warn("terminal", f"TERM is `{term}`", "`export TERM=xterm-256color`, if yours is like most")
    if locale.getencoding().lower().replace("-", "") != "utf8":
        return warn("terminal", f"its encoding is {locale.getencoding()}", "`export LC_ALL=C.UTF-8`")
    return ok("terminal", term)


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())
