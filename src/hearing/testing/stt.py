"""A recognizer that says what a test wants, as fast as it wants, and that crashes or hangs on demand."""

import os
import signal
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hearing.interfaces import Recognition, SpeechToText
from hearing.types import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples


@dataclass(frozen=True, slots=True)
class Say:
    """Answer with this text over the whole utterance; "" hears nothing."""

    text: str
    no_speech: float = 0.01
    mean_logprob: float = -0.2


@dataclass(frozen=True, slots=True)
class Crash:
    """Die by a signal, as a native library does."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answer, and hear no polite signal."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Raise what an engine raises on sound it cannot take."""


Act = Say | Crash | Hang | Refuse


class FakeSpeechToText(SpeechToText):
    """Plays a script, one act per utterance; after its end every utterance is `utterance N`.

    Args:
        script: What to do, in order.
        by_peak: What to do, whatever the script, with an utterance of that peak (int16).
        rtf: Recognition time over length of audio; 0 answers at once.
    """

    def __init__(
        self, script: Iterable[Act] = (), *, by_peak: Mapping[int, Act] | None = None, rtf: float = 0.0
    ) -> None:
        self._script = list(script)
        self._by_peak = dict(by_peak or {})
        self._rtf = rtf
        self.heard = 0

    def transcribe(self, audio: "FloatSamples") -> Sequence[Recognition]:
        """Do the next act."""
        self.heard += 1
        time.sleep(self._rtf * len(audio) / SAMPLE_RATE_HZ)
        peak = round(float(abs(audio).max(initial=0.0)) * 32_768)
        match self._by_peak.get(peak) or self._next_of_script():
            case Say(text=""):
                return []
            case Say() as act:
                end_ms = len(audio) * 1_000 // SAMPLE_RATE_HZ
                return [Recognition(act.text, 0, end_ms, "en", 0.8, act.no_speech, act.mean_logprob)]
            case Crash():
                os.kill(os.getpid(), signal.SIGKILL)
            case Hang():
                signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a native call comes back to no handler
                threading.Event().wait()
            case Refuse():
                raise RuntimeError("refused")
        return []

    def _next_of_script(self) -> Act:
        return self._script.pop(0) if self._script else Say(f"utterance {self.heard}")
