"""Promise 55, the TUI's own part: the terminal is given back after every end but SIGKILL."""

import signal
import sys
from pathlib import Path

import pytest

from hearing.testing.assistant import FakeAssistant
from hearing.testing.terminal import Terminal

TUI = [sys.executable, "-m", "hearing_tui"]
CRASH = """
import sys
import hearing_tui.app

def crash(state, message):
    raise ZeroDivisionError("on purpose")

hearing_tui.app.update = crash
sys.argv = ["hearing-tui"]
from hearing_tui.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_it_well(runtime_dir: Path, signum: int) -> None:
    async with FakeAssistant(runtime_dir), Terminal(TUI) as terminal:
        await terminal.shows("stt ready")
        assert terminal.restored(), "nothing was changed, so nothing is shown by this test"
        terminal.signal(signum)
        assert await terminal.ended() == 0
        assert terminal.restored() == []


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_while_it_starts_ends_it_well(signum: int) -> None:
    async with Terminal(TUI) as terminal:
        await terminal.until(lambda: b"\x1b[?1049h" in terminal.output)
        terminal.signal(signum)
        assert await terminal.ended() == 0
        assert terminal.restored() == []


@pytest.mark.parametrize("key", ["q", "\x03"])
async def test_a_key_ends_it_well(key: str) -> None:
    async with Terminal(TUI) as terminal:
        await terminal.shows("not running")
        terminal.press(key)
        assert await terminal.ended() == 0
        assert terminal.restored() == []


async def test_a_crash_restores_first_and_then_says_what_happened() -> None:
    async with Terminal([sys.executable, "-c", CRASH]) as terminal:
        assert await terminal.ended() == 70
        assert terminal.restored() == []
        after = bytes(terminal.output).rpartition(b"\x1b[?1049l")[2].decode()
        assert "ZeroDivisionError: on purpose" in after
        assert "locals" not in after


async def test_after_a_stop_and_a_go_on_the_terminal_is_still_the_one_it_was(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir), Terminal(TUI) as terminal:
        await terminal.shows("stt ready")
        terminal.signal(signal.SIGSTOP)
        terminal.signal(signal.SIGCONT)
        terminal.press("?")
        await terminal.shows("a voice that is known")
        terminal.signal(signal.SIGTERM)
        assert await terminal.ended() == 0
        assert terminal.restored() == []


async def test_a_terminal_that_goes_away_ends_it_soon(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir), Terminal(TUI) as terminal:
        await terminal.shows("stt ready")
        terminal.hang_up()
        assert await terminal.ended(deadline_s=10) is not None
