"""Whisper's tokens: the ids that steer it, and what its answers say up to the end of the sound. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Protocol

MS_PER_TIMESTAMP: Final = 20
"""One step of a timestamp token, as the model was trained."""

MAX_TOKENS: Final = 448
"""Length of the decoder's context: prompt and answer together."""

MAX_CONTEXT_TOKENS: Final = MAX_TOKENS // 2 - 1
"""What of the context a text that leads the recognition may take."""


class Encoding(Protocol):
    """One encoded text."""

    @property
    def ids(self) -> list[int]:
        """Give its token ids."""
        ...


class SubwordTokenizer(Protocol):
    """The part of `tokenizers.Tokenizer` that is used."""

    def token_to_id(self, token: str, /) -> int | None:
        """Look a token up."""
        ...

    def encode(self, sequence: str, /, *, add_special_tokens: bool = True) -> Encoding:
        """Split a text into tokens."""
        ...

    def decode(self, ids: Sequence[int], /) -> str:
        """Join tokens to a text."""
        ...


@dataclass(frozen=True, slots=True)
class Said:
    """The text tokens of an answer and the times it gives them, in ms from the clip's first sample."""

    tokens: tuple[int, ...]
    start_ms: int
    end_ms: int


class Vocabulary:
    """The ids of one model's steering tokens, looked up once.

    Raises:
        KeyError: The tokenizer is none of Whisper's.
    """

    def __init__(self, tokenizer: SubwordTokenizer, *, multilingual: bool) -> None:
        self._tokenizer = tokenizer
        self._multilingual = multilingual
        self._start = self._id("startoftranscript")
        self._previous = self._id("startofprev")
        self._transcribe = self._id("transcribe") if multilingual else 0
        self.end_of_text = self._id("endoftext")
        self.no_timestamps = self._id("notimestamps")

    def prompt(self, language: str | None, context: str = "") -> list[int]:
        """Give the tokens an answer follows: never to translate, with timestamps, led by `context`.

        Raises:
            KeyError: A multilingual model that does not know `language`.
        """
        steering = [self._start]
        if self._multilingual:
            steering += [self._id(language or ""), self._transcribe]
        return self._leading(context) + steering

    def text(self, tokens: Sequence[int]) -> str:
        """Give the words of text tokens."""
        return self._tokenizer.decode(list(tokens)).strip()

    def said(self, answer: Sequence[int], clip_ms: int) -> Said:
        """Read an answer up to the first timestamp at or past `clip_ms`: all behind it is invented.

        Words before any such timestamp stay, whatever time they are given.
        """
        tokens: list[int] = []
        times_ms: list[int] = []
        for token in takewhile(lambda token: token != self.end_of_text, answer):
            if token > self.no_timestamps:
                times_ms.append(MS_PER_TIMESTAMP * (token - self.no_timestamps - 1))
                if tokens and times_ms[-1] >= clip_ms:
                    break
            elif token < self.end_of_text:
                tokens.append(token)
        start_ms = min([*times_ms[:1], clip_ms]) if times_ms else 0
        end_ms = min(times_ms[-1], clip_ms) if len(times_ms) > 1 else clip_ms
        return Said(tuple(tokens), start_ms, max(start_ms, end_ms))

    def _leading(self, context: str) -> list[int]:
        if not context.strip():
            return []
        tokens = self._tokenizer.encode(f" {context.strip()}", add_special_tokens=False).ids
        return [self._previous, *tokens[-MAX_CONTEXT_TOKENS:]]

    def _id(self, name: str) -> int:
        found = self._tokenizer.token_to_id(f"<|{name}|>")
        if found is None:
            raise KeyError(f"`<|{name}|>` is no token of this model")
        return found
