"""Promise 54: a child that crashes again and again is given up after 5 restarts in 60 s, with the reason."""

import os
import signal
from typing import Any

from hearing.testing.processes import started
from hearing.testing.terminal import Terminal
from hearing_cli.up.policy import GiveUp, History, Life, Policy, Restart, judge


def test_the_figure_is_five_restarts_in_sixty_seconds() -> None:
    history, verdicts = History(), []
    for at_s in (0, 1, 3, 6, 11, 59, 61, 62):
        history, verdict = judge(Policy(), history, Life(1, lived_ms=300, ended_ms=at_s * 1000), jitter=0.5)
        verdicts.append(type(verdict))
    assert verdicts[:5] == [Restart] * 5
    assert verdicts[5] is GiveUp
    assert verdicts[7] is Restart  # by then the first two lie more than 60 s back


def test_a_crash_looping_daemon_ends_the_stack_with_its_last_words_and_the_reason(fake_stack: Any) -> None:
    with started(fake_stack.argv("--daemon=--die 3")) as supervisor:
        _, said = supervisor.communicate(timeout=30)
    assert supervisor.returncode == 1
    assert fake_stack.log() == ["daemon start"] * 6
    assert "   daemon | daemon cannot go on\n" in said
    assert "daemon ended with exit status 3: it was restarted 5 times within 60 s and ended again" in said


async def test_under_a_tui_the_last_words_and_the_reason_are_shown_once_the_terminal_is_back(
    fake_stack: Any,
) -> None:
    async with Terminal(fake_stack.argv("--tui")) as terminal:
        await terminal.until(fake_stack.has_started("tui"))
        drawn = len(terminal.output)
        for life in range(1, 7):
            await terminal.until(fake_stack.has_started("daemon", life))
            os.kill(fake_stack.pids("daemon")[-1], signal.SIGKILL)
        assert await terminal.ended() == 1
    left = terminal.output.index(b"\x1b[?1049l", drawn)
    assert b"daemon" not in terminal.output[drawn:left]
    assert b"   daemon | daemon says hello" in terminal.output[left:]
    assert b"restarted 5 times within 60 s and ended again" in terminal.output[left:]
