"""What is in the store is found by name, cheaply, and its damage is named."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearing.errors import ModelError
from hearing.models import catalogue, store
from hearing.models.entry import FileSpec
from hearing.testing import weights

from .conftest import Toy


@pytest.fixture
def here(toy: Toy, store_dir: Path) -> Path:
    """The toy, in the store."""
    return weights.folder(store_dir / weights.NAME)


def test_a_whole_model_is_found(here: Path) -> None:
    assert store.locate(weights.NAME) == here
    assert all(not check.problem for check in store.verify(weights.NAME))
    assert [(model.name, model.problem) for model in store.installed()] == [(weights.NAME, "")]


def test_the_store_can_be_moved(here: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = here.parent.rename(home / "elsewhere")
    monkeypatch.setenv("HEARING_MODELS_DIR", str(moved))
    assert store.locate(weights.NAME) == moved / weights.NAME


def test_a_missing_model_names_the_command_that_brings_it(toy: Toy) -> None:
    with pytest.raises(ModelError, match=r"model `toy.en` is not here") as caught:
        store.locate(weights.NAME)
    assert caught.value.hint == "`hearing models pull toy.en`"
    assert store.installed() == []


@pytest.mark.parametrize("name", list(weights.CONTENTS))
def test_a_missing_file_is_named(here: Path, name: str) -> None:
    (here / name).unlink()
    with pytest.raises(ModelError, match=f"torn: `{name}` is missing") as caught:
        store.locate(weights.NAME)
    assert caught.value.hint == "`hearing models pull toy.en`"
    assert store.installed()[0].problem


@pytest.mark.parametrize("name", list(weights.CONTENTS))
def test_a_cut_file_is_named(here: Path, name: str) -> None:
    content = (here / name).read_bytes()
    (here / name).write_bytes(content[:-1])
    with pytest.raises(ModelError, match=f"torn: `{name}` has {len(content) - 1} bytes, not {len(content)}"):
        store.locate(weights.NAME)


@pytest.mark.parametrize("name", list(weights.CONTENTS))
def test_one_changed_byte_is_found_by_verify_alone(here: Path, name: str) -> None:
    content = bytearray((here / name).read_bytes())
    content[-1] ^= 1
    (here / name).write_bytes(content)
    assert store.locate(weights.NAME) == here
    assert [check for check in store.verify(weights.NAME) if check.problem] == [
        store.FileCheck(name, f"`{name}` has a wrong hash")
    ]


def test_a_folder_of_ones_own_is_taken_as_it_is(home: Path) -> None:
    own = home / "own"
    own.mkdir()
    with pytest.raises(ModelError, match=r"holds no `model.bin`"):
        store.locate(str(own))
    (own / "model.bin").touch()
    assert store.locate(str(own)) == own
    with pytest.raises(ModelError, match="no hashes are known"):
        store.verify(str(own))


def test_an_unknown_name_gets_the_nearest_of_the_store_too(store_dir: Path) -> None:
    weights.folder(store_dir / "my-meetings")
    with pytest.raises(ModelError) as caught:
        store.locate("my-meeting")
    assert caught.value.hint == "did you mean `my-meetings`?"


@pytest.mark.parametrize(
    "manifest",
    [
        None,
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"files": 3}',
        b'{"files": [["a"]]}',
        b'{"files": [["a", "b", "c"]]}',
    ],
)
def test_a_bad_manifest_is_a_torn_model(store_dir: Path, manifest: bytes | None) -> None:
    folder = weights.folder(store_dir / "mine")
    if manifest is not None:
        (folder / store.MANIFEST).write_bytes(manifest)
    with pytest.raises(ModelError, match=r"`mine` is torn: its `manifest.json` cannot be read") as caught:
        store.locate("mine")
    assert "models add mine" in caught.value.hint


def test_any_edition_will_do(toy: Toy, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = dict(weights.CONTENTS, **{"config.json": b'{"toy": "other"}'})
    second = weights.entry(*toy.wheels, contents=other).editions[0]
    entry = type(toy.entry)(
        toy.entry.name, toy.entry.kind, "", "", "", editions=(*toy.entry.editions, second)
    )
    monkeypatch.setitem(catalogue.ENTRIES, weights.NAME, entry)
    folder = weights.folder(store_dir / weights.NAME, other)
    assert store.locate(weights.NAME) == folder
    assert not any(check.problem for check in store.verify(weights.NAME))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"`tokenizer.json` is missing"):
        store.locate(weights.NAME)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_no_name_leads_out_of_the_store(store_dir: Path, name: str) -> None:
    try:
        checked = store.checked_name(name)
    except ModelError:
        return
    assert (store_dir / checked).resolve().parent == store_dir.resolve()


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "../x", ".pull", "a\0b", "a" * 65, "-x"])
def test_a_name_that_is_no_folder_name_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="cannot name a model"):
        store.locate(name)


def test_a_manifest_cannot_name_files_elsewhere(store_dir: Path) -> None:
    folder = weights.folder(store_dir / "mine")
    (store_dir / "secret").write_bytes(b"x")
    table = {"files": [["../secret", 1, weights.sha256(b"x")]]}
    (folder / store.MANIFEST).write_text(json.dumps(table))
    with pytest.raises(ModelError, match="torn"):
        store.locate("mine")


def test_finding_a_model_imports_nothing_of_the_network() -> None:
    code = (
        "import sys; import hearing.models.store;"
        "bad = {'httpx', 'ssl', 'socket', 'rich', 'asyncio', 'subprocess'} & set(sys.modules);"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unreadable_file_is_named(here: Path) -> None:
    (here / "model.bin").unlink()
    (here / "model.bin").mkdir()
    size = (here / "model.bin").stat().st_size
    assert store.problem(here / "model.bin", FileSpec("model.bin", size, "")).startswith(
        "`model.bin` cannot be read"
    )
