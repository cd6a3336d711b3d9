"""`hearing down`: whom it asks, whom it names, whom it leaves alone."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hearing import paths
from hearing.testing.daemon import FakeDaemon
from hearing.testing.processes import started, wait_for
from hearing.transport.listen import hold_lock
from hearing_cli import down_command
from hearing_cli.__main__ import main

FAKE_STACK = Path(__file__).parent / "up" / "fake_stack.py"
HOLDER = "import sys, time; from pathlib import Path; from hearing.transport.listen import hold_lock; "


def forbidden(pid: int, signum: int) -> None:
    """Stand in for `os.kill` where nobody may be signalled."""
    raise AssertionError(f"signalled {pid}")


def test_a_running_stack_is_stopped_and_waited_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = home / "log"
    with started([sys.executable, str(FAKE_STACK), str(log)], stderr=subprocess.DEVNULL) as stack:
        wait_for(lambda: log.exists() and "assistant start" in log.read_text(), "assistant")
        assert main(["down"]) == 0
        assert stack.wait(1) == 0
    assert capsys.readouterr().err == f"hearing: `hearing up` (pid {stack.pid}) has ended\n"
    assert log.read_text().splitlines()[2:] == ["assistant end", "daemon end"]


def test_nothing_running_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["down"]) == 0
    assert capsys.readouterr().err == "hearing: no `hearing up` is running\n"


def test_the_pid_in_a_lock_that_nobody_holds_is_left_alone(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "kill", forbidden)
    (runtime_dir / paths.UP_LOCK).write_text(f"{os.getppid()}\n")
    assert main(["down"]) == 0
    assert capsys.readouterr().err == "hearing: no `hearing up` is running\n"


@pytest.mark.parametrize("text", ["", "0\n", "-1\n", "1\n", "nonsense\n"])
def test_no_pid_that_would_mean_others_is_ever_signalled(
    text: str, runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fd = hold_lock(runtime_dir / paths.UP_LOCK)
    (runtime_dir / paths.UP_LOCK).write_text(text)
    monkeypatch.setattr(os, "kill", forbidden)
    assert main(["down"]) == 1
    assert "does not say its pid" in capsys.readouterr().err
    os.close(fd)


def test_one_that_does_not_end_is_said_with_the_way_out(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(down_command, "LIMIT_S", 0.3)
    lock = runtime_dir / paths.UP_LOCK
    script = (
        HOLDER
        + f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); hold_lock(Path({str(lock)!r})); "
        "time.sleep(60)"
    )
    with started([sys.executable, "-c", script]) as stubborn:
        wait_for(lambda: down_command.is_held(lock), "lock")
        assert main(["down"]) == 1
        assert stubborn.poll() is None
    said = capsys.readouterr().err
    assert f"`hearing up` (pid {stubborn.pid}) has not ended after 0.3 s" in said
    assert f"hint: `kill -9 {stubborn.pid}` ends it" in said


async def test_a_daemon_started_by_hand_is_named_and_left_running(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir):
        lines = await asyncio.to_thread(down_command.left_running, runtime_dir)
    pid = os.getpid()
    assert lines == [f"`hearing-daemon` (pid {pid}) was started by hand: left running; `kill {pid}` ends it"]


def test_the_signal_is_the_one_that_stops_cleanly(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    fd = hold_lock(runtime_dir / paths.UP_LOCK)

    def end(pid: int, signum: int) -> None:
        sent.append((pid, signum))
        os.close(fd)

    monkeypatch.setattr(os, "kill", end)
    assert main(["down"]) == 0
    assert sent == [(os.getpid(), signal.SIGTERM)]
