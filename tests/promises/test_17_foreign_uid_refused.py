"""Promise 17: a foreign uid is refused before a byte of it is parsed."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hearing import paths
from hearing.clock import SystemClock
from hearing.messages.common import Hello
from hearing.messages.control import Ack, ControlRequest
from hearing.protocol import REQUESTS, Framer
from hearing.testing.daemon import FakeDaemon
from hearing.testing.wire import Wire
from hearing.transport.listen import claim
from hearing.transport.peers import Peer
from hearing.transport.publisher import Publisher
from hearing.transport.server import Client, RequestServer

HELLO = Hello(server="x", version="1", pid=1, boot_id="b")

AS_ANOTHER = """
import os, socket, sys
os.setgroups([]); os.setgid(4242); os.setuid(4242)
with socket.socket(socket.AF_UNIX) as it:
    it.settimeout(20)
    try:
        it.connect(sys.argv[1])
    except PermissionError:
        print("no permission")
        sys.exit()
    try:
        it.sendall(b'{"type":"status"}\\n')
        print("heard", it.recv(65536))
    except ConnectionError:
        print("heard b''")
"""


@pytest.fixture
def nothing_is_parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every byte that reaches a framer."""
    parsed: list[bytes] = []
    feed = Framer.feed

    def noted(self: Framer, chunk: bytes) -> list[bytes]:
        parsed.append(chunk)
        return feed(self, chunk)

    monkeypatch.setattr(Framer, "feed", noted)
    return parsed


def foreign(_socket: socket.socket) -> Peer:
    return Peer(os.geteuid() + 1, 7)


def unknown(_socket: socket.socket) -> Peer:
    raise OSError("the kernel does not say")


@pytest.mark.parametrize("identify", [foreign, unknown])
async def test_both_kinds_of_server_close_without_a_word(
    identify: object, runtime_dir: Path, nothing_is_parsed: list[bytes]
) -> None:
    """A peer that cannot be named is foreign too."""

    def handle(_client: Client, _request: ControlRequest) -> None:
        pytest.fail("a foreign request was carried out")

    publisher = Publisher(
        claim(runtime_dir / "p.sock"),
        HELLO,
        clock=SystemClock(),
        snapshot=lambda _: [],
        keep=lambda _: True,
        identify=identify,  # type: ignore[arg-type]
    )
    server: RequestServer[ControlRequest] = RequestServer(
        claim(runtime_dir / "s.sock"),
        HELLO,
        clock=SystemClock(),
        dialect=REQUESTS,
        handle=handle,
        keep=lambda _: True,
        identify=identify,  # type: ignore[arg-type]
    )
    for each, name in ((publisher, "p.sock"), (server, "s.sock")):
        await each.start()
        for _ in range(20):
            wire = await Wire.connect(runtime_dir / name)
            wire.send({"type": "status"}, b"rubbish\n")
            assert await wire.rest() == []
            await wire.close()
        assert not each._connections
        await each.stop()
    assert nothing_is_parsed == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("opened", [False, True], ids=["as it is", "with every mode opened by hand"])
async def test_a_real_process_of_another_user_hears_nothing(
    opened: bool, home: Path, runtime_dir: Path, nothing_is_parsed: list[bytes]
) -> None:
    path = runtime_dir / paths.DAEMON_SOCKET
    async with FakeDaemon(runtime_dir) as daemon:
        if opened:
            for each, mode in ((home, 0o755), (runtime_dir, 0o755), (path, 0o666)):
                each.chmod(mode)
        ran = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", AS_ANOTHER, str(path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert ran.stdout == ("heard b''\n" if opened else "no permission\n")
        assert daemon.publisher.subscribers == 0
    assert nothing_is_parsed == []


async def test_our_own_user_is_served(runtime_dir: Path) -> None:
    async def served(server: RequestServer[ControlRequest]) -> None:
        await server.start()
        wire = await Wire.connect(runtime_dir / "s.sock")
        await wire.until("hello")
        wire.send({"type": "status"})
        assert (await wire.message())["type"] == "ack"
        await wire.close()
        await server.stop()

    await served(
        RequestServer(
            claim(runtime_dir / "s.sock"),
            HELLO,
            clock=SystemClock(),
            dialect=REQUESTS,
            handle=lambda client, request: client.answer(request, Ack(command="x")),
            keep=lambda _: True,
        )
    )
