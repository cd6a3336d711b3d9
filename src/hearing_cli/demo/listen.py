"""A client of the assistant that prints words as they come and stops the stack when all are there."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final, TextIO

from hearing.messages import control
from hearing.messages.common import Transcript
from hearing.protocol import CONTROL
from hearing.safe_text import safe_line
from hearing.transport.client import Link
from hearing_cli.demo.heard import Heard
from hearing_cli.up.events import Event, Stop

TROUBLE_LIMIT_S: Final = 10.0
"""How long recognition may be away before it is given up: children start, and start again."""

_POLL_S: Final = 0.1


async def listen(
    socket: str, heard: Heard, stream: TextIO, limit_s: float, post: Callable[[Event], None]
) -> None:
    """Fill `heard`, print each piece, and post `Stop` when all is heard, nothing can be, or time is up.

    Args:
        socket: The assistant's; it need not exist yet.
        heard: Filled as words come.
        stream: Where the words are printed.
        limit_s: How long all of it may take; trouble may take a part of that.
        post: The supervisor's queue.
    """
    try:
        async with asyncio.timeout(limit_s) as limit:
            await _until_all_is_heard(socket, heard, stream, limit)
    except TimeoutError:
        heard.trouble = heard.trouble or f"the recording did not come to its end within {limit_s:g} s"
    post(Stop(heard.trouble or "the recording is over"))


async def _until_all_is_heard(socket: str, heard: Heard, stream: TextIO, limit: asyncio.Timeout) -> None:
    link: Link[control.ControlMessage] = Link(
        socket, CONTROL, opening=lambda: [control.Subscribe(name="hearing demo")], sleep=_soon
    )
    at_last_s, trouble = limit.when() or 0.0, ""
    async with contextlib.aclosing(link.stream()) as messages:
        async for message in messages:
            heard.take(message)
            if isinstance(message, Transcript):
                print(line(message), file=stream, flush=True)
            if heard.complete:
                return
            if heard.trouble != trouble:  # it has come or gone: the time it may take begins or is forgotten
                trouble = heard.trouble
                soon_s = asyncio.get_running_loop().time() + TROUBLE_LIMIT_S
                limit.reschedule(min(soon_s, at_last_s) if trouble else at_last_s)


def line(piece: Transcript) -> str:
    """Give a piece of transcript as a line: when it was said, and what."""
    minutes, seconds = divmod(piece.start_ms // 1000, 60)
    return f"{minutes:02}:{seconds:02}  {safe_line(piece.text)}"


async def _soon(_delay_s: float) -> None:
    await asyncio.sleep(_POLL_S)
