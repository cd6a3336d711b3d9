"""What the TUI's tests share: messages with few words, and the screen as text."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from hearing.messages.common import Transcript
from hearing.types import Channel
from hearing_tui.app import HearingApp
from hearing_tui.entries import Spoken, spoken

Say = Callable[..., Transcript]


@pytest.fixture
def say() -> Say:
    """Make a transcript out of its text and whatever else matters to the test."""

    def made(text: str, **fields: object) -> Transcript:
        known: dict[str, object] = {"seg_id": 1, "leg": Channel.MIC, "start_ms": 0, "end_ms": 2_400}
        known |= {"language": "en", "ts": "2026-01-02T03:04:08.078+01:00"} | fields
        return Transcript(text=text, **known)  # type: ignore[arg-type]

    return made


@pytest.fixture
def entry(say: Say) -> Callable[..., Spoken]:
    """Make an entry of the history."""
    return lambda text, **fields: spoken(say(text, **fields))


@pytest.fixture
def screen() -> Callable[[HearingApp], str]:
    """Read what is on the screen, a line per row, without the blanks at its end."""

    def read(app: HearingApp) -> str:
        strips = app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    return read


@pytest.fixture
def until() -> Callable[[Pilot[Any], Callable[[], bool]], Awaitable[None]]:
    """Wait until something is so, letting the app work, under a generous deadline."""

    async def wait(pilot: Pilot[Any], so: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not so():
                await pilot.pause(0.01)

    return wait
