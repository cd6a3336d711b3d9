"""One search order for the runtime folder; an unfit one is skipped or refused, never used."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hearing import paths
from hearing.paths import UnfitDirError, runtime_dir

Make = Callable[[Path], Path]


def made(path: Path, mode: int = 0o700) -> Path:
    path.mkdir(mode=0o700)
    path.chmod(mode)
    return path


def symlink(home: Path) -> Path:
    link = home / "link"
    link.symlink_to(made(home / "real"))
    return link


def foreign(home: Path) -> Path:
    folder = made(home / "foreign")
    os.chown(folder, 4242, 4242)
    return folder


def plain_file(home: Path) -> Path:
    file = home / "file"
    file.touch(mode=0o700)
    return file


def too_long(home: Path) -> Path:
    return made(home / ("x" * 100))


UNFIT: list[tuple[Make, str]] = [
    (symlink, "is a symlink"),
    (lambda home: Path(f"{symlink(home)}/"), "is a symlink"),
    (foreign, "belongs to uid 4242, not to "),
    (lambda home: made(home / "open", 0o755), "has mode 0755, not 0700"),
    (lambda home: made(home / "sticky", 0o1700), "has mode 1700, not 0700"),
    (lambda home: made(home / "readonly", 0o500), "has mode 0500, not 0700"),
    (plain_file, "is not a folder"),
    (too_long, "is too long for a socket"),
]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
CASES = [pytest.param(make, why, id=why, marks=[as_root] if make is foreign else []) for make, why in UNFIT]


@pytest.mark.parametrize(("make", "why"), CASES)
@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_stated_folder_is_refused_when_unfit(
    make: Make, why: str, how: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(make(home))
    if how == "variable":
        monkeypatch.setenv("HEARING_RUNTIME_DIR", folder)
    with pytest.raises(UnfitDirError, match=why):
        runtime_dir(folder if how == "option" else None)


@pytest.mark.parametrize(("make", "why"), CASES)
def test_an_unfit_xdg_folder_is_skipped_with_one_warning(
    make: Make, why: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEARING_RUNTIME_DIR")
    monkeypatch.setattr(paths, "_system_runtime_dir", lambda: None)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(make(home)))
    warnings: list[str] = []
    assert runtime_dir(warn=warnings.append) == str(home / ".local/state/hearing/run")
    assert len(warnings) == 1
    assert why in warnings[0]


def test_a_symlink_with_a_slash_or_dot_behind_it_is_still_a_symlink(home: Path) -> None:
    link = symlink(home)
    for spelled in (f"{link}/", f"{link}//", f"{link}/.", f"{link}/./"):
        with pytest.raises(UnfitDirError, match="is a symlink"):
            runtime_dir(spelled)


def test_the_order_is_option_variable_xdg_system_state(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    option, variable, xdg, system = (made(home / name) for name in ("o", "v", "x", "s"))
    monkeypatch.setenv("HEARING_RUNTIME_DIR", str(variable))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(xdg))
    monkeypatch.setattr(paths, "_system_runtime_dir", lambda: str(system))
    assert runtime_dir(str(option)) == str(option)
    assert runtime_dir() == str(variable)
    monkeypatch.delenv("HEARING_RUNTIME_DIR")
    assert runtime_dir() == str(xdg)
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert runtime_dir() == str(system)
    monkeypatch.setattr(paths, "_system_runtime_dir", lambda: None)
    assert runtime_dir() == str(home / ".local/state/hearing/run")


def test_a_missing_stated_folder_is_made_0700_with_its_parents_at_any_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        assert runtime_dir(str(home / "a/b")) == str(home / "a/b")
    finally:
        os.umask(before)
    assert [(home / name).stat().st_mode & 0o7777 for name in ("a", "a/b")] == [0o700, 0o700]


def test_nothing_is_made_when_only_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEARING_RUNTIME_DIR")
    monkeypatch.setattr(paths, "_system_runtime_dir", lambda: None)
    for stated in (str(home / "missing"), None):
        with pytest.raises(UnfitDirError, match="no such file or directory"):
            runtime_dir(stated, create=False)
    assert sorted(entry.name for entry in home.iterdir()) == ["run"]


def test_a_missing_xdg_folder_is_never_made(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEARING_RUNTIME_DIR")
    monkeypatch.setattr(paths, "_system_runtime_dir", lambda: None)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home / "missing"))
    assert runtime_dir() == str(home / ".local/state/hearing/run")
    assert not (home / "missing").exists()


def test_a_relative_or_long_folder_is_refused_before_anything_is_made(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    with pytest.raises(UnfitDirError, match="`here/run` is not an absolute path"):
        runtime_dir("here/run")
    with pytest.raises(UnfitDirError, match="too long"):
        runtime_dir(str(home / "there" / ("x" * 90)))
    assert sorted(entry.name for entry in home.iterdir()) == ["run"]


def test_the_longest_folder_still_holds_a_socket(home: Path) -> None:
    """`sun_path` has 104 bytes on macOS, with the NUL."""
    room = 104 - 1 - len("/" + paths.ASSISTANT_SOCKET) - len(str(home)) - 1
    assert runtime_dir(str(home / ("x" * room))).endswith("x" * room)
    with pytest.raises(UnfitDirError, match="too long"):
        runtime_dir(str(home / ("x" * (room + 1))))
    assert len(paths.ASSISTANT_SOCKET) >= len(paths.DAEMON_SOCKET)


def test_a_folder_that_cannot_be_made_is_refused(home: Path) -> None:
    plain_file(home)
    with pytest.raises(UnfitDirError, match="cannot be created: file exists"):
        runtime_dir(str(home / "file" / "run"))


AS_ANOTHER_USER = """
import os, sys
from hearing import paths
os.setgroups([]); os.setgid(4242); os.setuid(4242)
for folder in sys.argv[1:]:
    try:
        print(paths.runtime_dir(folder))
    except paths.UnfitDirError as error:
        print(error)
"""


@as_root
def test_another_user_is_refused_ours_and_a_read_only_one(home: Path) -> None:
    home.chmod(0o711)
    ours = made(home / "ours")
    parent = made(home / "readonly", 0o555)
    asked = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER_USER, ours, parent / "run"],
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = asked.stdout.splitlines()
    assert first == f"runtime folder `{ours}` belongs to uid 0, not to 4242"
    assert second == f"runtime folder `{parent / 'run'}` cannot be created: permission denied"


# --- private folders ---


def test_a_private_folder_is_0700_and_one_that_stands_is_left_alone(home: Path) -> None:
    standing = made(home / "standing", 0o755)
    before = os.umask(0o777)
    try:
        paths.private_dir(str(standing / "new"))
    finally:
        os.umask(before)
    assert (standing / "new").stat().st_mode & 0o7777 == 0o700
    assert standing.stat().st_mode & 0o7777 == 0o755


def test_a_file_or_a_dangling_link_where_the_folder_should_be_is_an_error(home: Path) -> None:
    (home / "dangling").symlink_to(home / "nowhere")
    for name in (plain_file(home).name, "dangling"):
        with pytest.raises(FileExistsError):
            paths.private_dir(str(home / name))


# --- XDG ---


@pytest.mark.parametrize(
    ("variable", "ask", "default"),
    [
        ("XDG_CONFIG_HOME", paths.config_dir, ".config/hearing"),
        ("XDG_DATA_HOME", paths.data_dir, ".local/share/hearing"),
        ("XDG_STATE_HOME", paths.state_dir, ".local/state/hearing"),
    ],
)
def test_the_xdg_folders_are_followed_unless_relative(
    variable: str, ask: Callable[[], str], default: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask() == str(home / default)
    monkeypatch.setenv(variable, "relative/path")
    assert ask() == str(home / default)
    monkeypatch.setenv(variable, str(home / "mine"))
    assert ask() == str(home / "mine/hearing")


def test_the_model_store_and_the_config_file_stand_in_their_folders(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths.config_file() == str(home / ".config/hearing/config.toml")
    assert paths.models_dir() == str(home / ".local/share/hearing/models")
    monkeypatch.setenv("HEARING_MODELS_DIR", "/elsewhere")
    assert paths.models_dir() == "/elsewhere"


def test_the_systems_folder_is_taken_only_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "isdir", lambda path: path == f"/run/user/{os.geteuid()}")
    assert paths._system_runtime_dir() == f"/run/user/{os.geteuid()}"
    monkeypatch.setattr(os.path, "isdir", lambda _path: False)
    assert paths._system_runtime_dir() is None


def test_the_ctl_may_stand_on_it_nothing_heavy_is_imported() -> None:
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", "import hearing.paths, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not {"typing", "pathlib", "asyncio", "msgspec", "json", "dataclasses"} & set(loaded)
