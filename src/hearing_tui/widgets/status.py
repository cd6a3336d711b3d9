"""The line under the transcript: a level meter and a state per leg, the recognizer, the model."""

from dataclasses import dataclass
from typing import Final

from textual.content import Content
from textual.widget import Widget

from hearing.messages.common import Health, HealthPart, HealthState
from hearing.types import Channel
from hearing_tui.labels import LEG_PARTS, LEGS, level_cells, level_text
from hearing_tui.view_state import LinkState, ViewState


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of it there is room for."""

    meter_cells: int = 0
    decibels: bool = False
    model: bool = False
    short: bool = False


_DETAILS: Final = (
    Detail(meter_cells=12, decibels=True, model=True),
    Detail(meter_cells=8, decibels=True),
    Detail(meter_cells=6),
    Detail(),
    Detail(short=True),
)
"""From rich to terse: the first that fits is drawn, the last one is cut."""

_CLOSED: Final = {
    HealthState.STARTING,
    HealthState.NO_DEVICE,
    HealthState.REOPENING,
    HealthState.MUTED,
    HealthState.ENDED,
}
"""States of a leg that gives no sound: the last level it had says nothing."""

_SHORT: Final = {HealthState.LISTENING: "on", HealthState.READY: "ok"}

_COLOURS: Final = {
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
    """Draws health and levels; says so while nobody tells us anything."""

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
        lines = (self._line(detail) for detail in _DETAILS)
        return next((line for line in lines if line.cell_length <= self.size.width), self._line(_DETAILS[-1]))

    def _line(self, detail: Detail) -> Content:
        legs = [self._leg(leg, detail) for leg in Channel if LEG_PARTS[leg] in self._state.health]
        return Content("   ").join([*legs, self._stt(detail)])

    def _leg(self, leg: Channel, detail: Detail) -> Content:
        health = self._state.health[LEG_PARTS[leg]]
        dbfs = None if health.state in _CLOSED else self._state.levels.get(leg)
        return Content.assemble(
            (LEGS[leg], f"bold {'$text-accent' if leg.is_me else '$text-primary'}"),
            " ",
            *_meter(level_cells(dbfs, detail.meter_cells), detail.meter_cells),
            " " if detail.meter_cells else "",
            (f"{level_text(dbfs)} " if detail.decibels else "", "dim"),
            _state_of(health, detail),
        )

    def _stt(self, detail: Detail) -> Content:
        health = self._state.health.get(HealthPart.STT)
        model = (self._state.stt and self._state.stt.model) or (health and health.device)
        named = (f" {model}" if model and detail.model else "", "dim")
        return Content.assemble("stt ", _state_of(health, detail) if health else ("…", "dim"), named)


def _meter(filled: int, cells: int) -> list[tuple[str, str]]:
    """Draw a meter, green to red; the weight of the line tells the level without colour."""
    if not cells:
        return []
    warm, hot = cells * 5 // 6, cells - 1
    return [
        ("━" * min(filled, warm), "$text-success"),
        ("━" * max(0, min(filled, hot) - warm), "$text-warning"),
        ("━" * max(0, filled - hot), "$text-error"),
        ("─" * (cells - filled), "dim"),
    ]


def _state_of(health: Health, detail: Detail) -> tuple[str, str]:
    word = _SHORT.get(health.state, health.state) if detail.short else health.state
    return word.replace("_", " "), _COLOURS.get(health.state, "dim")
