"""Every unhealthy state says so, with the way out; a healthy one says nothing."""

import pytest

from hearing.messages.common import Health, HealthPart, HealthState
from hearing.messages.control import SttStatus
from hearing_tui.banners import Level, banners
from hearing_tui.view_state import LinkDown, LinkSilent, LinkUp, ViewState, update

HEALTHY = SttStatus(connected=True, healthy=True)
FINE = {HealthState.STARTING, HealthState.LISTENING, HealthState.QUIET, HealthState.READY}
STT_STATES = [state for state in HealthState if list(HealthState).index(state) >= 9]
LEG_STATES = [state for state in HealthState if state not in STT_STATES or state is HealthState.FAILED]


def connected(*health: Health, stt: SttStatus = HEALTHY) -> ViewState:
    state = ViewState(stt=stt)
    for message in (LinkUp(True), *health):
        state = update(state, message)
    return state


def said(state: ViewState) -> str:
    return "\n".join(f"{banner.text} | {banner.hint}" for banner in banners(state))


def test_all_well_says_nothing() -> None:
    health = [
        Health(part=HealthPart.MIC, state=HealthState.LISTENING),
        Health(part=HealthPart.STT, state=HealthState.READY),
    ]
    assert banners(connected(*health)) == []


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "looking for the assistant"),
        ([LinkDown("connection refused", 1)], "the assistant is not running (connection refused)"),
        ([LinkUp(True), LinkDown("closed", 3)], "the assistant is lost (closed): reconnecting, try 3"),
        ([LinkUp(True), LinkSilent(5.0)], "the assistant does not answer"),
    ],
)
def test_the_link_speaks_first(messages: list[object], words: str) -> None:
    state = ViewState()
    for message in messages:
        state = update(state, message)
    assert words in said(state)


def test_without_a_daemon_only_that_is_said_with_its_hint() -> None:
    gone = SttStatus(connected=False, healthy=False, detail="connection refused", hint="run it")
    state = connected(Health(part=HealthPart.MIC, state=HealthState.NO_DEVICE), stt=gone)
    assert said(state) == "the daemon is not there: nobody listens: connection refused | run it"


@pytest.mark.parametrize("part", [HealthPart.MIC, HealthPart.SYSTEM])
@pytest.mark.parametrize("state", LEG_STATES)
def test_every_state_of_a_leg_is_fine_or_has_a_banner(part: HealthPart, state: HealthState) -> None:
    assert bool(banners(connected(Health(part=part, state=state)))) is (state not in FINE)


@pytest.mark.parametrize("state", STT_STATES)
def test_every_state_of_the_recognizer_is_fine_or_has_a_banner(state: HealthState) -> None:
    assert bool(banners(connected(Health(part=HealthPart.STT, state=state)))) is (state not in FINE)


def test_a_recording_that_cannot_be_read_has_a_banner_of_its_own() -> None:
    health = Health(part=HealthPart.MIC, state=HealthState.FAILED, device="g.mp3", detail="no sound in it")
    assert said(connected(health)).startswith("nothing comes from the microphone (g.mp3): no sound in it")


def test_a_recording_that_is_over_is_not_called_a_microphone() -> None:
    health = Health(part=HealthPart.MIC, state=HealthState.ENDED, device="talk.mp3")
    assert said(connected(health)).startswith("the source has ended: everything in it was heard (talk.mp3)")


def test_the_senders_hint_device_and_detail_are_shown() -> None:
    health = Health(
        part=HealthPart.MIC,
        state=HealthState.NO_DEVICE,
        device="USB mic",
        detail="busy",
        hint="close the call",
    )
    assert said(connected(health)) == "no microphone: nothing to listen to (USB mic): busy | close the call"


def test_the_worst_comes_first() -> None:
    state = connected(
        Health(part=HealthPart.STT, state=HealthState.LOADING),
        Health(part=HealthPart.SYSTEM, state=HealthState.NO_SIGNAL),
        Health(part=HealthPart.MIC, state=HealthState.NO_DEVICE),
    )
    assert [banner.level for banner in banners(state)] == [Level.ERROR, Level.WARNING, Level.INFO]


def test_muted_is_said_once_with_the_key() -> None:
    state = connected(Health(part=HealthPart.MIC, state=HealthState.MUTED))
    assert said(state) == "muted: nothing is heard | press `l` to listen"


def test_unhealthy_for_no_stated_reason_is_still_said() -> None:
    state = connected(stt=SttStatus(connected=True, healthy=False))
    assert "recognition is not healthy" in said(state)
