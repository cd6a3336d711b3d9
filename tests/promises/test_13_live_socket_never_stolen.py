"""Promise 13: the socket of a living server is never stolen (0 of 1,000 tries), lock file or no lock file."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearing.errors import AlreadyRunningError
from hearing.testing.processes import started
from hearing.transport.listen import claim, read_hello

SERVER = """
import asyncio, os, sys
from hearing.clock import SystemClock
from hearing.messages.common import Hello
from hearing.transport.listen import claim
from hearing.transport.publisher import Publisher

async def main():
    hello = Hello(server="hearing-test", version="1", pid=os.getpid(), boot_id="b")
    publisher = Publisher(claim(sys.argv[1]), hello, clock=SystemClock(),
                          snapshot=lambda seq: [], keep=lambda message: False)
    await publisher.start()
    print("serving", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def served(runtime_dir: Path) -> Iterator[tuple[Path, int]]:
    """A living server in a process of its own: its path and pid."""
    path = runtime_dir / "hearing-test.sock"
    with started([sys.executable, "-c", SERVER, str(path)], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "serving\n"
        yield path, server.pid


def hundred_claims(path: Path, pid: int) -> None:
    """Try to take the path; each try says who has it, and the socket is the same afterwards."""
    before = path.lstat()
    for _ in range(100):
        with pytest.raises(AlreadyRunningError) as caught:
            claim(path)
        assert caught.value.pid == pid
    assert path.lstat() == before
    hello = read_hello(path)
    assert hello is not None
    assert hello.pid == pid


def test_who_holds_the_lock_keeps_the_socket(served: tuple[Path, int]) -> None:
    for _ in range(5):
        hundred_claims(*served)


def test_even_with_its_lock_file_deleted_each_time(served: tuple[Path, int]) -> None:
    """Some cleaner of old files did it: the server is still asked who it is, over its socket."""
    path, _ = served
    for _ in range(5):
        path.with_suffix(".lock").unlink()
        hundred_claims(*served)


def test_even_while_it_has_all_the_clients_it_takes(served: tuple[Path, int]) -> None:
    """Full, it says so instead of `hello`: alive is alive."""
    path, _ = served
    clients = []
    for _ in range(64):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(path))
        client.recv(1)
        clients.append(client)
    path.with_suffix(".lock").unlink()
    before = path.lstat().st_ino
    with pytest.raises(AlreadyRunningError, match="says `too_many_clients`"):
        claim(path)
    assert path.lstat().st_ino == before
    for client in clients:
        client.close()
