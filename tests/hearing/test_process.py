"""No orphan, no core, no file for others: what every process of the suite does first."""

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from hearing import process

HARDENED = """
import os, resource, signal
from hearing import process
os.umask(0)
process.harden()
open("made", "w").close()
print(oct(os.stat("made").st_mode & 0o777), *resource.getrlimit(resource.RLIMIT_CORE),
      signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN)
"""


def test_files_are_private_and_cores_forbidden_whatever_the_umask(home: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", HARDENED], cwd=home, capture_output=True, text=True, check=True
    ).stdout
    assert said.split() == ["0o600", "0", "0", "True"]


CLOSED = """
import os, sys
from hearing import process
for fd in (0, 1, 2):
    os.close(fd)
process.harden()
made = os.open("made", os.O_CREAT | os.O_WRONLY)
os.write(2, b"a library's chatter")
os.write(made, f"{made} {[os.get_inheritable(fd) for fd in (0, 1, 2)]}".encode())
"""


def test_closed_standard_streams_are_no_door_into_our_own_files(home: Path) -> None:
    subprocess.run([sys.executable, "-c", CLOSED], cwd=home, check=True)
    assert (home / "made").read_text() == "3 [True, True, True]"


# --- a parent that dies ---

CHILD = """
import signal, sys
from hearing import process
process.die_with_parent()
print("ready", flush=True)
signal.pause()
"""

PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]],
                         env={**os.environ, "HEARING_PARENT_PID": str(os.getpid())}, stdout=subprocess.PIPE)
assert child.stdout.readline() == b"ready\\n"
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lifetime pipe does it")
def test_a_child_is_gone_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        child.wait(10)
        assert not child.is_running()


def test_a_child_whose_parent_died_before_it_could_ask_ends_at_once() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CHILD],
        env={**os.environ, "HEARING_PARENT_PID": "1"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_a_program_started_by_hand_does_not_care(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEARING_PARENT_PID", raising=False)
    process.die_with_parent()


async def test_the_lifetime_pipe_calls_stop_once_its_other_end_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, parents = os.pipe()
    os.set_inheritable(ours, True)
    monkeypatch.setenv("HEARING_LIFETIME_FD", str(ours))
    stopped = asyncio.Event()
    process.on_parent_death(asyncio.get_running_loop(), stopped.set)
    assert not os.get_inheritable(ours)
    assert not stopped.is_set()
    os.close(parents)
    await asyncio.wait_for(stopped.wait(), 10)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(ours)


async def test_without_a_lifetime_pipe_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    for unset in ("", "-1"):
        monkeypatch.setenv("HEARING_LIFETIME_FD", unset)
        process.on_parent_death(asyncio.get_running_loop(), pytest.fail)


# --- cores ---


def cgroup(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, own: str, quotas: dict[str, str], affinity: int
) -> None:
    """A cgroup tree on disk: our own line of `/proc/self/cgroup`, and `cpu.max` per folder."""
    (root / "self").write_text(own, encoding="ascii")
    for folder, quota in quotas.items():
        (root / "fs" / folder).mkdir(parents=True, exist_ok=True)
        (root / "fs" / folder / "cpu.max").write_text(quota, encoding="ascii")
    monkeypatch.setattr(process, "_SELF_CGROUP", root / "self")
    monkeypatch.setattr(process, "_CGROUP_ROOT", root / "fs")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(affinity)), raising=False)


@pytest.mark.parametrize(
    ("own", "quotas", "affinity", "cores"),
    [
        ("0::/\n", {}, 8, 8),
        ("0::/\n", {"": "max 100000\n"}, 8, 8),
        ("0::/\n", {"": "200000 100000\n"}, 8, 2),
        ("0::/\n", {"": "50000 100000\n"}, 8, 1),
        ("0::/\n", {"": "800000 100000\n"}, 2, 2),
        ("0::/a/b\n", {"a": "300000 100000\n", "a/b": "max 100000\n"}, 8, 3),
        ("0::/a/b\n", {"a": "300000 100000\n", "a/b": "150000 100000\n"}, 8, 1),
        ("0::/../other\n", {"": "200000 100000\n"}, 8, 2),
        ("12:cpu:/x\n0::/\n", {"": "what\n"}, 4, 4),
        ("", {}, 1, 1),
    ],
)
def test_usable_cores_are_the_affinity_or_the_tightest_quota(
    own: str, quotas: dict[str, str], affinity: int, cores: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cgroup(home, monkeypatch, own=own, quotas=quotas, affinity=affinity)
    assert process.usable_cores() == cores
    assert process.model_threads() == max(1, cores - 1)


def test_without_procfs_the_affinity_counts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cgroup(home, monkeypatch, own="", quotas={}, affinity=3)
    monkeypatch.setattr(process, "_SELF_CGROUP", home / "missing")
    assert process.usable_cores() == 3


def test_this_machine_has_a_core() -> None:
    assert 1 <= process.usable_cores() <= (os.cpu_count() or 1)


# --- the log ---


def test_the_log_is_a_line_on_stderr_without_the_libraries_chatter() -> None:
    code = (
        "import logging; from hearing import process; process.log_to_stderr('hearing-x', verbose=True);"
        "logging.getLogger('a').debug('n=%d', 3); logging.getLogger('httpx').info('GET')"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stderr == "hearing-x: DEBUG: n=3\n"
    assert logging.getLogger("httpx").level in {logging.NOTSET, logging.WARNING}
