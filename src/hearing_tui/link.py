"""The worker that stays connected to the assistant; it only posts messages."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hearing import paths
from hearing.messages.common import Message
from hearing.messages.control import ControlMessage, Subscribe
from hearing.protocol import CONTROL
from hearing.transport.client import Down, Link, Silent, Up
from hearing_tui.view_state import LinkDown, LinkSilent, LinkUp

IN_FLIGHT: Final = 256
"""Messages posted and not yet taken; more wait in the socket, where the assistant bounds them."""

ControlLink = Link[Any]


def control_link(runtime_dir: Path, *, viewer: bool, name: str) -> ControlLink:
    """Make the link that subscribes at every connection."""

    def opening() -> tuple[Message, ...]:
        return (Subscribe(viewer=viewer, name=name),)

    return Link(runtime_dir / paths.ASSISTANT_SOCKET, CONTROL, opening=opening)


async def follow(link: ControlLink, post: Callable[[object], object], room: asyncio.Semaphore) -> None:
    """Post everything the link gives, for ever; each takes one of `room`, the handler gives it back."""
    async with contextlib.aclosing(link.stream()) as stream:
        async for item in stream:
            await room.acquire()
            post(news(item))


def news(item: ControlMessage | Up | Down | Silent) -> object:
    """Turn news of the link into what the state understands; messages stay what they are."""
    match item:
        case Up(new_boot=new_boot):
            return LinkUp(new_boot)
        case Down(reason=reason, attempt=attempt):
            return LinkDown(reason, attempt)
        case Silent(for_s=for_s):
            return LinkSilent(for_s)
        case _:
            return item
