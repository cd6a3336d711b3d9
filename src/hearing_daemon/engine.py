"""The one door to faster-whisper: sound in, pieces of text with the engine's own doubts out."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import faster_whisper
import msgspec
import numpy as np

from hearing.errors import AudioError, ModelError
from hearing.interfaces import Recognition, SpeechToText
from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon.short_window import LONGEST_MS, DecodeSettings, ShortWindowDecoder

if TYPE_CHECKING:
    from faster_whisper.transcribe import Segment

    from hearing.interfaces import FloatSamples

faster_whisper.transcribe.tqdm.monitor_interval = 0  # no thread for a progress bar that nobody sees

AUTO: Final = "auto"


class WhisperEngine(SpeechToText):
    """A Whisper model in CTranslate2 form.

    Args:
        weights: Folder with `model.bin` and its companions.
        language: A code of Whisper's, or `auto` to hear it out.
        beam_size: Hypotheses kept while decoding.
        compute_type: CTranslate2's name of the precision.
        threads: Of the CPU, for one utterance.
        whole_windows: Only ever encode 30 s, as faster-whisper itself does.

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
        _refuse_torn_tokenizer(weights)
        try:
            self._model = faster_whisper.WhisperModel(
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
        settings = DecodeSettings(beam_size=beam_size)
        self._short = (
            None
            if whole_windows
            else ShortWindowDecoder(self._model, language=self._language, settings=settings)
        )

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
        """Recognize `(n_samples,) float32, 16 kHz`; an utterance of usual length costs no whole window."""
        if self._short is not None and len(audio) <= LONGEST_MS * SAMPLE_RATE_HZ // 1_000:
            return self._short.decode(audio)
        segments, info = self._model.transcribe(
            audio,
            language=self._language,
            beam_size=self._beam_size,
            condition_on_previous_text=False,  # an invented phrase would feed itself
            vad_filter=False,  # ours has been here before
        )
        end_s = len(audio) / SAMPLE_RATE_HZ  # what is dated behind it is invented
        return [_recognition(segment, info.language) for segment in segments if segment.start < end_s]

    def _refuse_unknown_language(self) -> None:
        known = self._model.supported_languages
        if self._language is not None and self._language not in known:
            raise ModelError(
                f"`{self._language}` is no language of this model",
                hint=f"it knows {', '.join(sorted(known)[:8])}{', …' if len(known) > 8 else ''}",
            )


def _refuse_torn_tokenizer(weights: Path) -> None:
    """Find a damaged `tokenizer.json` before the library, which has no error of its own for it."""
    file = weights / "tokenizer.json"
    try:
        if file.exists():
            msgspec.json.decode(file.read_bytes())
    except (msgspec.MsgspecError, OSError):
        raise ModelError(
            f"model `{weights.name}`: `tokenizer.json` is torn",
            hint=f"`hearing models pull {weights.name}` fetches it anew",
        ) from None


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
