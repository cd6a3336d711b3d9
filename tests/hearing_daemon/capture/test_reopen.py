"""The table of a leg, cell by cell."""

import itertools

import pytest

from hearing.messages.common import HealthState
from hearing_daemon.capture import reopen
from hearing_daemon.capture.reopen import Effect, Event, State

FINAL = {State.ENDED, State.FAILED}
HAS_SOURCE = {State.OPENING, State.LISTENING, State.REOPENING, State.SEEKING}


def test_every_state_has_a_row_and_a_health() -> None:
    assert set(reopen.TABLE) == set(reopen.HEALTH) == set(State)


def test_every_cell_is_either_filled_or_one_error_that_names_both() -> None:
    for state, event in itertools.product(State, Event):
        if event in reopen.TABLE[state]:
            assert reopen.step(state, event) == reopen.TABLE[state][event]
            continue
        with pytest.raises(reopen.ImpossibleStepError, match=f"leg is `{state}`: `{event}` cannot happen"):
            reopen.step(state, event)


@pytest.mark.parametrize("state", sorted(set(State) - FINAL - {State.MUTED}))
def test_every_state_can_be_muted_and_nothing_stays_open_unasked(state: State) -> None:
    after, effects = reopen.step(state, Event.MUTE)
    assert after is State.MUTED
    assert (Effect.MUTE in effects) == (state in HAS_SOURCE)


@pytest.mark.parametrize("state", sorted(HAS_SOURCE))
def test_a_broken_device_is_closed_and_tried_again_for_ever(state: State) -> None:
    after, effects = reopen.step(state, Event.BROKE)
    assert effects == (Effect.CLOSE,)
    assert after not in FINAL
    _, effects = reopen.step(after, Event.RETRY)
    assert effects == (Effect.OPEN,)


@pytest.mark.parametrize("state", sorted(State))
def test_only_sound_makes_a_leg_listen(state: State) -> None:
    for event, (after, _) in reopen.TABLE[state].items():
        assert (after is State.LISTENING) == (event is Event.SOUND)


@pytest.mark.parametrize("state", sorted(FINAL))
def test_what_has_ended_stays_ended(state: State) -> None:
    assert reopen.TABLE[state] == {}


def test_tries_in_vain_show_one_health_so_that_nothing_flickers() -> None:
    assert reopen.HEALTH[State.ABSENT] is reopen.HEALTH[State.SEEKING] is HealthState.NO_DEVICE
    assert reopen.HEALTH[State.LOST] is reopen.HEALTH[State.REOPENING] is HealthState.REOPENING


def test_waits_double_from_half_a_second_to_ten() -> None:
    assert [reopen.wait_ms(n) for n in range(1, 8)] == [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]
    assert reopen.wait_ms(10_000) == 10_000
