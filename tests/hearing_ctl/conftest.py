"""A server of canned bytes for the blocking side of the ctl."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from hearing import paths

HELLO = b'{"type":"hello","server":"hearing-assistant","version":"0.1.0","pid":1,"boot_id":"b","proto":1}\n'

Server = Callable[..., list[bytes]]


@pytest.fixture
def serve(runtime_dir: Path) -> Iterator[Server]:
    """Start a server that greets one client with `hello`, then answers its lines one by one.

    An answer is sent in the given chunks; after the last one the connection is held until the client
    hangs up, or closed at once with `hang_up`. Gives the list that its requests will be in.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(runtime_dir / paths.ASSISTANT_SOCKET))
    listening.listen(1)
    threads: list[threading.Thread] = []

    def start(
        *answers: bytes | Sequence[bytes], hello: bytes | Sequence[bytes] = HELLO, hang_up: bool = False
    ) -> list[bytes]:
        requests: list[bytes] = []
        thread = threading.Thread(target=_serve, args=(listening, hello, answers, requests, hang_up))
        thread.start()
        threads.append(thread)
        return requests

    yield start
    listening.close()
    for thread in threads:
        thread.join(timeout=10)


def _serve(
    listening: socket.socket,
    hello: bytes | Sequence[bytes],
    answers: Sequence[bytes | Sequence[bytes]],
    requests: list[bytes],
    hang_up: bool,
) -> None:
    connected, _ = listening.accept()
    gone = contextlib.suppress(ConnectionError)  # the client may have heard enough
    with connected, connected.makefile("rb") as lines, gone:
        _send(connected, hello)
        for answer in answers:
            requests.append(lines.readline())
            _send(connected, answer)
        while not hang_up and lines.readline():
            continue


def _send(connected: socket.socket, chunks: bytes | Sequence[bytes]) -> None:
    for chunk in (chunks,) if isinstance(chunks, bytes) else chunks:
        connected.sendall(chunk)
