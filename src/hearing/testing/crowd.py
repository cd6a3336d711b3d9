"""Subscribers that behave badly: stopped by a signal, or reading a byte a second."""

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hearing.testing.processes import started, wait_for

_SUBSCRIBE = """
import socket, sys
with socket.socket(socket.AF_UNIX) as it:
    it.connect(sys.argv[1])
    print("connected", flush=True)
    while it.recv(65536):
        pass
"""


@contextlib.contextmanager
def stopped_subscriber(path: str | Path) -> Iterator["subprocess.Popen[str]"]:
    """A subscriber in a process of its own, connected and then stopped by SIGSTOP."""
    with started([sys.executable, "-I", "-c", _SUBSCRIBE, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "connected\n"
        process.send_signal(signal.SIGSTOP)
        state = Path(f"/proc/{process.pid}/stat")
        wait_for(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", "the subscriber stops")
        yield process


class DrippingSubscriber:
    """A subscriber in a test's own process that takes a byte a second, when asked."""

    def __init__(self, path: str | Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._socket.setblocking(False)
        self._taken_at_s = 0.0

    def __enter__(self) -> "DrippingSubscriber":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def drip(self) -> None:
        """Take a byte if a second has passed since the last."""
        if time.monotonic() - self._taken_at_s >= 1:
            self._taken_at_s = time.monotonic()
            with contextlib.suppress(BlockingIOError, ConnectionError):
                self._socket.recv(1)
