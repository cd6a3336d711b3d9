"""A toy model, the wheels it comes in, and a small web server of 127.0.0.1 that misbehaves on demand."""

from __future__ import annotations

import base64
import hashlib
import random
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from hearing.models.entry import Edition, Entry, FileSpec, HubSource, IndexSource, Kind, Member, Wheel
from hearing.models.package_client import Address
from hearing.models.progress import Progress

NAME = "toy.en"
DISTRIBUTION = "hearing-toy-weights"
REVISION = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "toys/toy.en"

CONTENTS: dict[str, bytes] = {
    "model.bin": b"\x06\0\0\0\x0c\0WhisperSpec\0" + random.Random(1).randbytes(300_000),  # noqa: S311
    "config.json": b'{"toy": true}',
    "tokenizer.json": b"{}",
    "vocabulary.txt": b"a\nb\n",
}
"""Noise that does not pack, so that a cut in the wheel is a cut in the weights."""

_PACKAGE = "hearing_toy_weights"
_HALF = 150_000


def sha256(content: bytes) -> str:
    """Hash bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def folder(path: Path, contents: dict[str, bytes] = CONTENTS) -> Path:
    """Write the toy's files into a folder."""
    path.mkdir(parents=True)
    for name, content in contents.items():
        (path / name).write_bytes(content)
    return path


def wheel(into: Path, part: int = 1, *, contents: dict[str, bytes] = CONTENTS, **extra: bytes) -> Path:
    """Make one of the two wheels of the toy: the first has half of the weights, the second all the rest.

    Args:
        into: A folder.
        part: 1 or 2.
        contents: The files of the model.
        extra: More members by path.
    """
    distribution = f"{_PACKAGE}_{part}"
    weights = contents["model.bin"]
    members = {f"{distribution}/model.bin.part{part}": weights[:_HALF] if part == 1 else weights[_HALF:]}
    if part == 2:
        members |= {f"{distribution}/{name}": content for name, content in contents.items()}
        del members[f"{distribution}/model.bin"]
    info = f"{distribution}-1.0.dist-info"
    members[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {DISTRIBUTION}-{part}\nVersion: 1.0\n".encode()
    )
    members[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: toy\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    members |= extra
    record = "".join(
        f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in members.items()
    )
    members[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = into / f"{distribution}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content)
    return path


def entry(*wheels: Path, hub: bool = False, contents: dict[str, bytes] = CONTENTS) -> Entry:
    """Give the toy's catalogue entry: served by its two wheels, and by a hub first if asked."""
    one, two = (
        Wheel(f"{DISTRIBUTION}-{number}", "1.0", path.stat().st_size) for number, path in enumerate(wheels, 1)
    )
    index = IndexSource(
        tuple(
            (
                name,
                (Member(one, f"{_PACKAGE}_1/model.bin.part1"), Member(two, f"{_PACKAGE}_2/model.bin.part2"))
                if name == "model.bin"
                else (Member(two, f"{_PACKAGE}_2/{name}"),),
            )
            for name in contents
        )
    )
    return Entry(
        name=NAME,
        kind=Kind.STT,
        about="a toy",
        languages="en",
        licence="MIT",
        editions=(
            Edition(
                files=tuple(
                    FileSpec(name, len(content), sha256(content)) for name, content in contents.items()
                ),
                sources=(HubSource(REPOSITORY, REVISION), index) if hub else (index,),
            ),
        ),
    )


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


@dataclass
class Heard(Progress):
    """Keeps what a pull tells."""

    notes: list[str] = field(default_factory=list)
    begun: list[tuple[str, int, int]] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Keep it."""
        self.notes.append(sentence)

    def begin(self, what: str, total_bytes: int, done_bytes: int) -> None:
        """Keep it."""
        self.begun.append((what, total_bytes, done_bytes))

    def at(self, done_bytes: int) -> None:
        """Keep it."""
        self.bytes.append(done_bytes)


@dataclass
class Page:
    """What the server has at one path, and how it misbehaves.

    Attributes:
        content: The bytes.
        status: Anything but 200 is answered bare.
        ranges: Whether it honours a range.
        cuts: After how many bytes of its body each answer breaks off, one per request.
        hold: If set, an answer waits for it after its first `hold_after` bytes (or before any head).
        hold_after: See `hold`.
    """

    content: bytes
    status: int = 200
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    hold: threading.Event | None = None
    hold_after: int = -1


class FakeServer:
    """Pages by path, and a list of what was asked: `(method, path, range header)`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[str, str, str]] = []

    def put(self, path: Path) -> Page:
        """Serve a file under its name."""
        page = self.pages[f"/{path.name}"] = Page(path.read_bytes())
        return page

    def put_hub(self, contents: dict[str, bytes] = CONTENTS) -> dict[str, Page]:
        """Serve files as a hub does."""
        made = {name: Page(content) for name, content in contents.items()}
        self.pages |= {f"/{REPOSITORY}/resolve/{REVISION}/{name}": page for name, page in made.items()}
        return made

    def resolve(self, of: Wheel) -> Address:
        """Answer as the package client does; the address carries a password."""
        number = of.distribution[-1]
        path = f"/{_PACKAGE}_{number}-1.0-py3-none-any.whl"
        secret = self.address.replace("://", "://somebody:password@")
        return Address(secret + path, sha256(self.pages[path].content))

    def ranges(self) -> list[str]:
        """List the range headers of all downloads, "" for none."""
        return [asked for method, _, asked in self.asked if method == "GET"]


@contextmanager
def serving() -> Iterator[FakeServer]:
    """Run a server of 127.0.0.1; its threads have ended when the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = False
        fake = FakeServer(f"http://127.0.0.1:{server.server_port}")
        server.fake = fake  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield fake
        finally:
            for page in fake.pages.values():
                if page.hold:
                    page.hold.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One request, then the connection closes."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Print nothing."""

    def _answer(self) -> None:
        fake: FakeServer = self.server.fake  # type: ignore[attr-defined]
        asked = self.headers.get("Range", "")
        fake.asked.append((self.command, self.path, asked))
        page = fake.pages.get(self.path)
        if page is None or page.status != 200:
            self.send_error(page.status if page else 404)
            return
        if page.hold and page.hold_after < 0:
            page.hold.wait()
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and page.ranges else 0
        if start >= len(page.content):
            self.send_error(416)
            return
        self._head(page, start)
        if self.command == "GET":
            self._body(page, start)

    def _head(self, page: Page, start: int) -> None:
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(page.content) - 1}/{len(page.content)}")
        self.send_header("Content-Length", str(len(page.content) - start))
        self.end_headers()

    def _body(self, page: Page, start: int) -> None:
        body = page.content[start:]
        if page.cuts:
            body = body[: page.cuts.pop(0)]
        try:
            if page.hold and page.hold_after >= 0:
                self.wfile.write(body[: page.hold_after])
                page.hold.wait()
                body = body[page.hold_after :]
            self.wfile.write(body)
        except OSError:  # the client was killed, which is what some tests are about
            return
