"""Questions to the assistant and their answers, matched by `request_id`."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import msgspec

from hearing.errors import RefusedError, UnavailableError
from hearing.messages.common import Error, Message
from hearing.messages.control import Answer, Request

ANSWER_TIMEOUT_S: Final = 10.0


class Requests:
    """What was asked and not yet answered; a lost connection answers everything with an error.

    Args:
        send: Puts a request on the wire; raises `UnavailableError` when there is none.
        timeout_s: How long an answer may take.
    """

    def __init__(self, send: Callable[[Message], None], *, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        self._send = send
        self._timeout_s = timeout_s
        self._ids = count(1)
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    def __repr__(self) -> str:
        return f"<Requests waiting={len(self._waiting)}>"

    async def ask(self, request: Request) -> Answer:
        """Send a request and give its answer.

        Raises:
            RefusedError: The assistant said no.
            UnavailableError: It is not connected, went away, or took too long.
        """
        request_id = f"tui-{next(self._ids)}"
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        try:
            self._send(msgspec.structs.replace(request, request_id=request_id))
            async with asyncio.timeout(self._timeout_s):
                return await future
        except TimeoutError:
            raise UnavailableError("the assistant does not answer") from None
        finally:
            self._waiting.pop(request_id, None)

    def answered(self, item: object) -> bool:
        """Hand an answer to whoever asked; say whether it was one of ours."""
        request_id: Any = getattr(item, "request_id", None)
        future = self._waiting.get(request_id) if isinstance(request_id, str) else None
        if future is None or future.done():
            return False
        if isinstance(item, Error):
            future.set_exception(RefusedError(item.code, item.message, hint=item.hint))
        elif isinstance(item, Answer):
            future.set_result(item)
        return True

    def lost(self) -> None:
        """Answer everything: the connection is gone, and the answers with it."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(UnavailableError("the assistant went away"))
