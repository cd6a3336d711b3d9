"""Downloads that survive being cut: what is here is kept, the rest is asked for, the whole is verified.

An address may carry a password: it appears in no error, no log and no `repr`.
"""

from __future__ import annotations

import logging
import queue
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from hearing.errors import DownloadError
from hearing.models.private_files import open_private
from hearing.models.store import sha256_of

_CONNECT_S = 10.0
_STALL_S = 30.0
_MAX_CUTS = 20  # a line that breaks this often, each time after some progress, is given up

for _talkative in ("httpx", "httpcore"):  # they log addresses
    logging.getLogger(_talkative).setLevel(logging.WARNING)


class TornError(DownloadError):
    """What arrived is not what was announced."""


class RefusedAddressError(DownloadError):
    """The server will not give us this; another way of asking may do better."""


class _CutError(Exception):
    """The connection broke; what had come is kept."""


@dataclass(frozen=True, slots=True)
class Download:
    """One file to fetch.

    Attributes:
        address: Where; secret.
        into: The finished file; while it grows it is called `NAME.part`.
        label: What errors call it.
        limit: The most bytes it may have.
        sha256: What it must hash to, or None when nobody said.
    """

    address: str = field(repr=False)
    into: Path
    label: str
    limit: int
    sha256: str | None

    @property
    def part(self) -> Path:
        """Give the unfinished file."""
        return self.into.with_name(self.into.name + ".part")

    @property
    def here(self) -> int:
        """Count the bytes that are here already."""
        return max(_size(self.into), _size(self.part))


def client(connect_s: float = _CONNECT_S, stall_s: float = _STALL_S) -> httpx.Client:
    """Give a client that trusts the system's certificates and follows redirects."""
    return httpx.Client(
        verify=ssl.create_default_context(),
        follow_redirects=True,
        timeout=httpx.Timeout(stall_s, connect=connect_s),
    )


def fetch(http: httpx.Client, download: Download, at: Callable[[int], object]) -> None:
    """Bring a file here and verify it; `at` is called with the bytes that are here, as they grow.

    Raises:
        TornError: It has a wrong hash; nothing of it is kept.
        RefusedAddressError: The server or its address is of no use to us.
        DownloadError: The connection is lost, or the file is larger than it may be; what came is kept.
        OSError: It cannot be written.
    """
    if download.into.exists() and _is_right(download.into, download):
        at(_size(download.into))
        return
    for _ in range(_MAX_CUTS):
        before = _size(download.part)
        try:
            _receive(http, download, before, at)
            break
        except _CutError:
            if _size(download.part) == before:
                raise DownloadError(
                    f"{download.label}: the connection is lost after {before} bytes"
                ) from None
    else:
        raise DownloadError(f"{download.label}: the connection is lost again and again")
    if not _is_right(download.part, download):
        download.part.unlink()
        raise TornError(f"{download.label} has a wrong hash")
    download.part.replace(download.into)


def silence(http: httpx.Client, address: str, within_s: float) -> str:
    """Ask for the head of an address; say why there was no answer, or give "" when any came in time.

    A thread asks, since looking up a name cannot be cut short; it is left behind to end by itself.
    """
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask() -> None:
        try:
            http.head(address)
            heard.put("")
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError):  # RuntimeError: closed under us
            heard.put("cannot be reached")

    threading.Thread(target=ask, name="hub-answers", daemon=True).start()
    try:
        return heard.get(timeout=within_s)
    except queue.Empty:
        return f"no answer within {within_s:.0f} s"


def _receive(http: httpx.Client, download: Download, before: int, at: Callable[[int], object]) -> None:
    """Append what is missing to the unfinished file, or start it again if the server cannot go on."""
    headers = {"Accept-Encoding": "identity"}
    if before:
        headers["Range"] = f"bytes={before}-"
    try:
        with http.stream("GET", download.address, headers=headers) as answer:
            _append(answer, download, _start(answer, download, before), at)
    except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.TooManyRedirects, httpx.ConnectError) as error:
        raise RefusedAddressError(f"{download.label}: {_reason(error)}") from None
    except httpx.HTTPError:
        raise _CutError from None


def _start(answer: httpx.Response, download: Download, before: int) -> int:
    """Give the offset at which the answer's bytes belong."""
    if answer.status_code == httpx.codes.OK:
        return 0
    if answer.status_code == httpx.codes.PARTIAL_CONTENT and answer.headers.get(
        "Content-Range", ""
    ).startswith(f"bytes {before}-"):
        return before
    if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and before:
        return -1
    raise RefusedAddressError(f"{download.label}: the server answers {answer.status_code}")


def _append(answer: httpx.Response, download: Download, start: int, at: Callable[[int], object]) -> None:
    if start < 0:  # nothing follows what is here: it is whole, or it never was right
        if download.sha256 is None or not _is_right(download.part, download):
            download.part.unlink()
            raise TornError(f"{download.label} does not go on where it was cut")
        return
    done = start
    with open_private(download.part) as file:
        file.truncate(start)
        file.seek(start)
        for chunk in answer.iter_raw():
            done += len(chunk)
            if done > download.limit:
                raise DownloadError(f"{download.label} is larger than its {download.limit} bytes")
            file.write(chunk)
            file.flush()  # `at` tells of what outlives us
            at(done)


def _is_right(path: Path, download: Download) -> bool:
    return download.sha256 is None or sha256_of(path) == download.sha256


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _reason(error: Exception) -> str:
    """Say what went wrong without the address, which httpx puts into its own sentences."""
    return {
        "UnsupportedProtocol": "its address is not one of the web",
        "InvalidURL": "its address cannot be read",
        "TooManyRedirects": "its address leads in circles",
    }.get(type(error).__name__, "the server cannot be reached")
