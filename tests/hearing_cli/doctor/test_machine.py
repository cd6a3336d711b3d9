"""Python, disk and terminal."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from hearing_cli.doctor import machine
from hearing_cli.doctor.check import State


class Usage(NamedTuple):
    """What `shutil.disk_usage` gives."""

    total: int
    used: int
    free: int


def test_python_is_new_enough_here(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.check_python().state is State.OK
    monkeypatch.setattr(machine, "MIN_PYTHON", (4, 0))
    assert machine.check_python().state is State.FAIL


@pytest.mark.parametrize(
    ("free", "state"), [(50_000_000_000, State.OK), (500_000_000, State.WARN), (1_000_000, State.FAIL)]
)
def test_room_for_models(monkeypatch: pytest.MonkeyPatch, free: int, state: State) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**12, 0, free))
    check = machine.check_disk()
    assert check.state is state
    assert (check.state is State.OK) != bool(check.fix)


def test_room_is_looked_for_where_models_will_be_though_nothing_is_there_yet(home: Path) -> None:
    assert not (home / ".local").exists()
    assert str(home) in machine.check_disk().detail


@pytest.mark.parametrize(
    ("term", "expected"), [("xterm-256color", State.OK), ("dumb", State.WARN), ("", State.WARN)]
)
def test_a_terminal_is_judged_by_what_it_is(term: str, expected: State) -> None:
    script = "from hearing_cli.doctor.machine import check_terminal; print(check_terminal().state)"
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(
            sys.executable, [sys.executable, "-c", script], {**os.environ, "TERM": term, "LC_ALL": "C.UTF-8"}
        )
    said = b""
    try:
        while chunk := os.read(fd, 1024):
            said += chunk
    except OSError:  # Linux says EIO when the last user of a terminal has left
        pass
    os.close(fd)
    os.waitpid(pid, 0)
    assert said.decode().strip() == expected


def test_no_terminal_at_all_is_a_warning() -> None:
    script = "from hearing_cli.doctor.machine import check_terminal; print(check_terminal().state)"
    done = subprocess.run(
        [sys.executable, "-c", script], start_new_session=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == State.WARN, done.stderr
