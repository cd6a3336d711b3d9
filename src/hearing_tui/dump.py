"""`--dump`: what the assistant says as lines on stdout, for as long as asked; talk goes to stderr."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from hearing.errors import ExitCode, UnavailableError
from hearing.messages.common import Message
from hearing.messages.control import ControlMessage
from hearing.safe_text import safe_json, safe_line
from hearing.transport.client import Down, Silent, Up
from hearing_tui.as_text import as_text
from hearing_tui.link import ControlLink, control_link

Talk = Callable[[str], None]
Render = Callable[[Any], str | None]


def run(runtime_dir: Path, seconds: float, form: str) -> int:
    """Dump to stdout, each line flushed; a reader that leaves early is no fault.

    Raises:
        UnavailableError: Nobody was there all the time.
    """
    link = control_link(runtime_dir, viewer=False, name="dump")
    try:
        return asyncio.run(dump(link, seconds, _FORMS[form], write=_write, talk=_talk))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter complains at its end
        return ExitCode.OK


def _write(line: str) -> None:
    print(line, flush=True)


def _talk(sentence: str) -> None:
    print(f"hearing-tui: {sentence}", file=sys.stderr, flush=True)


async def dump(
    link: ControlLink,
    seconds: float,
    render: Render,
    *,
    write: Callable[[str], None],
    talk: Talk,
) -> int:
    """Write every message for so many seconds; give 0.

    Raises:
        UnavailableError: Nobody was there all the time.
    """
    connected = False
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds), contextlib.aclosing(link.stream()) as stream:
            async for item in stream:
                connected = connected or isinstance(item, Up)
                for line in _told(item, render, talk):
                    write(line)
    if not connected:
        raise UnavailableError(
            f"no assistant answered within {seconds:g} s", hint="start it with `hearing up`"
        )
    return ExitCode.OK


def _told(item: ControlMessage | Up | Down | Silent, render: Render, talk: Talk) -> list[str]:
    """Render a message; say news of the link on the side, each trouble once."""
    match item:
        case Up(hello=hello):
            line = render(hello)
        case Down(reason=reason, attempt=attempt):
            if attempt == 1:
                talk(f"no assistant: {safe_line(reason)}; waiting for it")
            return []
        case Silent(for_s=for_s):
            talk(f"the assistant has said nothing for {for_s:g} s")
            return []
        case _:
            line = render(item)
    return [] if line is None else [line]


def as_json(message: Message) -> str:
    r"""Give a message as one JSON object; what could drive a terminal becomes `\uXXXX`."""
    return safe_json(msgspec.json.encode(message).decode())


_FORMS: Final[dict[str, Render]] = {"json": as_json, "text": as_text}
