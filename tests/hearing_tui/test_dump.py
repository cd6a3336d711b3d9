"""`--dump` prints every message, waits for an assistant, and cannot drive a terminal."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.errors import UnavailableError
from hearing.messages.common import Transcript
from hearing.messages.control import Subscribe
from hearing.safe_text import safe_text
from hearing.testing.assistant import FakeAssistant
from hearing.types import Channel
from hearing_tui.as_text import as_text
from hearing_tui.dump import as_json, dump
from hearing_tui.link import control_link


def said(text: str) -> Transcript:
    return Transcript(seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=2400, text=text, language="en")


def link(runtime_dir: Path) -> object:
    return control_link(runtime_dir, viewer=False, name="dump")


async def test_every_message_is_a_line_as_it_comes(runtime_dir: Path) -> None:
    lines: asyncio.Queue[str] = asyncio.Queue()
    talk: list[str] = []
    async with FakeAssistant(runtime_dir) as assistant:
        dumping = asyncio.create_task(
            dump(
                control_link(runtime_dir, viewer=False, name="dump"),
                60,
                as_json,
                write=lines.put_nowait,
                talk=talk.append,
            )
        )
        await assistant.asked(Subscribe)
        assistant.play([said("hello")])
        kinds = [json.loads(await asyncio.wait_for(lines.get(), 10))["type"] for _ in range(4)]
        assert kinds == ["hello", "ack", "snapshot", "transcript"]
        assert talk == []
        dumping.cancel()
        await asyncio.gather(dumping, return_exceptions=True)


async def test_it_ends_in_time_and_says_ok(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir):
        one = control_link(runtime_dir, viewer=False, name="dump")
        assert await dump(one, 0.3, as_json, write=lambda _line: None, talk=lambda _line: None) == 0


async def test_it_waits_for_an_assistant_and_says_so_once(runtime_dir: Path) -> None:
    lines: asyncio.Queue[str] = asyncio.Queue()
    talk: asyncio.Queue[str] = asyncio.Queue()
    one = control_link(runtime_dir, viewer=False, name="dump")
    dumping = asyncio.create_task(dump(one, 60, as_json, write=lines.put_nowait, talk=talk.put_nowait))
    assert "waiting for it" in await asyncio.wait_for(talk.get(), 10)
    async with FakeAssistant(runtime_dir):
        assert json.loads(await asyncio.wait_for(lines.get(), 10))["type"] == "hello"
        assert talk.empty()
        dumping.cancel()
        await asyncio.gather(dumping, return_exceptions=True)


async def test_nobody_all_the_time_is_an_error_with_a_hint(runtime_dir: Path) -> None:
    one = control_link(runtime_dir, viewer=False, name="dump")
    with pytest.raises(UnavailableError, match="no assistant") as error:
        await dump(one, 0.05, as_json, write=lambda _line: None, talk=lambda _line: None)
    assert "hearing up" in error.value.hint
    assert error.value.exit_code == 69


@given(st.text())
def test_json_lines_lose_nothing_and_drive_nothing(text: str) -> None:
    line = as_json(said(text))
    assert safe_text(line) == line
    assert "\n" not in line
    assert msgspec.json.decode(line, type=Transcript).text == text


@given(st.text())
def test_text_lines_drive_nothing(text: str) -> None:
    line = as_text(said(text))
    assert line is not None
    assert safe_text(line) == line
    assert "\n" not in line
