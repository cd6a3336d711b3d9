"""Small readings for people: durations, levels, names of legs. Pure."""

from typing import Final

from hearing.messages.common import HealthPart
from hearing.types import Channel

LEGS: Final = {Channel.MIC: "me", Channel.SYSTEM: "them"}
LEG_PARTS: Final = {Channel.MIC: HealthPart.MIC, Channel.SYSTEM: HealthPart.SYSTEM}

_QUIETEST_DBFS: Final = -60.0  # a quiet room through a laptop microphone


def duration(ms: int) -> str:
    """Give a duration as people say it: `2.4 s`, `1:05`."""
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms // 60_000}:{ms // 1000 % 60:02}"


def level_cells(dbfs: float | None, cells: int) -> int:
    """Give how many of a meter's cells a level fills: -60 dBFS none, 0 dBFS all."""
    if dbfs is None or dbfs != dbfs:
        return 0
    share = (dbfs - _QUIETEST_DBFS) / -_QUIETEST_DBFS
    return round(cells * min(1.0, max(0.0, share)))


def level_text(dbfs: float | None) -> str:
    """Give a level as `-32 dB`, or `-- dB` where there is none, always six cells."""
    return " -- dB" if dbfs is None or dbfs != dbfs else f"{max(-99.0, min(99.0, dbfs)):3.0f} dB"
