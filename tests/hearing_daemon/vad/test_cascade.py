"""Gate and network as one detector."""

from typing import TYPE_CHECKING

import numpy as np

from hearing_daemon.vad.cascade import CONTEXT_FRAMES, HOLD_FRAMES, Cascade
from hearing_daemon.vad.gate import Gate
from hearing_daemon.vad.silero import FRAME_SAMPLES

if TYPE_CHECKING:
    from hearing.interfaces import Samples


class LoudGate(Gate):
    """Passes what is not silent."""

    def passes(self, sound: "Samples") -> bool:
        """Look at the peak."""
        return bool(sound.any())


class CountingNetwork:
    """Rates everything 0.7 and notes how much it was shown."""

    def __init__(self) -> None:
        self.shown_frames: list[int] = []
        self.resets = 0

    def probability(self, sound: "Samples") -> float:
        """Note it."""
        self.shown_frames.append(len(sound) // FRAME_SAMPLES)
        return 0.7

    def reset(self) -> None:
        """Count it."""
        self.resets += 1


SILENCE = np.zeros(FRAME_SAMPLES, dtype=np.int16)
NOISE = np.full(FRAME_SAMPLES, 99, dtype=np.int16)


def test_the_network_rests_in_silence() -> None:
    network = CountingNetwork()
    cascade = Cascade(LoudGate(1), network)
    assert [cascade.probability(SILENCE) for _ in range(100)] == [0.0] * 100
    assert network.shown_frames == []


def test_the_network_is_shown_what_came_before_the_gate_opened() -> None:
    network = CountingNetwork()
    cascade = Cascade(LoudGate(1), network)
    for frame in [SILENCE] * 20 + [NOISE] * 2:
        rated = cascade.probability(frame)
    assert rated == 0.7
    assert network.shown_frames == [CONTEXT_FRAMES + 1, 1]
    assert network.resets == 1, "the silence in between was not shown: its memory is of another moment"


def test_the_network_listens_on_for_a_while() -> None:
    network = CountingNetwork()
    cascade = Cascade(LoudGate(1), network)
    for frame in [NOISE] + [SILENCE] * (HOLD_FRAMES + 10):
        cascade.probability(frame)
    assert sum(network.shown_frames) == HOLD_FRAMES


def test_a_new_take_is_shown_nothing_of_the_old_one() -> None:
    network = CountingNetwork()
    cascade = Cascade(LoudGate(1), network)
    for frame in [SILENCE] * 20:
        cascade.probability(frame)
    cascade.reset()
    cascade.probability(NOISE)
    assert network.shown_frames == [1]
