"""A bare client of either socket: it sends any bytes, reads lines when told to, and never answers by itself.

wire = await Wire.connect(path)
wire.send({"type": "status"})
assert (await wire.until("status"))["mode"] == "idle"
await wire.close()
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hearing.protocol import OUTBOUND_LINE_BYTES

DEADLINE_S = 20.0


class Wire:
    """One connection; every wait ends within `DEADLINE_S` or fails the test."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, path: str | Path) -> "Wire":
        """Connect, and read nothing yet."""
        return cls(*await asyncio.open_unix_connection(path, limit=2 * OUTBOUND_LINE_BYTES))

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        """Send messages as lines, and bytes as they are."""
        for message in messages:
            self.writer.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    async def line(self) -> bytes | None:
        """Read a line without its newline, or None at the end of the stream, however it ended."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                line = await self.reader.readline()
        except ConnectionError:
            return None
        return line.removesuffix(b"\n") if line else None

    async def message(self) -> dict[str, Any]:
        """Read a message; an ended stream fails the test."""
        line = await self.line()
        assert line is not None, "the connection ended where a message was expected"
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    async def until(self, kind: str) -> dict[str, Any]:
        """Read on to the next message of a type."""
        while (message := await self.message())["type"] != kind:
            pass
        return message

    async def rest(self) -> list[dict[str, Any]]:
        """Read all messages up to the end of the stream."""
        messages = []
        while (line := await self.line()) is not None:
            messages.append(json.loads(line))
        return messages

    def half_close(self) -> None:
        """Say that no more requests come, as `printf … | socat` does."""
        self.writer.write_eof()

    def stop_reading(self) -> None:
        """Take nothing more from the kernel, as a stopped process; what was taken before can be read."""
        self.writer.transport.pause_reading()  # type: ignore[attr-defined]

    def read_on(self) -> None:
        """Take bytes again."""
        self.writer.transport.resume_reading()  # type: ignore[attr-defined]

    async def close(self) -> None:
        """Leave."""
        self.writer.transport.abort()
        await asyncio.sleep(0)


async def turns(count: int = 50) -> None:
    """Let the loop run what is ready, without any time passing."""
    for _ in range(count):
        await asyncio.sleep(0)


async def eventually(true: Callable[[], object]) -> None:
    """Wait until something is so; after `DEADLINE_S` the test fails."""
    async with asyncio.timeout(DEADLINE_S):
        while not true():  # noqa: ASYNC110 - the state of a server under test has no event to wait for
            await asyncio.sleep(0.005)
