"""What is wrong, in a sentence with the way out: state in, banners out, worst first. Pure."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from hearing.messages.common import Health, HealthPart, HealthState
from hearing_tui.view_state import LinkState, ViewState

START: Final = "start it with `hearing up`"


class Level(IntEnum):
    """How bad it is; the order is the order on screen."""

    ERROR = 0
    WARNING = 1
    INFO = 2


@dataclass(frozen=True, slots=True, order=True)
class Banner:
    """One line above the transcript; `hint` is the next thing to do, or ""."""

    level: Level
    text: str
    hint: str = ""


MUTED: Final = Banner(Level.WARNING, "muted: nothing is heard", "press `l` to listen")

_LEG_NAMES: Final = {HealthPart.MIC: "microphone", HealthPart.SYSTEM: "system audio"}

LEG_BANNERS: Final[dict[HealthState, tuple[Level, str, str]]] = {
    HealthState.NO_DEVICE: (
        Level.ERROR,
        "no {part}: nothing to listen to",
        "plug one in, or see `hearing devices`",
    ),
    HealthState.NO_SIGNAL: (
        Level.WARNING,
        "the {part} gives nothing but silence",
        "is it switched off or muted at the device?",
    ),
    HealthState.DEGRADED: (Level.WARNING, "the {part} loses sound", ""),
    HealthState.REOPENING: (Level.WARNING, "the {part} is gone: reopening it", ""),
    HealthState.FAILED: (Level.ERROR, "nothing comes from the {part}", "see `hearing doctor`"),
    HealthState.ENDED: (Level.INFO, "the source has ended: everything in it was heard", ""),
}

STT_BANNERS: Final[dict[HealthState, tuple[Level, str, str]]] = {
    HealthState.NO_MODEL: (Level.ERROR, "no speech model", "fetch one with `hearing models pull tiny.en`"),
    HealthState.FAILED: (Level.ERROR, "the recognizer failed", "see `hearing doctor`"),
    HealthState.RESTARTING: (Level.WARNING, "the recognizer restarts: words will be late", ""),
    HealthState.LOADING: (Level.INFO, "loading the speech model: words will come in a moment", ""),
    HealthState.REMOTE: (Level.INFO, "recognition is remote: audio leaves this machine", ""),
}


def banners(state: ViewState) -> list[Banner]:
    """Give one banner per thing that is wrong, worst first; an empty list means all is well.

    Without the assistant, and then without the daemon, nothing else is known: only that is said.
    """
    if state.link is not LinkState.UP:
        return _link(state)
    if state.stt is not None and not state.stt.connected:
        detail = f": {state.stt.detail}" if state.stt.detail else ""
        sentence = f"the daemon is not there: nobody listens{detail}"
        return [Banner(Level.ERROR, sentence, state.stt.hint or START)]
    found = [banner for health in state.health.values() if (banner := _part(health))]
    if state.muted:
        found.append(MUTED)
    elif state.stt is not None and not state.stt.healthy and not found:
        detail = state.stt.detail or "no sign of life from the daemon"
        found.append(Banner(Level.WARNING, f"recognition is not healthy: {detail}", state.stt.hint))
    return sorted(found)


def _link(state: ViewState) -> list[Banner]:
    reason = f" ({state.link_reason})" if state.link_reason else ""
    match state.link:
        case LinkState.ABSENT:
            return [Banner(Level.ERROR, f"the assistant is not running{reason}", START)]
        case LinkState.LOST:
            sentence = f"the assistant is lost{reason}: reconnecting, try {state.attempt}"
            return [Banner(Level.ERROR, sentence, START)]
        case LinkState.SILENT:
            hint = "if this lasts, `hearing down` and `hearing up` start it anew"
            return [Banner(Level.ERROR, "the assistant does not answer", hint)]
        case _:
            return [Banner(Level.INFO, "looking for the assistant…")]


def _part(health: Health) -> Banner | None:
    row = (STT_BANNERS if health.part is HealthPart.STT else LEG_BANNERS).get(health.state)
    if row is None:
        return None
    level, sentence, hint = row
    text = sentence.format(part=_LEG_NAMES.get(health.part, ""))
    named = f"{text} ({health.device})" if health.device and health.part is not HealthPart.STT else text
    return Banner(level, f"{named}: {health.detail}" if health.detail else named, health.hint or hint)
