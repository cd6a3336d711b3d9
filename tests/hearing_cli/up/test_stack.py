"""A whole stack of fake children under the real supervisor, as a process of its own."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import pytest

from hearing import paths
from hearing.testing.daemon import FakeDaemon
from hearing.testing.processes import is_alive, started, wait_for
from hearing_cli.down_command import is_held

FAKE_STACK = Path(__file__).parent / "fake_stack.py"


@contextmanager
def stack(home: Path, *options: str) -> Iterator["Popen[str]"]:
    """Run it, its children's log in `home/log`."""
    with started([sys.executable, str(FAKE_STACK), *options, str(home / "log")]) as process:
        yield process


def log(home: Path) -> list[str]:
    """Give what the children wrote into their log, pids left out."""
    path = home / "log"
    return [" ".join(line.split()[:2]) for line in path.read_text().splitlines()] if path.exists() else []


def pids(home: Path) -> list[int]:
    """Give every pid the log tells of."""
    return [
        int(line.split()[2]) for line in (home / "log").read_text().splitlines() if len(line.split()) == 3
    ]


def said_by(process: "Popen[str]") -> str:
    """Wait for the end and give all of stderr."""
    return process.communicate(timeout=30)[1]


def wait_until_up(home: Path) -> None:
    """Wait until both servers have started."""
    wait_for(lambda: "assistant start" in log(home), "assistant started")


def test_states_are_said_a_line_each_and_the_childrens_lines_carry_a_prefix(home: Path) -> None:
    with stack(home) as process:
        wait_until_up(home)
        process.terminate()
        said = said_by(process)
    assert process.returncode == 0
    assert "   daemon | daemon says hello\n" in said
    assert "hearing: daemon ready (pid " in said
    assert said.endswith("hearing: assistant stopped\nhearing: daemon stopped\n")


def test_a_killed_child_is_started_again_alone(home: Path) -> None:
    with stack(home) as process:
        wait_until_up(home)
        daemon = pids(home)[0]
        wait_for(lambda: (home / "run" / paths.ASSISTANT_SOCKET).exists(), "assistant's socket")
        os.kill(daemon, signal.SIGKILL)
        wait_for(lambda: log(home).count("daemon start") == 2, "second daemon")
        process.terminate()
        said = said_by(process)
    assert "daemon was killed by signal 9: starting it again in 0.0 s" in said
    assert log(home).count("assistant start") == 1


def test_one_that_ignores_its_end_is_killed_after_the_grace(home: Path) -> None:
    with stack(home, "--grace-ms=200", "--assistant=--stubborn") as process:
        wait_until_up(home)
        wait_for(lambda: (home / "run" / paths.ASSISTANT_SOCKET).exists(), "assistant's socket")
        process.terminate()
        said = said_by(process)
    assert "assistant does not end within 0.2 s: killed" in said
    assert process.returncode == 0
    assert not any(map(is_alive, pids(home)))


def test_a_second_ctrl_c_ends_it_at_once(home: Path) -> None:
    with stack(home, "--assistant=--stubborn") as process:
        wait_until_up(home)
        wait_for(lambda: (home / "run" / paths.ASSISTANT_SOCKET).exists(), "assistant's socket")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "stopping: interrupted" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        said_by(process)
    assert "daemon end" not in log(home)  # it was not asked
    assert not any(map(is_alive, pids(home)))


def test_one_that_never_answers_is_killed_and_given_up_in_the_end(home: Path) -> None:
    with stack(home, "--ready-ms=50", "--daemon=--mute") as process:
        said = said_by(process)
    assert process.returncode == 1
    assert "daemon does not answer after 0.05 s: killed" in said
    assert "assistant start" not in log(home)


def test_what_a_dead_child_left_behind_in_its_group_goes_with_it(home: Path) -> None:
    with stack(home, "--daemon=--grandchild=foreign") as process:
        wait_until_up(home)
        daemon, grandchild = pids(home)[:2]
        os.kill(daemon, signal.SIGKILL)
        wait_for(lambda: not is_alive(grandchild), "end of the grandchild")
        process.terminate()
        said_by(process)


async def test_a_running_daemon_is_used_and_left_running(home: Path, runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as daemon:
        with stack(home) as process:
            await daemon.subscribed()
            await asyncio.to_thread(wait_until_up, home)
            process.terminate()
            said = await asyncio.to_thread(said_by, process)
        assert process.returncode == 0
        assert f"daemon runs already (pid {daemon.publisher.hello.pid}): using it" in said
        assert "was running before: left running" in said
        assert log(home) == ["assistant start", "assistant end"]


def test_a_second_start_says_the_pid_and_touches_nothing(home: Path, runtime_dir: Path) -> None:
    with stack(home) as first:
        wait_until_up(home)
        with stack(home) as second:
            said = said_by(second)
        assert second.returncode == 75
        assert f"`hearing-up` is already running (pid {first.pid})\nhint: `hearing down`" in said
        assert is_held(runtime_dir / paths.UP_LOCK)
        assert log(home).count("daemon start") == 1
        first.terminate()
        said_by(first)
        assert first.returncode == 0


@pytest.mark.parametrize("code", [78, 75])
def test_what_the_next_start_would_repeat_ends_the_stack_with_the_childs_own_status(
    home: Path, code: int
) -> None:
    with stack(home, f"--daemon=--die {code}") as process:
        said = said_by(process)
    assert process.returncode == code
    assert "daemon | daemon cannot go on" in said
    assert log(home) == ["daemon start"]
