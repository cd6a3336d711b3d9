"""The scripted assistant answers as an assistant does."""

import asyncio
from pathlib import Path

from hearing import paths
from hearing.messages import control
from hearing.messages.common import Error, Transcript
from hearing.protocol import CONTROL
from hearing.testing.assistant import FakeAssistant
from hearing.testing.daemon import said
from hearing.transport.client import Link, Up


def _link(runtime_dir: Path, *requests: control.Request) -> Link[control.ControlMessage]:
    return Link(runtime_dir / paths.ASSISTANT_SOCKET, CONTROL, opening=lambda: requests)


async def _take(link: Link[control.ControlMessage], count: int) -> list[object]:
    items: list[object] = []
    stream = link.stream()
    async with asyncio.timeout(10):
        async for item in stream:
            if not isinstance(item, Up):
                items.append(item)
            if len(items) == count:
                break
    await stream.aclose()
    return items


async def test_a_subscriber_gets_ack_snapshot_recent_lines(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as fake:
        fake.play(said("hello there"))
        ack, snapshot, line = await _take(_link(runtime_dir, control.Subscribe(viewer=True)), 3)
        request = await fake.asked(control.Subscribe)
    assert ack == control.Ack(command="subscribe")
    assert isinstance(snapshot, control.Snapshot)
    assert isinstance(line, Transcript)
    assert line.text == "hello there"
    assert request == control.Subscribe(viewer=True)


async def test_answers_can_be_scripted(runtime_dir: Path) -> None:
    refusal = Error(code="write_failed", message="disk full")
    async with FakeAssistant(runtime_dir) as fake:
        fake.answers[control.Listen] = refusal
        (answer,) = await _take(_link(runtime_dir, control.Listen(on=False)), 1)
    assert answer == refusal


async def test_status_answers_with_its_request_id(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir):
        (answer,) = await _take(_link(runtime_dir, control.StatusGet(request_id="a1")), 1)
    assert isinstance(answer, control.Status)
    assert answer.request_id == "a1"
    assert answer.stt.healthy
