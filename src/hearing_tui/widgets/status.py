"""The line under the transcript: a level meter and a state per leg, the recognizer, the model."""

from textual.content import Content
from textual.widget import Widget

from hearing.messages.common import Health, HealthPart, HealthState
from hearing.types import Channel
from hearing_tui.labels import LEG_PARTS, LEGS, level_cells, level_text
from hearing_tui.view_state import LinkState, ViewState

_METER_CELLS = 12
_NARROW = 70
_COLOURS = {
    HealthState.LISTENING: "$text-success",
    HealthState.READY: "$text-success",
    HealthState.NO_DEVICE: "bold $text-error",
    HealthState.NO_MODEL: "bold $text-error",
    HealthState.FAILED: "bold $text-error",
    HealthState.NO_SIGNAL: "$text-warning",
    HealthState.DEGRADED: "$text-warning",
    HealthState.REOPENING: "$text-warning",
    HealthState.RESTARTING: "$text-warning",
    HealthState.MUTED: "bold $text-warning",
}


class StatusLine(Widget):
    """Draws health and levels; empty while nobody tells us anything."""

    def __init__(self) -> None:
        super().__init__(id="status")
        self._state = ViewState()

    def show(self, state: ViewState) -> None:
        """Take the state as it now is; nothing is drawn when none of it shows here."""
        old, self._state = self._state, state
        if (old.levels, old.health, old.stt, old.link) != (state.levels, state.health, state.stt, state.link):
            self.refresh()

    def render(self) -> Content:
        """Put the parts on one line."""
        if self._state.link is not LinkState.UP:
            return Content.styled("not connected", "dim")
        parts = [self._leg(leg) for leg in Channel if LEG_PARTS[leg] in self._state.health]
        parts.append(self._stt())
        return Content("   ").join(parts)

    def _leg(self, leg: Channel) -> Content:
        dbfs = self._state.levels.get(leg)
        cells = _METER_CELLS if self.size.width >= _NARROW else _METER_CELLS // 2
        filled = level_cells(dbfs, cells)
        return Content.assemble(
            (LEGS[leg], f"bold {'$text-accent' if leg.is_me else '$text-secondary'}"),
            " ",
            *_meter(filled, cells),
            " ",
            (f"{level_text(dbfs)} " if self.size.width >= _NARROW else "", "dim"),
            _state_of(self._state.health[LEG_PARTS[leg]]),
        )

    def _stt(self) -> Content:
        health = self._state.health.get(HealthPart.STT)
        model = self._state.stt.model if self._state.stt else None
        named = (f" {model}" if model and self.size.width >= _NARROW else "", "dim")
        return Content.assemble("stt ", _state_of(health) if health else ("…", "dim"), named)


def _meter(filled: int, cells: int) -> list[tuple[str, str]]:
    """Draw a meter, green to red; the weight of the line tells the level without colour."""
    warm, hot = cells * 5 // 6, cells - 1
    return [
        ("━" * min(filled, warm), "$text-success"),
        ("━" * max(0, min(filled, hot) - warm), "$text-warning"),
        ("━" * max(0, filled - hot), "$text-error"),
        ("─" * (cells - filled), "dim"),
    ]


def _state_of(health: Health) -> tuple[str, str]:
    return health.state.replace("_", " "), _COLOURS.get(health.state, "dim")
