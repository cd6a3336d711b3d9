"""The one door to faster-whisper: sound in, pieces of text with the engine's own doubts out."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import faster_whisper
import numpy as np

from hearing.errors import AudioError, ModelError
from hearing.interfaces import Recognition, SpeechToText
from hearing.types import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    import ctranslate2
    from faster_whisper.transcribe import Segment
    from numpy.typing import NDArray

    from hearing.interfaces import FloatSamples

AUTO: Final = "auto"
PADDING_FRAMES: Final = 300
"""Silence the encoder sees behind an utterance, in frames of 10 ms: `benchmarks/studies/default_model.py`."""


class _ShortWindows(faster_whisper.WhisperModel):  # type: ignore[misc]  # it ships no types
    """Encodes what was said and 3 s of padding, not the whole window of 30 s: most of it would be silence."""

    def encode(self, features: "NDArray[np.float32]") -> "ctranslate2.StorageView":
        """Encode `(n_mels, 3000)` features less the padding that nobody needs."""
        content = np.flatnonzero(features.any(axis=0))
        kept = PADDING_FRAMES + (int(content[-1]) + 1 if len(content) else 0)
        return super().encode(features[:, : kept + kept % 2])  # the encoder halves the frames


class WhisperEngine(SpeechToText):
    """A Whisper model in CTranslate2 form.

    Args:
        weights: Folder with `model.bin` and its companions.
        language: A code of Whisper's, or `auto` to hear it out.
        beam_size: Hypotheses kept while decoding.
        compute_type: CTranslate2's name of the precision.
        threads: Of the CPU, for one utterance.
        whole_windows: Encode 30 s whatever the length, as faster-whisper itself does.

    Raises:
        ModelError: The weights or the precision cannot be used here.
    """

    def __init__(
        self,
        weights: Path,
        *,
        language: str,
        beam_size: int,
        compute_type: str,
        threads: int,
        whole_windows: bool = False,
    ) -> None:
        self.device = "cpu"
        self.detail = ""
        self._language = None if language == AUTO else language
        self._beam_size = beam_size
        try:
            self._model = (faster_whisper.WhisperModel if whole_windows else _ShortWindows)(
                str(weights),
                device=self.device,
                compute_type=compute_type,
                cpu_threads=threads,
                local_files_only=True,
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise ModelError(
                f"model `{weights.name}` cannot be loaded: {str(error).lower()}",
                hint="`hearing models verify` checks its files",
            ) from None
        self._refuse_unknown_language()

    def warm_up(self, audio: "FloatSamples") -> None:
        """Decode once, so that the first utterance finds everything allocated.

        Raises:
            ModelError: It cannot be run here.
        """
        try:
            self.transcribe(audio)
        except RuntimeError as error:
            raise ModelError(f"the model cannot be run: {str(error).lower()}") from None

    def transcribe(self, audio: "FloatSamples") -> Sequence[Recognition]:
        """Recognize `(n_samples,) float32, 16 kHz`; what the engine dates behind the end is invented."""
        segments, info = self._model.transcribe(
            audio,
            language=self._language,
            beam_size=self._beam_size,
            condition_on_previous_text=False,  # an invented phrase would feed itself
            vad_filter=False,  # ours has been here before
        )
        end_s = len(audio) / SAMPLE_RATE_HZ
        return [_recognition(segment, info.language) for segment in segments if segment.start < end_s]

    def _refuse_unknown_language(self) -> None:
        known = self._model.supported_languages
        if self._language is not None and self._language not in known:
            raise ModelError(
                f"`{self._language}` is no language of this model",
                hint=f"it knows {', '.join(sorted(known)[:8])}{', …' if len(known) > 8 else ''}",
            )


def _recognition(segment: "Segment", language: str) -> Recognition:
    return Recognition(
        text=segment.text.strip(),
        start_ms=round(1_000 * segment.start),
        end_ms=round(1_000 * segment.end),
        language=language,
        confidence=round(min(1.0, math.exp(segment.avg_logprob)), 3),
        no_speech=segment.no_speech_prob,
        mean_logprob=segment.avg_logprob,
    )


def read_sound(file: Path) -> "FloatSamples":
    """Decode a whole file to `(n_samples,) float32, 16 kHz`, mono.

    Raises:
        AudioError: It is missing, or no sound.
    """
    try:
        return np.asarray(faster_whisper.decode_audio(str(file), SAMPLE_RATE_HZ), dtype=np.float32)
    except (OSError, ValueError, IndexError) as error:  # PyAV's errors are OSErrors and ValueErrors
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise AudioError(f"`{file}` cannot be read as sound: {reason.lower()}") from None
