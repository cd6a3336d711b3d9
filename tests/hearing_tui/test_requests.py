"""Every question gets its own answer, or an error; none waits for ever."""

import asyncio

import pytest

from hearing.errors import RefusedError, UnavailableError
from hearing.messages.common import Error, Message
from hearing.messages.control import Ack, Listen
from hearing_tui.requests import Requests


class Wire:
    """Keeps what was sent."""

    def __init__(self) -> None:
        self._sent: asyncio.Queue[Message] = asyncio.Queue()
        self.requests = Requests(self._sent.put_nowait, timeout_s=5)

    async def asked(self) -> str:
        """Give the id of the next request, once it is sent."""
        return str(getattr(await self._sent.get(), "request_id", ""))


async def test_an_answer_goes_to_who_asked() -> None:
    wire = Wire()
    asking = asyncio.create_task(wire.requests.ask(Listen(on=False)))
    answer = Ack(command="listen", request_id=await wire.asked())
    assert wire.requests.answered(answer)
    assert await asking == answer
    assert not wire.requests.answered(answer)


async def test_a_refusal_is_raised_with_its_hint() -> None:
    wire = Wire()
    asking = asyncio.create_task(wire.requests.ask(Listen(on=False)))
    wire.requests.answered(
        Error(code="write_failed", message="disk full", hint="x", request_id=await wire.asked())
    )
    with pytest.raises(RefusedError, match="disk full") as refused:
        await asking
    assert (refused.value.code, refused.value.hint) == ("write_failed", "x")


async def test_a_lost_connection_answers_everything() -> None:
    wire = Wire()
    asking = asyncio.create_task(wire.requests.ask(Listen(on=False)))
    await wire.asked()
    wire.requests.lost()
    with pytest.raises(UnavailableError, match="went away"):
        await asking


async def test_no_answer_is_an_error_in_the_end() -> None:
    with pytest.raises(UnavailableError, match="does not answer"):
        await Requests(lambda _message: None, timeout_s=0).ask(Listen(on=False))


async def test_an_answer_nobody_waits_for_is_not_ours() -> None:
    assert not Wire().requests.answered(Ack(command="listen", request_id="tui-9"))
    assert not Wire().requests.answered(Ack(command="subscribe"))
