"""When a child that ended is started again, and when that is given up: pure, time and jitter passed in."""

from dataclasses import dataclass
from typing import Final

from hearing.errors import ExitCode

NEVER_RESTARTED: Final = {
    ExitCode.CONFIG: "its configuration is bad",
    ExitCode.TEMPORARY: "another one is already running",
    ExitCode.USAGE: "its command line is bad",
}
"""Exit statuses that the next start would only repeat."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How much failing is borne: `restarts` within `window_ms`, each after a longer delay.

    A life of at least `healthy_ms` makes the next delay the first again. A child must answer within
    `ready_ms` of its start, and end within `grace_ms` of being asked to.
    """

    restarts: int = 5
    window_ms: int = 60_000
    first_delay_ms: int = 500
    longest_delay_ms: int = 30_000
    healthy_ms: int = 60_000
    ready_ms: int = 30_000
    grace_ms: int = 5_000

    def delay_ms(self, streak: int, jitter: float) -> int:
        """Give the wait after `streak` unhealthy lives (from 1), ± 25 % by `jitter` in [0, 1)."""
        doubled = self.first_delay_ms * 2.0 ** min(streak - 1, 16)
        return round(min(self.longest_delay_ms, doubled) * (0.75 + 0.5 * jitter))


@dataclass(frozen=True, slots=True)
class History:
    """What a child did before: when it was restarted within the window, and unhealthy lives in a row."""

    restarts_ms: tuple[int, ...] = ()
    streak: int = 0


@dataclass(frozen=True, slots=True)
class Restart:
    """Start it again after `delay_ms`."""

    delay_ms: int


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Stop everything: `reason` is for people, `exit_code` for the supervisor's own end."""

    exit_code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Life:
    """A life that ended unasked: its exit status (negative: the signal), its length, when it ended."""

    code: int
    lived_ms: int
    ended_ms: int


def judge(policy: Policy, history: History, life: Life, jitter: float) -> tuple[History, Restart | GiveUp]:
    """Decide what follows an unforeseen end."""
    if life.code in NEVER_RESTARTED:
        return history, GiveUp(life.code, NEVER_RESTARTED[ExitCode(life.code)])
    recent = tuple(at for at in history.restarts_ms if life.ended_ms - at < policy.window_ms)
    if len(recent) >= policy.restarts:
        window_s = policy.window_ms / 1000
        reason = f"it was restarted {len(recent)} times within {window_s:g} s and ended again"
        return history, GiveUp(ExitCode.FAILED, reason)
    streak = 1 if life.lived_ms >= policy.healthy_ms else history.streak + 1
    return History((*recent, life.ended_ms), streak), Restart(policy.delay_ms(streak, jitter))
