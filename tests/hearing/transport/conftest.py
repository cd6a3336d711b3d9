"""Real servers on real sockets, gone after the test."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from hearing.messages.common import Hello, Message, Transcript
from hearing.messages.control import Ack, ControlRequest, Subscribe
from hearing.protocol import REQUESTS
from hearing.testing.clock import FakeClock
from hearing.testing.wire import Wire
from hearing.transport.listen import claim
from hearing.transport.publisher import Publisher
from hearing.transport.server import Client, RequestServer

HELLO = Hello(server="hearing-test", version="1", pid=4242, boot_id="boot-1")


@pytest.fixture
def path(runtime_dir: Path) -> Path:
    return runtime_dir / "hearing-test.sock"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def publisher(path: Path, clock: FakeClock) -> AsyncIterator[Callable[..., Any]]:
    """Give a way to start publishers, with the options of a test; they stop after it."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(**options: Any) -> Publisher:
            made = Publisher(
                claim(path),
                options.pop("hello", HELLO),
                clock=clock,
                snapshot=options.pop("snapshot", lambda _seq: []),
                keep=options.pop("keep", lambda message: isinstance(message, Transcript)),
                **options,
            )
            stack.push_async_callback(made.stop)
            await made.start()
            return made

        yield start


@pytest.fixture
async def server(path: Path, clock: FakeClock) -> AsyncIterator[Callable[..., Any]]:
    """Give a way to start request servers, which by default acknowledge everything."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(**options: Any) -> RequestServer[ControlRequest]:
            made: RequestServer[ControlRequest] = RequestServer(
                claim(path),
                HELLO,
                clock=clock,
                dialect=REQUESTS,
                handle=options.pop("handle", answer_at_once),
                keep=lambda message: isinstance(message, Transcript),
                **options,
            )
            stack.push_async_callback(made.stop)
            await made.start()
            return made

        yield start


def answer_at_once(client: Client, request: ControlRequest) -> None:
    """Acknowledge; a subscriber is greeted with one more `ack`, and `viewer` and `name` are noted."""
    client.answer(request, Ack(command=str(request.__struct_config__.tag)))
    if isinstance(request, Subscribe):
        client.viewer, client.name = request.viewer, request.name
        greeting: list[Message] = [Ack(command="greeting")]
        client.subscribe(greeting)


@pytest.fixture
async def connect(path: Path) -> AsyncIterator[Callable[[], Any]]:
    """Give a way to connect bare clients, gone after the test."""
    wires: list[Wire] = []

    async def one() -> Wire:
        wires.append(await Wire.connect(path))
        return wires[-1]

    yield one
    for wire in wires:
        await wire.close()
