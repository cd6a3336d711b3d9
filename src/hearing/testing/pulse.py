"""A PulseAudio server of a test's own: virtual speakers, a virtual microphone, no hardware, no network."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SPEAKERS = "test_speakers"
"""The default sink; what is played into it is heard on its monitor."""

ROOM = "test_room"
"""The sink that stands for the air before the microphone: play here what the user says."""

MIC = "test_mic"
"""The default source: a microphone that hears `ROOM`."""

_START_S = 20.0


class PulseUnavailableError(RuntimeError):
    """PulseAudio is not installed, or it would not start."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """A running server.

    Attributes:
        folder: Its private folder; the socket lies in it.
        env: What a client needs in its environment, and nothing else.
        pid: The server's process id.
    """

    folder: Path
    env: dict[str, str]
    pid: int

    def pactl(self, *arguments: str) -> str:
        """Run one `pactl` command and give its output.

        Raises:
            subprocess.CalledProcessError: The server refused it.
        """
        return subprocess.run(
            ["pactl", *arguments],
            env={**os.environ, **self.env},
            check=True,
            capture_output=True,
            text=True,
            timeout=_START_S,
        ).stdout

    def load(self, module: str, *arguments: str) -> int:
        """Load a module and give its index."""
        return int(self.pactl("load-module", module, *arguments))

    def unload(self, module: int) -> None:
        """Unload a module: its devices are gone, as if they had been unplugged."""
        self.pactl("unload-module", str(module))

    def play(self, file: Path, sink: str = ROOM) -> "subprocess.Popen[bytes]":
        """Start to play a file (WAV, FLAC, …) into a sink; the caller waits for it."""
        return subprocess.Popen(
            ["paplay", f"--device={sink}", str(file)],
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
        )


@contextmanager
def pulse_server(folder: Path, *, microphone: bool = True) -> Iterator[Pulse]:
    """Run a server in `folder` (made 0700, short: socket paths are limited) until the block ends.

    Args:
        folder: Where its socket and state lie; not there yet.
        microphone: Whether there is a `MIC` in the `ROOM`; without one the default source is a monitor.

    Raises:
        PulseUnavailableError: It is not installed, or does not answer in time.
    """
    if shutil.which("pulseaudio") is None or shutil.which("pactl") is None:
        raise PulseUnavailableError("`pulseaudio` or `pactl` is missing: apt install pulseaudio")
    folder.mkdir(mode=0o700, parents=True)
    env = {
        "PULSE_SERVER": f"unix:{folder}/native",  # a stated server also means: never start another one
        "PULSE_RUNTIME_PATH": str(folder),
        "PULSE_STATE_PATH": str(folder),
        "PULSE_COOKIE": str(folder / "cookie"),
        "LC_ALL": "C",
    }
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            _argv(folder, microphone=microphone),
            env={**os.environ, **env, "HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_until_it_answers(server, env, folder / "log")
        yield Pulse(folder, env, server.pid)
    finally:
        _stop(server)


def _argv(folder: Path, *, microphone: bool) -> list[str]:
    modules = [
        f"module-native-protocol-unix socket={folder}/native auth-anonymous=1",
        f"module-null-sink sink_name={SPEAKERS}",
    ]
    if microphone:
        modules += [
            f"module-null-sink sink_name={ROOM}",
            f"module-remap-source source_name={MIC} master={ROOM}.monitor",
        ]
    return [
        "pulseaudio",
        "-n",
        "--daemonize=no",
        "--exit-idle-time=-1",
        "--disallow-exit",
        "--use-pid-file=no",
        "--disable-shm=yes",
        "--realtime=no",
        "--high-priority=no",
        "--log-level=error",
        *(word for module in modules for word in ("-L", module)),
    ]


def _wait_until_it_answers(server: "subprocess.Popen[bytes]", env: dict[str, str], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while server.poll() is None and time.monotonic() < deadline:
        with_answer = subprocess.run(
            ["pactl", "info"], env={**os.environ, **env}, capture_output=True, timeout=_START_S, check=False
        )
        if with_answer.returncode == 0:
            return
        time.sleep(0.05)  # the server has no other sign of readiness than an answer
    raise PulseUnavailableError(f"pulseaudio did not start: {log.read_text(errors='replace')}")


def _stop(server: "subprocess.Popen[bytes]") -> None:
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(5)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
