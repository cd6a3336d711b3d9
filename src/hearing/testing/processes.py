"""Programs run by a test: started, waited for under a deadline, and never left behind."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_POLL_S = 0.02


def wait_for(ask: Callable[[], T], what: str, *, timeout_s: float = 30.0) -> T:
    """Ask until the answer is true, and give it; for what the system has no event for.

    Raises:
        AssertionError: It did not become true in time; `what` says what was hoped for.
    """
    deadline_s = time.monotonic() + timeout_s
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < deadline_s, f"{what}: not within {timeout_s:g} s"
        time.sleep(_POLL_S)


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that has ended and was not waited for does not."""
    try:
        state = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()[0]
        )
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def descendants(pid: int) -> list[int]:
    """List the children of a process, theirs, and so on, that run now."""
    found: list[int] = []
    parents = {
        int(entry.name): _parent_of(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()
    }
    waiting = [pid]
    while waiting:
        children = [child for child, parent in parents.items() if parent == waiting[0]]
        waiting = [*waiting[1:], *children]
        found += children
    return [child for child in found if is_alive(child)]


def _parent_of(entry: Path) -> int:
    try:
        return int(
            (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
        )
    except (FileNotFoundError, ProcessLookupError):
        return 0


@contextlib.contextmanager
def started(argv: Sequence[str], **how: Any) -> Iterator["subprocess.Popen[str]"]:
    """Run a program, its stderr in a pipe unless said otherwise; kill it and its descendants at the end."""
    process: subprocess.Popen[str] = subprocess.Popen(
        list(argv), text=True, **{"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **how}
    )
    try:
        yield process
    finally:
        for pid in (*descendants(process.pid), process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
