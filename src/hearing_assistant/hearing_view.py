"""What clients see of the daemon, and what they are told when that changes. Pure."""

from typing import Final

import msgspec

from hearing.messages.common import Health, HealthPart, HealthState
from hearing.messages.control import Notice, NoticeLevel, SttChanged, SttStatus
from hearing_assistant.hearing_facts import Contact, Effect, HearingState

_WELL = {HealthState.READY, HealthState.REMOTE}

_NOTICES: Final[dict[tuple[Contact, Contact], tuple[NoticeLevel, str]]] = {
    (Contact.AWAY, Contact.LIVE): (NoticeLevel.INFO, "the daemon is there"),
    (Contact.SILENT, Contact.LIVE): (NoticeLevel.INFO, "the daemon speaks again"),
    (Contact.LIVE, Contact.AWAY): (NoticeLevel.WARNING, "the daemon is gone"),
    (Contact.SILENT, Contact.AWAY): (NoticeLevel.WARNING, "the daemon is gone"),
    (Contact.LIVE, Contact.SILENT): (NoticeLevel.WARNING, "the daemon hangs"),
}


def view_health(state: HearingState) -> list[Health]:
    """Give each part's health as clients see it: a daemon out of reach has no healthy part."""
    if state.contact is Contact.LIVE:
        return list(state.health.values())
    legs = [part for part in state.health if part is not HealthPart.STT]
    away = [Health(part=leg, state=HealthState.REOPENING, detail="waiting for the daemon") for leg in legs]
    return [*away, Health(part=HealthPart.STT, state=HealthState.FAILED, detail=state.why, hint=state.hint)]


def view_stt(state: HearingState) -> SttStatus:
    """Give the recognizer in one answer; `healthy` is connected, beating, and able to recognize."""
    live = state.contact is Contact.LIVE
    stt = state.health.get(HealthPart.STT) if live else None
    return SttStatus(
        connected=state.contact is not Contact.AWAY,
        healthy=stt is not None and stt.state in _WELL,
        model=state.model,
        muted=state.muted,
        backlog=state.backlog,
        detail=_stt_detail(stt) if live else state.why,
        hint=(stt.hint if stt else "") if live else state.hint,
    )


def _stt_detail(stt: Health | None) -> str:
    if stt is None:
        return "the daemon has not said how its recognizer is"
    return stt.detail or ("" if stt.state in _WELL else f"the recognizer is `{stt.state}`")


def changes(before: HearingState, after: HearingState) -> list[Effect]:
    """Compare the two views: a notice, the health of each changed part, then `stt`."""
    effects: list[Effect] = []
    if notice := _NOTICES.get((before.contact, after.contact)):
        level, text = notice
        reason = "" if after.contact is Contact.LIVE else f": {after.why}"
        effects.append(Notice(level=level, text=text + reason, source="daemon"))
    seen = {health.part: health for health in view_health(before)}
    effects += [health for health in view_health(after) if seen.pop(health.part, None) != health]
    effects += [Health(part=part, state=HealthState.ENDED, detail="not captured any more") for part in seen]
    before_stt, after_stt = (msgspec.structs.replace(view_stt(s), backlog=0) for s in (before, after))
    if before_stt != after_stt:
        effects.append(SttChanged(stt=view_stt(after)))
    return effects
