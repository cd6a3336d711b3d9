"""Promise 55, under `up`: the terminal is restored whatever ends the TUI, within 1 s after SIGKILL."""

import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hearing import paths
from hearing.testing.processes import is_alive
from hearing.testing.terminal import Terminal

LIMIT_S = 1.0


@asynccontextmanager
async def up(fake_stack: Any, *options: str) -> AsyncIterator[Terminal]:
    """Run the stack until its TUI has changed everything that a TUI changes."""
    async with Terminal(fake_stack.argv("--tui", *options)) as terminal:
        await terminal.shows("FAKE TUI")
        await terminal.until(fake_stack.has_started("tui"))
        assert len(terminal.restored()) >= 7
        yield terminal


@pytest.mark.parametrize(
    "signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda signum: signum.name
)
async def test_after_a_signal(fake_stack: Any, signum: signal.Signals) -> None:
    async with up(fake_stack) as terminal:
        terminal.signal(signum)
        assert await terminal.ended() == 0
        assert terminal.restored() == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [("companion", b"ZeroDivisionError: a bug"), ("loop", b"LookupError: `daemon` in `ready` has no cell")],
)
async def test_after_a_fault_of_the_supervisor_itself(fake_stack: Any, fault: str, said: bytes) -> None:
    async with Terminal(fake_stack.argv("--tui", f"--fault={fault}")) as terminal:
        assert await terminal.ended() == 70
        assert terminal.restored() == []
        left = terminal.output.rindex(b"\x1b[?1049l")
        assert said in terminal.output[left:]
        assert not any(map(is_alive, fake_stack.pids()))


async def test_within_a_second_of_sigkill_of_the_tui_and_then_it_is_drawn_again(fake_stack: Any) -> None:
    async with up(fake_stack, "--delay-ms=1500") as terminal:
        os.kill(fake_stack.pids("tui")[0], signal.SIGKILL)
        killed_s = time.monotonic()
        await terminal.until(lambda: terminal.restored() == [], deadline_s=LIMIT_S)
        assert time.monotonic() - killed_s <= LIMIT_S
        await terminal.until(fake_stack.has_started("tui", 2))
        await terminal.until(lambda: terminal.restored() != [])
        terminal.press("q")
        assert await terminal.ended() == 0
        assert terminal.restored() == []


async def test_after_a_tui_that_crashed_without_manners(fake_stack: Any) -> None:
    async with up(fake_stack, "--delay-ms=500") as terminal:
        terminal.press("x")
        await terminal.until(lambda: terminal.restored() == [])
        await terminal.until(fake_stack.has_started("tui", 2))
        terminal.press("q")
        assert await terminal.ended() == 0
        assert terminal.restored() == []


async def test_after_sigkill_of_the_supervisor_the_tui_leaves_by_itself(
    fake_stack: Any, runtime_dir: Path
) -> None:
    shell = ["sh", "-c", '"$@"; read _', "sh"]  # the session must outlive the supervisor, as a user's does
    async with Terminal([*shell, *fake_stack.argv("--tui")]) as terminal:
        await terminal.until(fake_stack.has_started("tui"))
        os.kill(int((runtime_dir / paths.UP_LOCK).read_text()), signal.SIGKILL)
        await terminal.until(lambda: not any(map(is_alive, fake_stack.pids())), deadline_s=3.0)
        await terminal.until(lambda: terminal.restored() == [], deadline_s=LIMIT_S)


async def test_keys_and_resizes_reach_the_tui(fake_stack: Any) -> None:
    async with up(fake_stack) as terminal:
        terminal.press("k")
        await terminal.until(lambda: b"KEY k" in terminal.output)
        terminal.resize(77, 21)
        await terminal.until(lambda: b"SIZE 77x21" in terminal.output)
        terminal.press("q")
        assert await terminal.ended() == 0
