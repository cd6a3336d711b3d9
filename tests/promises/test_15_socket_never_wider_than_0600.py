"""Promise 15: a socket is never wider than 0600, not for a moment (0 observations in 1,000 starts)."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearing.transport.listen import claim

STARTS = 1_000


@pytest.fixture
def umask_0() -> Iterator[None]:
    """The widest umask: whatever a program forgets to narrow is open to all."""
    before = os.umask(0)
    yield
    os.umask(before)


class Watcher:
    """Looks at two paths as fast as it can, and remembers each mode it has seen."""

    def __init__(self, *paths: Path) -> None:
        self.seen: set[int] = set()
        self.looks = 0
        self._paths = paths
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "Watcher":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.is_set():
            for path in self._paths:
                try:
                    self.seen.add(stat.S_IMODE(os.lstat(path).st_mode))
                    self.looks += 1
                except FileNotFoundError:
                    continue


@pytest.mark.usefixtures("umask_0")
def test_a_thousand_starts_are_never_seen_wider(runtime_dir: Path) -> None:
    path = runtime_dir / "hearing-test.sock"
    with Watcher(path, path.with_suffix(".lock")) as watcher:
        for _ in range(STARTS):
            claim(path).release()
    assert watcher.looks > STARTS, "the watcher saw too little to tell"
    assert watcher.seen <= {0o600, 0o000}


@pytest.mark.usefixtures("umask_0")
def test_it_is_narrow_before_it_has_a_name(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without luck: looked at in the moment between `bind` and the `chmod` after it."""
    path = runtime_dir / "hearing-test.sock"
    modes: list[int] = []
    chmod = Path.chmod

    def looked_at(self: Path, mode: int) -> None:
        modes.append(stat.S_IMODE(self.lstat().st_mode))
        chmod(self, mode)

    monkeypatch.setattr(Path, "chmod", looked_at)
    claim(path).release()
    assert modes == [0o600]
