"""Gate and network as one detector: the network runs only near what the gate lets through."""

from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from hearing.interfaces import Vad
from hearing_daemon.vad.gate import Gate
from hearing_daemon.vad.silero import FRAME_SAMPLES

if TYPE_CHECKING:
    from hearing.interfaces import Samples

HOLD_FRAMES: Final = 25
"""The network listens on for this long (0.8 s) after the gate last passed something."""
CONTEXT_FRAMES: Final = 8
"""What it is shown from before the gate opened (0.26 s), so that an onset is no shock."""


class Network(Protocol):
    """What the cascade needs of Silero."""

    def probability(self, sound: "Samples") -> float:
        """Rate the last frame."""
        ...

    def reset(self) -> None:
        """Forget."""
        ...


class Cascade(Vad):
    """A `Vad` that costs almost nothing in silence; `benchmarks/studies/vad_gate.py` says what it hides."""

    def __init__(self, gate: Gate, network: Network) -> None:
        self._gate = gate
        self._network = network
        self._before: deque[Samples] = deque(maxlen=CONTEXT_FRAMES)
        self._held_frames = 0

    @property
    def frame_samples(self) -> int:
        """Give Silero's frame."""
        return FRAME_SAMPLES

    def reset(self) -> None:
        """Forget the take before."""
        self._gate.reset()
        self._network.reset()
        self._before.clear()
        self._held_frames = 0

    def probability(self, frame: "Samples") -> float:
        """Rate a frame; 0 while the gate is shut."""
        passes = self._gate.passes(frame)
        was_shut = self._held_frames == 0
        self._held_frames = HOLD_FRAMES if passes else max(0, self._held_frames - 1)
        if self._held_frames == 0:
            self._before.append(frame)
            return 0.0
        if not was_shut:
            return self._network.probability(frame)
        self._network.reset()
        heard = np.concatenate([*self._before, frame])
        self._before.clear()
        return self._network.probability(heard)
