"""Promise 16: the stated runtime folder is used or refused, and servers and clients always agree."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Case:
    """One state of the folder; `fit` says whether it may be used, `made` whether a server may make it."""

    name: str
    make: Callable[[Path], object]
    fit: bool = False
    made: bool = False


def folder(mode: int, uid: int = -1) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.mkdir(0o700)
        path.chmod(mode)
        if uid >= 0:
            os.chown(path, uid, uid)

    return make


def link(path: Path) -> None:
    target = path.with_name("target")
    target.mkdir(0o700)
    path.symlink_to(target)


CASES = [
    Case("ours and 0700", folder(0o700), fit=True),
    Case("missing", lambda path: path, made=True),
    Case("0755", folder(0o755)),
    Case("read-only", folder(0o500)),
    Case("a symlink", link),
    Case("a file", Path.touch),
    Case("foreign", folder(0o700, uid=4242)),
    Case("too long", lambda path: path),
]

ASK = """
import sys
from hearing import paths, program
from hearing.errors import RuntimeDirError
option = sys.argv[1] or None
for ask in (
    lambda: program.runtime_dir(option, create=False),  # a client, before any server
    lambda: program.runtime_dir(option),  # a server
    lambda: program.runtime_dir(option, create=False),  # a client
    lambda: paths.runtime_dir(option, create=False),  # `hearing-ctl`, which stands on the plain function
):
    try:
        print("use", ask())
    except (RuntimeDirError, paths.UnfitDirError) as why:
        print("refuse", why)
"""


def asked(option: str, env: dict[str, str]) -> list[tuple[bool, str]]:
    """What a client, a server, a client and the ctl find: whether a folder, and which or why not."""
    ran = subprocess.run(
        [sys.executable, "-c", ASK, option],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    said = [line.partition(" ") for line in ran.stdout.splitlines()]
    return [(verb == "use", rest) for verb, _, rest in said]


def place(case: Case, home: Path) -> Path:
    path = home / ("x" * 90 if case.name == "too long" else "folder")
    case.make(path)
    return path


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
PARAMS = [
    pytest.param(case, id=case.name, marks=[as_root] if case.name == "foreign" else []) for case in CASES
]


@pytest.mark.parametrize("case", PARAMS)
@pytest.mark.parametrize("how", ["--runtime-dir", "HEARING_RUNTIME_DIR"])
def test_a_stated_folder_is_used_or_refused_by_all_alike(case: Case, how: str, home: Path) -> None:
    path = str(place(case, home))
    by_option = how == "--runtime-dir"
    early, server, client, ctl = asked(
        path if by_option else "", {} if by_option else {"HEARING_RUNTIME_DIR": path}
    )
    assert early[0] is case.fit, "a client makes nothing"
    assert server[0] is (case.fit or case.made)
    assert (server[1] == path) if server[0] else (path in server[1]), "the refusal names the folder"
    assert server == client == ctl


@pytest.mark.parametrize("case", PARAMS)
def test_the_sessions_folder_is_used_or_passed_over_by_all_alike(case: Case, home: Path) -> None:
    """Passed over, all go on to the same next one; nobody makes what the session should have made."""
    path = place(case, home)
    env = {"XDG_RUNTIME_DIR": str(path), "HEARING_RUNTIME_DIR": "", "HOME": str(home)}
    _, server, client, ctl = asked("", env)
    assert server[0]
    assert (server[1] == str(path)) is case.fit
    assert server == client == ctl
    assert case.fit or not path.is_dir() or not any(path.iterdir())
