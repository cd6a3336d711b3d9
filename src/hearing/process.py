"""What every long-lived process of the suite does first: private files, no cores, no orphans."""

import asyncio
import ctypes
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_SELF_CGROUP = Path("/proc/self/cgroup")
_CGROUP_ROOT = Path("/sys/fs/cgroup")

PARENT_PID_VARIABLE = "HEARING_PARENT_PID"
"""Set by whoever starts a child that must die with it."""

LIFETIME_FD_VARIABLE = "HEARING_LIFETIME_FD"
"""Names the inherited read end of a pipe whose other end only the parent holds: EOF means it died."""


def harden() -> None:
    """Make all files private, forbid core dumps (they hold speech), and outlive a closed pipe.

    A standard stream that was closed becomes `/dev/null`: else the next socket or lock file would take its
    number, and with it whatever a library prints.
    """
    while (lowest := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(lowest, True)
    os.close(lowest)
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def die_with_parent(signum: int = signal.SIGTERM) -> None:
    """Ask the kernel (Linux) for `signum` when the parent dies; exit at once if it already did.

    Does nothing unless `HEARING_PARENT_PID` names the parent: a program started by hand outlives its
    shell. Where the kernel has no such call, the lifetime pipe does the work (see `on_parent_death`).
    """
    if not os.environ.get(PARENT_PID_VARIABLE):
        return
    expected = int(os.environ[PARENT_PID_VARIABLE])
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signum, 0, 0, 0)
    if os.getppid() != expected:
        raise SystemExit(0)


def on_parent_death(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
    """Call `stop` when the lifetime pipe ends; without one (`HEARING_LIFETIME_FD` unset) do nothing."""
    fd = int(os.environ.get(LIFETIME_FD_VARIABLE) or -1)
    if fd < 0:
        return
    os.set_inheritable(fd, False)

    def ended() -> None:
        loop.remove_reader(fd)
        os.close(fd)
        stop()

    loop.add_reader(fd, ended)


def usable_cores() -> int:
    """Count the cores this process may use: its affinity mask and its cgroup's quota, whichever is less."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    quota = _cgroup_cores()
    return max(1, min(cores, int(quota)) if quota else cores)


def model_threads() -> int:
    """Give the threads a recognizer or a local LLM may take: all usable cores but one."""
    return max(1, usable_cores() - 1)


def log_to_stderr(program: str, *, verbose: bool = False) -> None:
    """Send the process's log to stderr, a line each; nothing that was said may ever be logged."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.DEBUG if verbose else logging.INFO,
        format=f"{program}: %(levelname)s: %(message)s",
        force=True,
    )
    for noisy in ("asyncio", "httpx", "httpcore", "faster_whisper"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _cgroup_cores() -> float | None:
    """Find the tightest quota of cgroup v2 on the way from our own group to the root, None without one.

    A container sees its group as the root; a service manager's slice lies deeper.
    """
    try:
        own = _SELF_CGROUP.read_text(encoding="ascii")
    except OSError:  # no procfs
        return None
    group = next((line[3:] for line in own.splitlines() if line.startswith("0::/")), "/")
    folders = [_CGROUP_ROOT / group.strip("/"), *(_CGROUP_ROOT / group.strip("/")).parents]
    inside = [folder for folder in folders if folder.is_relative_to(_CGROUP_ROOT)]
    return min((quota for folder in inside if (quota := _quota(folder / "cpu.max"))), default=None)


def _quota(cpu_max: Path) -> float | None:
    """Read `quota period` in microseconds as cores; `max` means no limit."""
    try:
        quota, period = cpu_max.read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):  # the root has none, nor has cgroup v1
        return None
