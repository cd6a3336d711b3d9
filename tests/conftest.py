"""Every test gets a home of its own, and leaves no thread, child process or descriptor behind."""

import gc
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

REAL_MODELS_DIR = os.environ.get("HEARING_MODELS_DIR") or str(
    Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hearing" / "models"
)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A private home with empty XDG folders and a short runtime folder (socket paths are limited)."""
    folder = Path(tempfile.mkdtemp(prefix="h-"))
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    for variable in (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
    ):
        monkeypatch.delenv(variable, raising=False)
    for variable in [
        name for name in os.environ if name.startswith("HEARING_") and name != "HEARING_EVAL_DIR"
    ]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("HEARING_RUNTIME_DIR", str(runtime))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def runtime_dir(home: Path) -> Path:
    """The folder of the sockets, 0700, as HEARING_RUNTIME_DIR names it."""
    return home / "run"


@pytest.fixture
def real_models(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's real model store with the default model in it; `make test` pulls it first."""
    monkeypatch.setenv("HEARING_MODELS_DIR", REAL_MODELS_DIR)
    assert (Path(REAL_MODELS_DIR) / "tiny.en").is_dir(), "run `make models` first: it pulls `tiny.en`"
    return Path(REAL_MODELS_DIR)


@pytest.fixture(autouse=True)
def no_leaks(home: Path) -> Iterator[None]:
    """Fail a test that leaves a thread, a child process or an open descriptor behind."""
    threads = set(threading.enumerate())
    descriptors = _descriptors()
    yield
    gc.collect()
    left = [thread for thread in threading.enumerate() if thread not in threads and not _pooled(thread)]
    for thread in left:
        thread.join(2)  # one that is about to end is no leak: asyncio's, which wait for a child
    left = [thread for thread in left if thread.is_alive()]
    assert not left, f"threads left behind: {left}"
    children = [child for child in psutil.Process().children(recursive=True) if _alive(child)]
    for child in children:
        child.kill()
    assert not children, f"child processes left behind: {children}"
    opened = {fd: what for fd, what in _descriptors().items() if descriptors.get(fd) != what}
    opened = {fd: what for fd, what in opened.items() if "socket:" in what or str(home) in what}
    assert not opened, f"descriptors left open: {opened}"


def _pooled(thread: threading.Thread) -> bool:
    return thread.name.startswith(("asyncio_", "ThreadPoolExecutor"))


def _alive(child: psutil.Process) -> bool:
    try:
        return child.is_running() and child.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _descriptors() -> dict[int, str]:
    found = {}
    for entry in Path("/proc/self/fd").iterdir() if Path("/proc/self/fd").exists() else ():
        try:
            found[int(entry.name)] = str(entry.readlink())
        except OSError:  # the listing's own descriptor has gone
            continue
    return found


def pytest_collection_finish() -> None:
    """Leave all that imports made out of every later collection: one after each test would cost 50 ms."""
    gc.collect()
    gc.freeze()
