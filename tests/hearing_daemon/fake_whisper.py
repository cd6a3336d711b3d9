"""A loaded Whisper whose answers are scripted, with a vocabulary of a few words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hearing_daemon.short_window import Generator, LoadedWhisper
from hearing_daemon.whisper_tokens import MS_PER_TIMESTAMP, Encoding, SubwordTokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hearing.interfaces import FloatSamples

WORDS: Final = ("turn", "on", "the", "lamp", "no", "stop", "thanks", "Berlin")
SPECIALS: Final = (
    *("endoftext", "startoftranscript", "en", "de"),
    *("transcribe", "startofprev", "nospeech", "notimestamps"),
)


def ids(text: str) -> list[int]:
    """Give the tokens of a text such as `turn on <1000>`, where `<1000>` is the timestamp of 1 s."""
    return [_id(word) for word in text.split()]


def _id(word: str) -> int:
    if word.startswith("<") and word[1:-1].isdigit():
        return len(WORDS) + len(SPECIALS) + int(word[1:-1]) // MS_PER_TIMESTAMP
    if word.startswith("<|"):
        return len(WORDS) + SPECIALS.index(word[2:-2])
    return WORDS.index(word)


class FakeTokenizer(SubwordTokenizer):
    """One token a word."""

    def token_to_id(self, token: str, /) -> int | None:
        return _id(token) if token[2:-2] in SPECIALS else None

    def encode(self, sequence: str, /, *, add_special_tokens: bool = True) -> Encoding:
        return SimpleNamespace(ids=ids(sequence))

    def decode(self, ids: Sequence[int], /) -> str:
        return "".join(f" {WORDS[token]}" for token in ids)


@dataclass
class Script:
    """One answer of the decoder."""

    text: str
    logprob: float = -0.3
    no_speech_prob: float = 0.1

    @property
    def sequences_ids(self) -> list[list[int]]:
        return [ids(self.text)]

    @property
    def scores(self) -> list[float]:
        """CTranslate2 gives the mean over the tokens; Whisper counts the end of the text too."""
        length = len(ids(self.text))
        return [self.logprob * (length + 1) / max(1, length)]


@dataclass
class FakeGenerator(Generator):
    """Answers in order, and notes what it was asked; stops at `max_length` as a real one does."""

    answers: list[Script]
    multilingual: bool = False
    language: str = "de"
    asked: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_multilingual(self) -> bool:
        return self.multilingual

    def generate(self, features: Any, prompts: list[list[int]], **options: Any) -> list[Any]:
        self.asked.append({"frames": features, "prompt": prompts[0], **options})
        return [self.answers.pop(0)]

    def detect_language(self, features: Any) -> list[list[tuple[str, float]]]:
        return [[(f"<|{self.language}|>", 0.9), ("<|en|>", 0.1)]]


class FakeWhisper(LoadedWhisper):
    """Features are 1 where there is sound and 0 where there is none; encoding gives their number."""

    def __init__(self, *answers: Script, multilingual: bool = False) -> None:
        self.model = self.generator = FakeGenerator(list(answers), multilingual)
        self.hf_tokenizer = FakeTokenizer()
        self.feature_extractor: Any = self._features
        self.sound_frames: list[int] = []

    def encode(self, features: "NDArray[np.float32]") -> Any:
        self.sound_frames.append(int(features.any(axis=0).sum()))
        return features.shape[-1]

    def _features(self, waveform: "FloatSamples", padding: int) -> "NDArray[np.float32]":
        assert padding == 0
        frames = waveform.reshape(-1, 160).any(axis=1)
        return np.tile(frames, (80, 1)).astype(np.float32)
