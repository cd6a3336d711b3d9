"""What clients see of the daemon in each state."""

import pytest

from hearing.messages.common import Health, HealthPart, HealthState
from hearing.messages.control import Notice, NoticeLevel, SttChanged
from hearing_assistant.hearing_facts import Contact, HearingState
from hearing_assistant.hearing_view import changes, view_health, view_stt

MIC = Health(part=HealthPart.MIC, state=HealthState.LISTENING, device="usb")


def _live(*health: Health) -> HearingState:
    return HearingState(contact=Contact.LIVE, health={item.part: item for item in health}, model="tiny.en")


def _stt(state: HealthState, detail: str = "", hint: str = "") -> Health:
    return Health(part=HealthPart.STT, state=state, detail=detail, hint=hint)


def test_before_the_daemon_was_ever_seen_the_hint_says_how_to_start_it() -> None:
    stt = view_stt(HearingState())
    assert (stt.connected, stt.healthy, stt.detail) == (False, False, "no daemon is running")
    assert stt.hint == "start it with `hearing up`"
    (failed,) = view_health(HearingState())
    assert (failed.part, failed.state, failed.hint) == (HealthPart.STT, HealthState.FAILED, stt.hint)


@pytest.mark.parametrize("state", HealthState)
def test_only_a_recognizer_that_can_work_is_healthy(state: HealthState) -> None:
    stt = view_stt(_live(MIC, _stt(state)))
    assert stt.healthy is (state in {HealthState.READY, HealthState.REMOTE})
    assert stt.detail == ("" if stt.healthy else f"the recognizer is `{state}`")


def test_what_the_daemon_says_of_its_recognizer_comes_first() -> None:
    stt = view_stt(_live(MIC, _stt(HealthState.NO_MODEL, "no `tiny.en`", "pull it")))
    assert (stt.connected, stt.detail, stt.hint) == (True, "no `tiny.en`", "pull it")
    assert view_stt(_live(MIC)).detail == "the daemon has not said how its recognizer is"


@pytest.mark.parametrize("contact", [Contact.AWAY, Contact.SILENT])
def test_out_of_contact_every_leg_waits_and_the_recognizer_has_failed(contact: Contact) -> None:
    known = _live(MIC, _stt(HealthState.READY)).health
    seen = view_health(HearingState(contact=contact, health=known))
    assert [(health.part, health.state) for health in seen] == [
        (HealthPart.MIC, HealthState.REOPENING),
        (HealthPart.STT, HealthState.FAILED),
    ]


def test_nothing_changed_is_nothing_told() -> None:
    assert changes(_live(MIC), _live(MIC)) == []


def test_changes_are_told_as_notice_then_parts_then_stt() -> None:
    after = _live(MIC, _stt(HealthState.READY))
    notice, mic, stt, changed = changes(HearingState(), after)
    assert notice == Notice(level=NoticeLevel.INFO, text="the daemon is there", source="daemon")
    assert (mic, stt) == (MIC, _stt(HealthState.READY))
    assert changed == SttChanged(stt=view_stt(after))
