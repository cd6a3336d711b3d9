"""Promise 18: all files are 0600 and all folders 0700, whatever the umask."""

import os
import stat
import subprocess
import sys
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearing import paths
from hearing.testing.processes import started, wait_for
from hearing.transport.listen import read_hello


@pytest.fixture
def umask_0() -> Iterator[None]:
    """The widest umask, inherited by every program that is started."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def silence(tmp_path: Path) -> Path:
    """A second of silence, outside of the home that is looked at."""
    path = tmp_path / "silence.wav"
    with wave.open(str(path), "wb") as wav:
        wav.setparams((1, 2, 16_000, 16_000, "NONE", ""))
        wav.writeframes(bytes(32_000))
    return path


def program(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def run(*argv: str) -> None:
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr


def modes(folder: Path) -> dict[str, str]:
    """Every file, socket and folder below, with its mode where that is not private."""
    wide = {}
    for path in folder.rglob("*"):
        info = path.lstat()
        allowed = 0o700 if stat.S_ISDIR(info.st_mode) else 0o600
        if stat.S_IMODE(info.st_mode) & ~allowed:
            wide[str(path.relative_to(folder))] = oct(stat.S_IMODE(info.st_mode))
    return wide


@pytest.mark.usefixtures("umask_0")
def test_nothing_a_running_stack_makes_can_be_read_by_others(
    home: Path, silence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Daemon, assistant, ctl and the `hearing` command, in a home where nothing was made before."""
    runtime = home / "a" / "b"
    monkeypatch.setenv("HEARING_RUNTIME_DIR", str(runtime))
    run(*program("hearing_cli", "config", "init"))
    daemon = program("hearing_daemon", "--source", f"file:{silence}")
    with started(daemon) as _, started(program("hearing_assistant")) as _:
        wait_for(lambda: read_hello(runtime / paths.DAEMON_SOCKET), "the daemon serves")
        wait_for(lambda: read_hello(runtime / paths.ASSISTANT_SOCKET), "the assistant serves")
        run(*program("hearing_ctl", "listen", "off"))
        made = {path.name for path in home.rglob("*")}
        assert {"config.toml", paths.LISTENING_FILE, *(paths.DAEMON_SOCKET, paths.ASSISTANT_SOCKET)} <= made
        assert modes(home) == {}


@pytest.mark.usefixtures("umask_0")
def test_private_folders_are_private_at_any_umask(home: Path) -> None:
    for mask in (0, 0o022, 0o777):
        os.umask(mask)
        paths.private_dir(str(home / f"m{mask}" / "deep"))
    os.umask(0)
    assert modes(home) == {}
    assert stat.S_IMODE((home / "m511" / "deep").stat().st_mode) == 0o700
