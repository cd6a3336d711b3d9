"""Restarts: how many, how soon, and when never."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing_cli.up.policy import GiveUp, History, Life, Policy, Restart, judge

POLICY = Policy()


def run_lives(*lives: Life, jitter: float = 0.5) -> list[Restart | GiveUp]:
    """Judge one end after another."""
    history, verdicts = History(), []
    for life in lives:
        history, verdict = judge(POLICY, history, life, jitter)
        verdicts.append(verdict)
    return verdicts


def test_delays_double_from_half_a_second_to_thirty() -> None:
    assert [POLICY.delay_ms(streak, 0.5) for streak in (1, 2, 3, 6, 7, 8, 1000)] == [
        500,
        1000,
        2000,
        16_000,
        30_000,
        30_000,
        30_000,
    ]


@given(st.integers(1, 100), st.floats(0, 1, exclude_max=True))
def test_jitter_stays_within_a_quarter(streak: int, jitter: float) -> None:
    middle = POLICY.delay_ms(streak, 0.5)
    assert 0.75 * middle - 1 <= POLICY.delay_ms(streak, jitter) <= 1.25 * middle + 1


def test_five_restarts_within_a_minute_are_borne_and_the_sixth_end_is_not() -> None:
    ends = [Life(code=1, lived_ms=100, ended_ms=at) for at in range(0, 60_000, 10_000)]
    *borne, last = run_lives(*ends)
    assert all(isinstance(verdict, Restart) for verdict in borne)
    assert last == GiveUp(1, "it was restarted 5 times within 60 s and ended again")


def test_ends_a_minute_apart_are_borne_for_ever() -> None:
    ends = [Life(code=-9, lived_ms=59_000, ended_ms=at) for at in range(0, 6_000_000, 13_000)]
    assert all(isinstance(verdict, Restart) for verdict in run_lives(*ends))


def test_a_healthy_minute_makes_the_next_delay_short_again() -> None:
    verdicts = run_lives(
        Life(code=1, lived_ms=10, ended_ms=0),
        Life(code=1, lived_ms=10, ended_ms=1_000),
        Life(code=1, lived_ms=60_000, ended_ms=62_000),
        Life(code=1, lived_ms=10, ended_ms=63_000),
    )
    assert verdicts == [Restart(500), Restart(1000), Restart(500), Restart(1000)]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (78, "its configuration is bad"),
        (75, "another one is already running"),
        (2, "its command line is bad"),
    ],
)
def test_what_the_next_start_would_repeat_is_never_restarted(code: int, reason: str) -> None:
    assert run_lives(Life(code=code, lived_ms=3_600_000, ended_ms=0)) == [GiveUp(code, reason)]


@given(st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 30_000)), max_size=200))
def test_no_window_ever_holds_more_restarts_than_allowed(lives: list[tuple[int, int]]) -> None:
    history, now_ms, restarts = History(), 0, []
    for lived_ms, pause_ms in lives:
        now_ms += lived_ms + pause_ms
        history, verdict = judge(POLICY, history, Life(1, lived_ms, now_ms), 0.5)
        if isinstance(verdict, Restart):
            restarts.append(now_ms)
    for start in restarts:
        assert sum(start <= at < start + POLICY.window_ms for at in restarts) <= POLICY.restarts
    assert len(history.restarts_ms) <= POLICY.restarts
