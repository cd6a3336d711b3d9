"""The one door to webrtcvad: a cheap first guess whether there may be speech."""

from typing import TYPE_CHECKING, Final

import numpy as np
import webrtcvad

from hearing.types import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from hearing.interfaces import Samples

STEP_SAMPLES: Final = SAMPLE_RATE_HZ // 100
"""WebRTC's detector takes 10, 20 or 30 ms at a time."""


class Gate:
    """Says whether sound may hold speech; any length is fine, a rest waits for the next call.

    `mode` 0 lets most through, 3 least.
    """

    def __init__(self, mode: int) -> None:
        self._mode = mode
        self.reset()

    def reset(self) -> None:
        """Forget the sound before."""
        self._vad = webrtcvad.Vad(self._mode)
        self._rest: Samples = np.zeros(0, dtype=np.int16)

    def passes(self, sound: "Samples") -> bool:
        """Say whether any 10 ms of `(n_samples,) int16, 16 kHz` may be speech."""
        joined = np.concatenate([self._rest, sound])
        whole = len(joined) - len(joined) % STEP_SAMPLES
        self._rest = joined[whole:]
        # every step is shown to the detector, which follows the noise floor
        steps = [self._is_speech(joined[at : at + STEP_SAMPLES]) for at in range(0, whole, STEP_SAMPLES)]
        return any(steps)

    def _is_speech(self, step: "Samples") -> bool:
        return bool(self._vad.is_speech(step.tobytes(), SAMPLE_RATE_HZ))
