"""Lines come in order, silence is told, and a slow reader leaves the rest to the kernel."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest

from hearing.errors import ErrorCode, PeerError
from hearing.protocol import OUTBOUND_LINE_BYTES
from hearing.testing.wire import DEADLINE_S, eventually, turns
from hearing.transport.incoming import Incoming


@contextlib.asynccontextmanager
async def connected(silence_s: float | None = None) -> AsyncIterator[tuple[Incoming, socket.socket]]:
    """An incoming connection and the server's end of it."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    _, incoming = await asyncio.get_running_loop().create_unix_connection(
        lambda: Incoming(silence_s), sock=ours
    )
    with theirs:
        try:
            yield incoming, theirs
        finally:
            incoming.abort()
            await turns(3)


async def taken(incoming: Incoming, count: int) -> list[bytes]:
    lines: list[bytes] = []
    async with asyncio.timeout(DEADLINE_S):
        while len(lines) < count:
            while (line := incoming.next_line()) is not None:
                lines.append(line)
            if len(lines) < count:
                assert await incoming.more()
    return lines


async def test_lines_come_in_order_however_they_were_cut() -> None:
    async with connected() as (incoming, theirs):
        assert incoming.next_line() is None
        for piece in (b"on", b"e\ntwo\nth", b"ree\n"):
            theirs.send(piece)
            await turns(3)
        assert await taken(incoming, 3) == [b"one", b"two", b"three"]


async def test_what_came_before_the_end_is_read_before_the_end_is_told() -> None:
    async with connected() as (incoming, theirs):
        theirs.sendall(b"last\nunfinished")
        theirs.close()
        await turns()
        assert await incoming.more()
        assert incoming.next_line() == b"last"
        with pytest.raises(EOFError):
            await incoming.more()


async def test_a_line_too_long_is_the_servers_fault_and_ends_it() -> None:
    async with connected() as (incoming, theirs):
        sending = asyncio.create_task(asyncio.to_thread(send_too_much, theirs))
        with pytest.raises(PeerError) as caught:
            await incoming.more()
        assert caught.value.code is ErrorCode.OVERSIZE
        await sending


def send_too_much(theirs: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it hangs up before all is sent
        theirs.sendall(b"x" * (2 * OUTBOUND_LINE_BYTES))


async def test_silence_is_told_each_time_it_has_lasted_and_ends_with_a_byte() -> None:
    async with connected(silence_s=0.03) as (incoming, theirs):
        assert not await incoming.more()
        assert not await incoming.more()
        theirs.send(b"x\n")
        async with asyncio.timeout(DEADLINE_S):
            while not await incoming.more():
                pass
        assert incoming.next_line() == b"x"


async def test_a_reader_that_was_busy_is_not_told_of_a_silence_that_is_over() -> None:
    async with connected(silence_s=0.03) as (incoming, theirs):
        await eventually(lambda: "silent=True" in repr(incoming))
        theirs.send(b"x\n")
        await eventually(lambda: "lines=1" in repr(incoming))
        assert await incoming.more()


async def test_a_slow_reader_leaves_the_rest_to_the_kernel_and_then_gets_it_all() -> None:
    """So that the server sees it stall; our own memory stays flat."""
    async with connected() as (incoming, theirs):
        theirs.setblocking(False)
        sent = 0
        with contextlib.suppress(BlockingIOError):
            while sent < 100_000:
                await turns(3)
                sent += theirs.send(b"%099d\n" % sent) // 100
        assert sent < 100_000
        assert len(incoming._lines) < 1_000
        lines = await taken(incoming, sent)
        assert len(set(lines)) == sent


async def test_letting_go_ends_it_whatever_is_unsent() -> None:
    async with connected() as (incoming, _theirs):
        incoming.transport.write(b"x" * 10_000_000)
        incoming.abort()
        with pytest.raises(EOFError):
            await incoming.more()
        assert repr(incoming) == "<Incoming lines=0 ended=True silent=False>"


async def test_a_reader_that_is_cancelled_loses_nothing() -> None:
    async with connected() as (incoming, theirs):
        waiting = asyncio.create_task(incoming.more())
        await turns(3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        theirs.send(b"kept\n")
        assert await taken(incoming, 1) == [b"kept"]
