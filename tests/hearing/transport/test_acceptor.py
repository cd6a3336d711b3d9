"""Who is let in, and a clean end; what each kind of server adds is tested with that kind."""

import asyncio
from pathlib import Path

import pytest

from hearing.clock import SystemClock
from hearing.errors import ErrorCode
from hearing.messages.common import Hello
from hearing.protocol import REQUESTS
from hearing.testing.loopback import LoopbackServer
from hearing.testing.wire import Wire
from hearing.transport.acceptor import Acceptor
from hearing.transport.connection import Limits
from hearing.transport.listen import claim
from hearing.transport.publisher import Publisher

HELLO = Hello(server="hearing-test", version="1", pid=1, boot_id="b")


def publisher(path: Path) -> Publisher:
    return Publisher(claim(path), HELLO, clock=SystemClock(), snapshot=lambda _: [], keep=lambda _: False)


def test_the_first_line_is_hello_and_the_client_counts_until_it_has_gone() -> None:
    server = LoopbackServer(REQUESTS, lambda _client, _request: None)
    _, transport = server.client()
    assert b'"type":"hello"' in transport.lines[0]
    assert len(server._connections) == 1
    transport.close()
    assert not server._connections


def test_one_client_more_than_the_limit_is_refused_and_not_counted() -> None:
    server = LoopbackServer(REQUESTS, lambda _client, _request: None, Limits(clients=1))
    server.client()
    _, transport = server.client()
    (refusal,) = transport.lines
    assert f'"code":"{ErrorCode.TOO_MANY_CLIENTS}"'.encode() in refusal
    assert transport.is_closing()
    assert len(server._connections) == 1


async def test_who_comes_in_the_last_turn_of_the_loop_is_refused() -> None:
    server = LoopbackServer(REQUESTS, lambda _client, _request: None)
    await server.stop()
    _, transport = server.client()
    (refusal,) = transport.lines
    assert b"`loopback` is stopping" in refusal
    assert transport.is_closing()
    assert not server._connections


async def test_a_server_that_never_started_gives_its_socket_back(path: Path) -> None:
    server = publisher(path)
    assert path.exists()
    await server.stop()
    assert not path.exists()


async def test_the_path_is_free_for_the_next_server_as_soon_as_stop_returns(path: Path) -> None:
    for _ in range(3):
        server = publisher(path)
        await server.start()
        wire = await Wire.connect(path)
        assert (await wire.message())["type"] == "hello"
        await server.stop()
        assert await wire.rest() == []
        await wire.close()


async def test_nobody_can_connect_after_stop(path: Path) -> None:
    server = publisher(path)
    await server.start()
    await server.stop()
    with pytest.raises(FileNotFoundError):
        await asyncio.open_unix_connection(path)


def test_what_a_clients_bytes_mean_is_for_the_kinds_of_server_to_say(path: Path) -> None:
    server = Acceptor(claim(path), HELLO)
    with pytest.raises(NotImplementedError):
        server.on_bytes(None, b"x")  # type: ignore[arg-type]
    server._claimed.release()
