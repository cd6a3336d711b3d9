"""`hearing up` with every real process: the recognizer, the assistant, the TUI, a terminal, a microphone."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from hearing import paths
from hearing.testing.processes import descendants, is_alive, started, wait_for
from hearing.testing.pulse import pulse_server
from hearing.testing.tmux import Tmux, tmux
from hearing.transport.listen import read_hello
from hearing_cli.down_command import is_held

HEARING = [sys.executable, "-m", "hearing_cli"]
RECORDING = Path(str(files("hearing_cli.demo_data") / "meeting.flac"))

pytestmark = pytest.mark.usefixtures("real_models")


@contextlib.contextmanager
def up_in_tmux(home: Path, *options: str) -> Iterator[Tmux]:
    """Start it on a terminal, as a person would."""
    with tmux(home, [*HEARING, "up", "--with-tui", *options]) as window:
        yield window


def pid_of(window: Tmux, module: str) -> int:
    """Find a child of the supervisor by its module."""
    for pid in descendants(int(window.pane("pane_pid"))):
        if f"-m\0{module}\0" in Path(f"/proc/{pid}/cmdline").read_text():
            return pid
    raise AssertionError(f"no {module}")


def test_words_appear_and_keys_resizes_and_a_kill_are_survived_and_q_stops_all(
    home: Path, runtime_dir: Path
) -> None:
    with up_in_tmux(home, "--source", "demo", "--speed", "3") as window:
        window.wait_for("about the spring catalog", timeout_s=60)
        family = descendants(int(window.pane("pane_pid")))

        window.resize(60, 20)
        wait_for(lambda: max(map(len, window.screen().splitlines())) <= 60, "narrower screen")
        window.wait_for("about the spring catalog")
        window.type("?")
        window.wait_for("save")
        window.type("Escape")

        os.kill(pid_of(window, "hearing_tui"), signal.SIGKILL)
        wait_for(lambda: window.pane("alternate_on") == "0", "plain screen", timeout_s=5)
        window.wait_for("about the spring catalog")  # drawn again, nothing forgotten

        window.type("q")
        assert window.ended() == 0
        said = window.screen()
        assert said.index("assistant stopped") < said.index("daemon stopped")
        assert window.pane("alternate_on") == "0"
        assert window.pane("mouse_any_flag") == "0"
        assert not any(map(is_alive, family))
        assert not (runtime_dir / paths.DAEMON_SOCKET).exists()


def test_words_spoken_into_a_microphone_appear(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pulse_server(home / "pulse") as pulse:
        for name, value in pulse.env.items():
            monkeypatch.setenv(name, value)
        with up_in_tmux(home, "--mic", "auto") as window:
            window.wait_for("listening", timeout_s=60)
            player = pulse.play(RECORDING)
            try:
                window.wait_for("about the spring catalog", timeout_s=60)
            finally:
                player.kill()
                player.wait()
            window.type("q")
            assert window.ended() == 0


def test_a_daemon_started_by_hand_is_used_and_outlives_the_stack(home: Path, runtime_dir: Path) -> None:
    by_hand = [sys.executable, "-m", "hearing_daemon", "--source", str(RECORDING)]
    with started(by_hand) as daemon, contextlib.ExitStack() as later:
        wait_for(lambda: read_hello(runtime_dir / paths.DAEMON_SOCKET), "daemon")
        supervisor = later.enter_context(started([*HEARING, "up"]))
        assert supervisor.stderr is not None
        while "assistant ready" not in (line := supervisor.stderr.readline()):
            assert line, "ended early"
        down = subprocess.run([*HEARING, "down"], capture_output=True, text=True, timeout=60)
        assert down.returncode == 0
        assert f"`hearing up` (pid {supervisor.pid}) has ended" in down.stderr
        assert f"`hearing-daemon` (pid {daemon.pid}) was started by hand: left running" in down.stderr
        assert supervisor.wait(10) == 0
        assert not is_held(runtime_dir / paths.UP_LOCK)
        assert read_hello(runtime_dir / paths.DAEMON_SOCKET) is not None
        daemon.terminate()
        assert daemon.wait(10) == 0
