"""A user's own weights enter the store whole and checked, or not at all."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hearing.errors import ModelError
from hearing.models import adding, store
from hearing.models.adding import add
from hearing.testing import weights
from hearing.testing.weights import CONTENTS, NAME

from .conftest import Toy


@pytest.fixture
def own(home: Path) -> Path:
    """A folder of the user's with a model, and a thing that is none of our business."""
    folder = weights.folder(home / "own")
    (folder / "notes.txt").write_text("private")
    return folder


def test_a_copy_is_private_and_can_be_verified(own: Path, store_dir: Path) -> None:
    before = os.umask(0)
    try:
        folder = add("mine", own)
    finally:
        os.umask(before)
    assert folder == store_dir / "mine" == store.locate("mine")
    assert {path.name for path in folder.iterdir()} == {*CONTENTS, store.MANIFEST}
    assert [(check.name, check.problem) for check in store.verify("mine")] == [
        (name, "") for name in ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
    ]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_copy_outlives_its_source(own: Path) -> None:
    add("mine", own)
    (own / "model.bin").unlink()
    assert store.locate("mine")


def test_a_link_takes_no_room_and_its_damage_is_seen(own: Path) -> None:
    folder = add("mine", own, link=True)
    assert (folder / "model.bin").readlink() == own / "model.bin"
    assert not any(check.problem for check in store.verify("mine"))
    (own / "model.bin").write_bytes(b"short")
    with pytest.raises(ModelError, match=r"`mine` is torn: `model\.bin` has 5 bytes") as caught:
        store.locate("mine")
    assert caught.value.hint == "`hearing models add mine PATH`"
    (own / "model.bin").unlink()
    with pytest.raises(ModelError, match=r"`model.bin` is missing"):
        store.locate("mine")
    assert store.installed()[0].problem


def test_a_relative_path_and_a_tilde_are_understood(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own.parent)
    folder = add("mine", Path("own"), link=True)
    assert (folder / "model.bin").readlink() == own / "model.bin"
    assert add("other", Path("~/own"))


def test_adding_again_replaces(own: Path) -> None:
    add("mine", own)
    (own / "config.json").write_bytes(b'{"now": "longer"}')
    folder = add("mine", own)
    assert (folder / "config.json").read_bytes() == b'{"now": "longer"}'
    assert store.locate("mine")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("model.bin", None, "`model.bin` is missing"),
        ("config.json", None, "`config.json` is missing"),
        ("tokenizer.json", None, "`tokenizer.json` is missing"),
        ("vocabulary.txt", None, "`vocabulary.json` is missing"),
        ("model.bin", b"", "no Whisper weights"),
        ("model.bin", b"GGUF" + b"x" * 100, "no Whisper weights"),
        ("config.json", b"{", "no JSON object"),
        ("config.json", b"[]", "no JSON object"),
        ("config.json", b"\xff\xfe", "no JSON object"),
    ],
)
def test_what_is_no_model_is_refused(
    own: Path, store_dir: Path, name: str, content: bytes | None, sentence: str
) -> None:
    if content is None:
        (own / name).unlink()
    else:
        (own / name).write_bytes(content)
    with pytest.raises(ModelError, match=sentence):
        add("mine", own)
    assert not store_dir.exists()


@pytest.mark.parametrize("path", ["nowhere", "own/model.bin"])
def test_a_path_that_is_no_folder_is_refused(own: Path, path: str) -> None:
    with pytest.raises(ModelError, match="no Whisper model"):
        add("mine", own.parent / path)


def test_a_name_of_the_catalogue_takes_the_catalogue_s_files_only(
    toy: Toy, own: Path, store_dir: Path
) -> None:
    content = bytearray((own / "model.bin").read_bytes())
    content[100] ^= 1
    (own / "model.bin").write_bytes(content)
    with pytest.raises(
        ModelError, match=r"is not the catalogue's `toy.en`: `model.bin` has a wrong hash"
    ) as caught:
        add(NAME, own)
    assert caught.value.hint == "a model of your own needs a name of its own"
    assert not store_dir.exists()
    (own / "model.bin").write_bytes(CONTENTS["model.bin"])
    assert {path.name for path in add(NAME, own).iterdir()} == set(CONTENTS)


def test_a_model_of_one_file_can_be_added_by_that_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, toy: Toy
) -> None:
    from dataclasses import replace

    from hearing.models import catalogue

    edition = toy.entry.editions[0]
    single = replace(edition, files=tuple(file for file in edition.files if file.name == "model.bin"))
    monkeypatch.setitem(catalogue.ENTRIES, NAME, replace(toy.entry, editions=(single,)))
    (home / "download(1).bin").write_bytes(CONTENTS["model.bin"])
    folder = add(NAME, home / "download(1).bin")
    assert [path.name for path in folder.iterdir()] == ["model.bin"]
    assert store.locate(NAME)


def test_a_model_of_the_store_is_not_added_to_it(own: Path) -> None:
    folder = add("mine", own)
    with pytest.raises(ModelError, match="in the model store already"):
        add("mine", folder, link=True)
    assert store.locate("mine")


def test_what_cannot_be_read_is_named(own: Path, store_dir: Path) -> None:
    """As another user, since root reads everything."""
    code = (
        "import os, sys; from pathlib import Path; from hearing.models.adding import add\n"
        "from hearing.errors import ModelError\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "try: add('mine', Path(sys.argv[1]))\n"
        "except ModelError as error: print(error.sentence)\n"
    )
    (own / "model.bin").chmod(0)
    for folder in (own.parent, own):
        folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", code, str(own)], capture_output=True, text=True, check=False)
    assert done.stdout == f"`{own}` cannot be read: permission denied\n", done.stderr
    assert not store_dir.exists()


def test_a_tilde_of_nobody_is_no_folder() -> None:
    with pytest.raises(ModelError, match="no Whisper model"):
        add("mine", Path("~nobody-of-this-name/x"))


@pytest.mark.parametrize("name", ["../mine", "", ".mine", "a/b"])
def test_a_name_that_is_no_folder_name_is_refused(own: Path, store_dir: Path, name: str) -> None:
    with pytest.raises(ModelError, match="cannot name a model"):
        add(name, own)
    assert not store_dir.exists()


def test_a_full_disk_leaves_the_old_one(own: Path, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add("mine", own)

    def full(_: Path) -> Any:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(adding, "open_private", full)
    with pytest.raises(ModelError, match="no space left on device; nothing was installed"):
        add("mine", own)
    assert not any(check.problem for check in store.verify("mine"))
    assert not (store_dir / ".pull" / "mine").exists()
