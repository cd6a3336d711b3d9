"""Promise 52: after SIGKILL of the supervisor no orphan is left, and the microphone is free within 3 s."""

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hearing import paths
from hearing.testing.processes import descendants, is_alive, started, wait_for
from hearing.testing.pulse import Pulse, pulse_server
from hearing_cli.down_command import is_held

LIMIT_S = 3.0
LOCKS = ("hearing-daemon.lock", "hearing-assistant.lock", paths.UP_LOCK)


def held_locks(runtime_dir: Path) -> list[str]:
    return [name for name in LOCKS if is_held(runtime_dir / name)]


def recordings(pulse: Pulse) -> list[str]:
    """List who records from the server now."""
    return pulse.pactl("list", "short", "source-outputs").splitlines()


def test_the_real_stack_on_a_real_microphone_is_gone_with_its_supervisor(
    home: Path, runtime_dir: Path, real_models: Path
) -> None:
    with pulse_server(home / "pulse") as pulse:
        before = recordings(pulse)  # the virtual microphone itself is one
        argv = [sys.executable, "-m", "hearing_cli", "up", "--mic", "auto"]
        with started(argv, env={**os.environ, **pulse.env}) as supervisor:
            assert supervisor.stderr is not None
            waiting = {"listening on", "model ready", "assistant ready"}
            while waiting:
                line = supervisor.stderr.readline()
                assert line, f"ended without: {waiting}"
                waiting = {words for words in waiting if words not in line}
            family = descendants(supervisor.pid)
            assert len(family) >= 4, "daemon, assistant, recognizer, recorder"
            assert len(recordings(pulse)) == len(before) + 1
            supervisor.kill()
            killed_s = time.monotonic()
            wait_for(
                lambda: (
                    not any(map(is_alive, family))
                    and recordings(pulse) == before
                    and not held_locks(runtime_dir)
                ),
                f"end of {family}",
                timeout_s=LIMIT_S,
            )
            assert time.monotonic() - killed_s <= LIMIT_S


@pytest.mark.parametrize("seed", [1])
def test_chaos_of_kills_leaves_nobody_behind(
    home: Path, runtime_dir: Path, fake_stack: Any, seed: int
) -> None:
    chaos(runtime_dir, fake_stack, seed=seed, rounds=4)


@pytest.mark.long
def test_a_long_chaos_of_kills_leaves_nobody_behind(home: Path, runtime_dir: Path, fake_stack: Any) -> None:
    chaos(runtime_dir, fake_stack, seed=2, rounds=200)


def chaos(runtime_dir: Path, fake_stack: Any, *, seed: int, rounds: int) -> None:
    """Kill children at random moments, then the supervisor at one; nobody and nothing may be left."""
    chance = random.Random(seed)
    for _ in range(rounds):
        fake_stack.path.unlink(missing_ok=True)
        with started(fake_stack.argv("--daemon=--grandchild=ours")) as supervisor:
            for _ in range(chance.randrange(4)):
                wait_for(fake_stack.pids, "a child")
                victim = chance.choice(fake_stack.pids())
                time.sleep(chance.random() * 0.3)  # chance, not waiting: any moment will do
                if is_alive(victim):
                    os.kill(victim, chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]))
            time.sleep(chance.random() * 0.5)
            supervisor.kill()
            wait_for(
                lambda: not left_of(fake_stack) and not held_locks(runtime_dir),
                f"seed {seed}: end of all",
                timeout_s=LIMIT_S,
            )


def left_of(fake_stack: Any) -> list[int]:
    return [pid for pid in fake_stack.pids() if is_alive(pid)]
