"""How soon a dead worker is started again."""

from hearing_daemon.restarts import BUDGET, LONGEST_DELAY_MS, WINDOW_MS, Deaths, delay_ms, died


def deaths_at(*times_ms: int) -> Deaths:
    deaths = Deaths()
    for at_ms in times_ms:
        deaths = died(deaths, at_ms)
    return deaths


def test_after_one_death_it_is_back_at_once() -> None:
    assert delay_ms(deaths_at(0)) == 0


def test_waits_double() -> None:
    assert [delay_ms(deaths_at(*range(count))) for count in (2, 3, 4)] == [500, 1_000, 2_000]


def test_too_many_deaths_in_a_minute_are_hopeless_and_still_tried_again() -> None:
    deaths = deaths_at(*range(BUDGET))
    assert deaths.is_hopeless
    assert delay_ms(deaths) == LONGEST_DELAY_MS


def test_deaths_are_forgotten_after_a_minute() -> None:
    deaths = deaths_at(*range(BUDGET), BUDGET + WINDOW_MS)
    assert not deaths.is_hopeless
    assert delay_ms(deaths) == 0
