"""The worker only posts, and never more than there is room for."""

import asyncio
from pathlib import Path

from hearing.messages.common import Transcript
from hearing.messages.control import Ack, Snapshot, Subscribe
from hearing.testing.assistant import FakeAssistant
from hearing.types import Channel
from hearing_tui.link import control_link, follow
from hearing_tui.view_state import LinkDown, LinkUp


def said(text: str, seg_id: int = 1) -> Transcript:
    return Transcript(seg_id=seg_id, leg=Channel.MIC, start_ms=0, end_ms=9, text=text)


async def test_it_subscribes_and_posts_everything_in_order(runtime_dir: Path) -> None:
    posted: asyncio.Queue[object] = asyncio.Queue()
    async with FakeAssistant(runtime_dir) as assistant:
        link = control_link(runtime_dir, viewer=True, name="tui")
        task = asyncio.create_task(follow(link, posted.put_nowait, asyncio.Semaphore(100)))
        request = await assistant.asked(Subscribe)
        assert isinstance(request, Subscribe)
        assert (request.viewer, request.name) == (True, "tui")
        kinds = [type(await asyncio.wait_for(posted.get(), 10)) for _ in range(3)]
        assert kinds == [LinkUp, Ack, Snapshot]
        await assistant.stop()
        assert isinstance(await asyncio.wait_for(posted.get(), 10), LinkDown)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_it_waits_while_nobody_takes_what_it_posted(runtime_dir: Path) -> None:
    posted: asyncio.Queue[object] = asyncio.Queue()
    room = asyncio.Semaphore(4)
    async with FakeAssistant(runtime_dir) as assistant:
        link = control_link(runtime_dir, viewer=True, name="tui")
        task = asyncio.create_task(follow(link, posted.put_nowait, room))
        await assistant.asked(Subscribe)
        assistant.play(said(f"{n}", n) for n in range(20))
        taken = [await asyncio.wait_for(posted.get(), 10) for _ in range(4)]
        for _ in range(100):
            await asyncio.sleep(0)
        assert posted.empty(), "it posted more than there was room for"
        for _ in range(19):
            room.release()
            taken.append(await asyncio.wait_for(posted.get(), 10))
        assert [item.text for item in taken if isinstance(item, Transcript)] == [f"{n}" for n in range(20)]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
