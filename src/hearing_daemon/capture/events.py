"""What a leg tells the service: sound with its place in stream time, and everything that is not sound."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hearing.messages.common import HealthState
from hearing.types import Channel

if TYPE_CHECKING:
    from hearing.interfaces import Samples


@dataclass(frozen=True, slots=True)
class Sound:
    """`samples` is `(n_samples,) int16, 16 kHz`; the first one stands at `start_ms` of stream time."""

    leg: Channel
    start_ms: int
    samples: "Samples"


@dataclass(frozen=True, slots=True)
class LegHealth:
    """The leg changed its state."""

    leg: Channel
    state: HealthState
    device: str = ""
    detail: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Nobody has the sound of `[from_ms, to_ms)`: what follows is a new take."""

    leg: Channel
    from_ms: int
    to_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class Overflow:
    """The device or its driver dropped samples; `xruns` counts all times since the daemon's start."""

    leg: Channel
    xruns: int


LegEvent = Sound | LegHealth | Missing | Overflow
