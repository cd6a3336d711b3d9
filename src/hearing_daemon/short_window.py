"""Whisper over a window as short as the utterance allows: 30 s of encoding are most of the cost of few words.

Which windows, what fills them and which signs count was chosen by `benchmarks/studies/short_window.py`.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from hearing.interfaces import Recognition
from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon.decode_guards import LOOPS, Doubt, Draft, Limits, doubts, settle
from hearing_daemon.whisper_tokens import MAX_TOKENS, SubwordTokenizer, Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hearing.interfaces import FloatSamples

FULL_WINDOW_MS: Final = 30_000
"""What the encoder was trained on, and the most it takes."""

LONGEST_MS: Final = 25_000
"""Clips beyond this leave too little of a window: they go the library's own way."""

FRAME_SAMPLES: Final = 160
"""One frame of features; the encoder takes an even number of them."""

ENGLISH: Final = "en"
"""What a model for one language knows."""

SILENT_FRAMES: Final = 4
"""Behind the clip; the last of them holds nothing of it, though frames overlap and the end is mirrored."""

CONFIGURED: Final = -1
"""Stands for the tokens that the model's own configuration suppresses: brackets, notes, steering tokens."""

MAX_FIRST_TIMESTAMP: Final = 50
"""Speech begins within the first second, or nearly: the published decoder's own limit."""


class Answer(Protocol):
    """What CTranslate2 generates for one prompt."""

    sequences_ids: list[list[int]]
    scores: list[float]
    no_speech_prob: float


class Generator(Protocol):
    """The part of `ctranslate2.models.Whisper` that is used."""

    @property
    def is_multilingual(self) -> bool:
        """Say whether it needs to be told a language."""
        ...

    def generate(self, features: Any, prompts: list[list[int]], **options: Any) -> list[Any]:
        """Answer prompts about an encoded window."""
        ...

    def detect_language(self, features: Any) -> list[list[tuple[str, float]]]:
        """Rate every language as `("<|en|>", 0.9)`, best first."""
        ...


class LoadedWhisper(Protocol):
    """The part of `faster_whisper.WhisperModel` that is used."""

    model: Any
    hf_tokenizer: Any
    feature_extractor: Any

    def encode(self, features: "NDArray[np.float32]") -> Any:
        """Encode `(n_mels, n_frames)` features."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at a clip: `pad_ms` of silence behind it, more to make a window of `shortest_ms`.

    It is taken when the text so far shows one of the signs in `after`.
    """

    pad_ms: int
    shortest_ms: int
    after: frozenset[Doubt] = frozenset(Doubt)

    def window_samples(self, clip_samples: int) -> int:
        """Give the length of the window: whole pairs of frames, at most the full window."""
        wanted_ms = max(self.shortest_ms, math.ceil(1_000 * clip_samples / SAMPLE_RATE_HZ) + self.pad_ms)
        pair = 2 * FRAME_SAMPLES
        return math.ceil(min(wanted_ms, FULL_WINDOW_MS) * SAMPLE_RATE_HZ / 1_000 / pair) * pair


LOOKS: Final = (
    Look(pad_ms=4_000, shortest_ms=8_000),
    Look(pad_ms=5_000, shortest_ms=15_000),
    Look(pad_ms=0, shortest_ms=FULL_WINDOW_MS, after=LOOPS),
)
"""Half the window settles most doubts; in the whole one a decoder that is only unsure invents courtesies."""


@dataclass(frozen=True, slots=True)
class DecodeSettings:
    """How to decode: the looks to take in turn until no sign asks for the next, and the cap on an answer."""

    beam_size: int = 1
    looks: tuple[Look, ...] = LOOKS
    tokens_per_s: float = 12.0
    spare_tokens: int = 12
    limits: Limits = field(default_factory=Limits)


class ShortWindowDecoder:
    """Recognizes utterances of up to `LONGEST_MS` with a loaded model; the same sound gives the same text.

    Args:
        whisper: A loaded `faster_whisper.WhisperModel`.
        language: A code of Whisper's, or None to hear it out of every clip.
        settings: How to decode.
        suppressed_tokens: Never to be said; by default those that the model's configuration names.

    `taken` counts first looks (under None) and, by sign, the doubts that led to another.
    """

    def __init__(
        self,
        whisper: LoadedWhisper,
        *,
        language: str | None,
        settings: DecodeSettings | None = None,
        suppressed_tokens: Sequence[int] = (CONFIGURED,),
    ) -> None:
        self.taken: Counter[Doubt | None] = Counter()
        self._whisper = whisper
        self._generator: Generator = whisper.model
        self._language = language
        self._settings = settings or DecodeSettings()
        self._suppressed_tokens = list(suppressed_tokens)
        tokenizer: SubwordTokenizer = whisper.hf_tokenizer
        self.vocabulary = Vocabulary(tokenizer, multilingual=self._generator.is_multilingual)

    def decode(self, audio: "FloatSamples", *, context: str = "") -> Sequence[Recognition]:
        """Recognize `(n_samples,) float32, 16 kHz` in [-1, 1] as one piece, or none if there are no words.

        `context` leads the recognition as text that was said before would: earlier words, or names to expect.

        Raises:
            ValueError: The clip is longer than `LONGEST_MS`.
        """
        if len(audio) > LONGEST_MS * SAMPLE_RATE_HZ // 1_000:
            raise ValueError(f"{len(audio)} samples: a short window takes {LONGEST_MS} ms")
        if not len(audio):
            return ()
        draft = self._believed(audio, context)
        return (_recognition(draft),) if draft.text else ()

    def window(self, audio: "FloatSamples", look: Look) -> "NDArray[np.float32]":
        """Give the `(n_mels, n_frames)` features of a clip in its window, filled with silence.

        Silent sound, not empty features: the model was trained on that. Its frames are alike, so one is made.
        """
        frames = look.window_samples(len(audio)) // FRAME_SAMPLES
        samples = np.zeros(
            min(frames, len(audio) // FRAME_SAMPLES + SILENT_FRAMES) * FRAME_SAMPLES, np.float32
        )
        samples[: len(audio)] = audio
        features = self._whisper.feature_extractor(samples, padding=0)
        missing = frames - features.shape[-1]
        return np.pad(features, ((0, 0), (0, missing)), mode="edge")

    def draft(self, audio: "FloatSamples", look: Look, context: str = "") -> Draft:
        """Decode a clip once, and judge nothing."""
        encoded = self._whisper.encode(self.window(audio, look))
        language = self._language or self._heard_language(encoded)
        prompt = self.vocabulary.prompt(language, context)
        clip_ms = math.ceil(1_000 * len(audio) / SAMPLE_RATE_HZ)
        cap = min(self._token_cap(clip_ms), MAX_TOKENS - len(prompt), MAX_TOKENS // 2)
        answer = self._generate(encoded, prompt, cap)
        tokens = answer.sequences_ids[0]
        said = self.vocabulary.said(tokens, clip_ms)
        return Draft(
            text=self.vocabulary.text(said.tokens),
            answer_text=self.vocabulary.text([t for t in tokens if t < self.vocabulary.end_of_text]),
            start_ms=said.start_ms,
            end_ms=said.end_ms,
            clip_ms=clip_ms,
            ended=len(tokens) < cap,
            mean_logprob=answer.scores[0] * len(tokens) / (len(tokens) + 1),
            no_speech=answer.no_speech_prob,
            language=language,
        )

    def _believed(self, audio: "FloatSamples", context: str) -> Draft:
        first, *others = self._settings.looks
        limits = self._settings.limits
        self.taken[None] += 1
        best = self.draft(audio, first, context)
        for look in others:
            if not (signs := look.after.intersection(doubts(best, limits))):
                return best
            self.taken.update(signs)
            best = settle(best, self.draft(audio, look, context), limits)
        return best

    def _generate(self, encoded: Any, prompt: list[int], cap: int) -> Answer:
        answers: list[Answer] = self._generator.generate(
            encoded,
            [prompt],
            beam_size=self._settings.beam_size,
            max_length=max(
                2 * cap, len(prompt) + cap
            ),  # the answer gets half of it, less if the prompt is long
            max_initial_timestamp_index=MAX_FIRST_TIMESTAMP,
            suppress_tokens=self._suppressed_tokens,
            return_scores=True,
            return_no_speech_prob=True,
        )
        return answers[0]

    def _token_cap(self, clip_ms: int) -> int:
        return self._settings.spare_tokens + math.ceil(self._settings.tokens_per_s * clip_ms / 1_000)

    def _heard_language(self, encoded: Any) -> str:
        if not self._generator.is_multilingual:
            return ENGLISH
        token, _ = self._generator.detect_language(encoded)[0][0]
        return token.strip("<|>")


def _recognition(draft: Draft) -> Recognition:
    return Recognition(
        text=draft.text,
        start_ms=draft.start_ms,
        end_ms=draft.end_ms,
        language=draft.language,
        confidence=round(min(1.0, math.exp(draft.mean_logprob)), 3),
        no_speech=draft.no_speech,
        mean_logprob=draft.mean_logprob,
    )
