"""Promise 53: TERM, INT, HUP (and QUIT) stop the stack within 5 s, in reverse order, with exit status 0."""

import signal
import time
from typing import Any

import pytest

from hearing.testing.processes import is_alive, started, wait_for
from hearing.testing.terminal import Terminal

LIMIT_S = 5.0
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]


@pytest.mark.parametrize("signum", SIGNALS, ids=lambda signum: signum.name)
def test_without_a_tui(fake_stack: Any, signum: signal.Signals) -> None:
    with started(fake_stack.argv()) as supervisor:
        wait_for(fake_stack.has_started("assistant"), "assistant")
        asked_s = time.monotonic()
        supervisor.send_signal(signum)
        assert supervisor.wait(LIMIT_S) == 0
        assert time.monotonic() - asked_s <= LIMIT_S
        assert fake_stack.log()[2:] == ["assistant end", "daemon end"]
        assert not any(map(is_alive, fake_stack.pids()))


@pytest.mark.parametrize("signum", SIGNALS[:3], ids=lambda signum: signum.name)
async def test_with_a_tui(fake_stack: Any, signum: signal.Signals) -> None:
    async with Terminal(fake_stack.argv("--tui")) as terminal:
        await terminal.until(fake_stack.has_started("tui"))
        terminal.signal(signum)
        assert await terminal.ended(deadline_s=LIMIT_S) == 0
        assert fake_stack.log()[3:] == ["tui end", "assistant end", "daemon end"]


async def test_leaving_the_tui_is_a_clean_stop(fake_stack: Any) -> None:
    async with Terminal(fake_stack.argv("--tui")) as terminal:
        await terminal.shows("FAKE TUI")
        terminal.press("q")
        assert await terminal.ended(deadline_s=LIMIT_S) == 0
        assert fake_stack.log()[3:] == ["tui end", "assistant end", "daemon end"]
