"""A download that is cut goes on; one that is wrong is refused; its address is told to nobody."""

import logging
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearing.errors import DownloadError
from hearing.models import fetching
from hearing.models.fetching import Download, RefusedAddressError, TornError, fetch
from hearing.testing.weights import FakeServer, Page, sha256

CONTENT = bytes(range(256)) * 1_000


def download(server: FakeServer, home: Path, content: bytes = CONTENT, **changed: object) -> Download:
    fields = {
        "address": f"{server.address}/file",
        "into": home / "file",
        "label": "`file`",
        "limit": len(content),
        "sha256": sha256(content),
    }
    return Download(**{**fields, **changed})  # type: ignore[arg-type]


def run(wanted: Download) -> list[int]:
    seen: list[int] = []
    with fetching.client() as http:
        fetch(http, wanted, seen.append)
    return seen


def test_a_file_arrives_whole(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT)
    wanted = download(server, home)
    seen = run(wanted)
    assert wanted.into.read_bytes() == CONTENT
    assert seen[-1] == len(CONTENT)
    assert not wanted.part.exists()
    assert wanted.into.stat().st_mode & 0o777 == 0o600


def test_a_right_file_is_not_fetched_again(server: FakeServer, home: Path) -> None:
    wanted = download(server, home)
    wanted.into.write_bytes(CONTENT)
    assert run(wanted) == [len(CONTENT)]
    assert server.asked == []


def test_a_cut_goes_on_where_it_was_cut(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT, cuts=[1_000, 70_000])
    wanted = download(server, home)
    run(wanted)
    assert wanted.into.read_bytes() == CONTENT
    assert server.ranges() == ["", "bytes=1000-", "bytes=71000-"]


def test_a_server_without_ranges_starts_again(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT, ranges=False, cuts=[200_000])
    wanted = download(server, home)
    seen = run(wanted)
    assert wanted.into.read_bytes() == CONTENT
    assert max(seen) == len(CONTENT)


def test_a_line_that_brings_nothing_is_given_up_and_keeps_what_came(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT, cuts=[5_000, 0, 0])
    wanted = download(server, home)
    with pytest.raises(DownloadError, match="`file`: the connection is lost after 5000 bytes"):
        run(wanted)
    assert wanted.part.read_bytes() == CONTENT[:5_000]
    server.pages["/file"].cuts.clear()
    run(wanted)
    assert server.ranges()[-1] == "bytes=5000-"


def test_a_line_that_breaks_for_ever_is_given_up(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT, cuts=[10] * 1_000)
    with pytest.raises(DownloadError, match="again and again"):
        run(download(server, home))
    assert len(server.asked) < 50


def test_a_wrong_hash_is_refused_and_nothing_kept(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT[:-1] + b"x")
    wanted = download(server, home)
    with pytest.raises(TornError, match="`file` has a wrong hash"):
        run(wanted)
    assert not wanted.into.exists()
    assert not wanted.part.exists()


def test_a_larger_file_is_cut_off(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT * 4)
    wanted = download(server, home)
    with pytest.raises(DownloadError, match=f"larger than its {len(CONTENT)} bytes"):
        run(wanted)
    assert wanted.part.stat().st_size <= len(CONTENT)


@pytest.mark.parametrize("status", [401, 403, 404, 407, 429, 500, 503])
def test_a_refusal_is_told_by_its_status(server: FakeServer, home: Path, status: int) -> None:
    server.pages["/file"] = Page(b"", status=status)
    with pytest.raises(RefusedAddressError, match=f"the server answers {status}"):
        run(download(server, home))


def test_a_whole_unfinished_file_is_finished(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT)
    wanted = download(server, home)
    wanted.part.write_bytes(CONTENT)
    run(wanted)
    assert wanted.into.read_bytes() == CONTENT


def test_a_leftover_longer_than_the_file_is_no_hindrance(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT, ranges=False)
    wanted = download(server, home)
    wanted.part.write_bytes(CONTENT + b"more")
    run(wanted)
    assert wanted.into.read_bytes() == CONTENT


def test_an_unfinished_file_of_something_else_is_thrown_away(server: FakeServer, home: Path) -> None:
    server.pages["/file"] = Page(CONTENT)
    wanted = download(server, home)
    wanted.part.write_bytes(b"x" * len(CONTENT))
    with pytest.raises(TornError, match="does not go on"):
        run(wanted)
    run(wanted)
    assert wanted.into.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://127.0.0.1/x", "nonsense", "http://[", "http://127.0.0.1:1/x", ""]
)
def test_an_address_of_no_use_is_refused(server: FakeServer, home: Path, address: str) -> None:
    with pytest.raises(RefusedAddressError):
        run(download(server, home, address=address))


def test_the_address_is_told_to_nobody(
    server: FakeServer, home: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    server.pages["/file"] = Page(CONTENT)
    server.pages["/gone"] = Page(b"", status=403)
    address = server.address.replace("//", "//somebody:password@")
    run(download(server, home, address=f"{address}/file"))
    wanted = download(server, home, address=f"{address}/gone", into=home / "gone")
    with pytest.raises(RefusedAddressError) as caught:
        run(wanted)
    told = caplog.text + "".join(capfd.readouterr()) + caught.value.lines() + repr(wanted)
    assert "password" not in told
    assert "127.0.0.1" not in told


def test_silence_has_a_limit(server: FakeServer) -> None:
    import threading

    server.pages["/hub"] = Page(b"x", hold=threading.Event())
    with fetching.client() as http:
        assert fetching.silence(http, f"{server.address}/hub", 0.05) == "no answer within 0 s"
        hold = server.pages["/hub"].hold
        assert hold
        hold.set()
        for thread in threading.enumerate():
            if thread.name == "hub-answers":
                thread.join()
        assert fetching.silence(http, f"{server.address}/hub", 10) == ""
        assert fetching.silence(http, f"{server.address}/unknown", 10) == ""
        assert fetching.silence(http, "http://127.0.0.1:1/", 10) == "cannot be reached"


class _Broken(httpx.SyncByteStream):
    def __init__(self, content: bytes, breaks: bool) -> None:
        self._content = content
        self._breaks = breaks

    def __iter__(self) -> Iterator[bytes]:
        yield self._content
        if self._breaks:
            raise httpx.ReadError("cut")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200),
    cuts=st.lists(st.integers(1, 60), max_size=8),
    ranges=st.lists(st.booleans(), min_size=9, max_size=9),
    held=st.integers(0, 200),
)
def test_any_cuts_give_the_same_file(
    home: Path, content: bytes, cuts: list[int], ranges: list[bool], held: int
) -> None:
    left, honoured = list(cuts), list(ranges)

    def answer(request: httpx.Request) -> httpx.Response:
        asked = int(request.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        start = asked if honoured.pop() else 0
        if asked and start >= len(content):
            return httpx.Response(416)
        size = left.pop() if left else len(content)
        headers = {"Content-Range": f"bytes {start}-{len(content)}/{len(content)}"} if start else {}
        body = _Broken(content[start : start + size], breaks=start + size < len(content))
        return httpx.Response(206 if start else 200, headers=headers, stream=body)

    wanted = Download("http://toy.invalid/file", home / "file", "`file`", len(content), sha256(content))
    wanted.into.unlink(missing_ok=True)
    wanted.part.write_bytes(content[:held])
    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        for _ in range(12):  # a server that starts again may look like one that brings nothing
            try:
                fetch(http, wanted, lambda _: None)
                break
            except DownloadError:
                honoured = [True] * 9
    assert wanted.into.read_bytes() == content
