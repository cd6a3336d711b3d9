"""Steering prompts, and answers read up to the end of the sound."""

import pytest
from tests.hearing_daemon.fake_whisper import FakeTokenizer, ids

from hearing_daemon.whisper_tokens import MAX_CONTEXT_TOKENS, Said, Vocabulary


def vocabulary(*, multilingual: bool = False) -> Vocabulary:
    return Vocabulary(FakeTokenizer(), multilingual=multilingual)


def said(answer: str, clip_ms: int = 2_000) -> tuple[str, int, int]:
    read = vocabulary().said(ids(answer), clip_ms)
    return vocabulary().text(read.tokens), read.start_ms, read.end_ms


def test_a_model_for_one_language_is_told_none() -> None:
    assert vocabulary().prompt("en") == ids("<|startoftranscript|>")


def test_a_multilingual_model_is_told_the_language_and_never_to_translate() -> None:
    expected = ids("<|startoftranscript|> <|de|> <|transcribe|>")
    assert vocabulary(multilingual=True).prompt("de") == expected


def test_context_stands_before_the_start_and_keeps_its_end() -> None:
    led = vocabulary().prompt("en", " turn on ")
    assert led == ids("<|startofprev|> turn on <|startoftranscript|>")
    long = vocabulary().prompt("en", 300 * "no " + "stop")
    assert len(long) == 1 + MAX_CONTEXT_TOKENS + 1
    assert long[-2:] == ids("stop <|startoftranscript|>")
    assert vocabulary().prompt("en", "  ") == vocabulary().prompt("en")


def test_an_unknown_language_or_a_foreign_tokenizer_is_refused() -> None:
    with pytest.raises(KeyError, match=r"<\|xx\|>"):
        vocabulary(multilingual=True).prompt("xx")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("<0> turn on <1800>", ("turn on", 0, 1_800)),
        ("<200> turn <800> <1000> on <1800>", ("turn on", 200, 1_800)),
        ("<0> turn on <2400>", ("turn on", 0, 2_000)),
        ("<0> turn on <2000> <2000> thanks <4000>", ("turn on", 0, 2_000)),
        ("<0> turn <1900> <3000> thanks <4000>", ("turn", 0, 2_000)),
        ("<0> stop", ("stop", 0, 2_000)),
        ("stop", ("stop", 0, 2_000)),
        ("<0> stop <|endoftext|> thanks", ("stop", 0, 2_000)),
        ("", ("", 0, 2_000)),
    ],
)
def test_an_answer_counts_up_to_the_end_of_the_clip(answer: str, expected: tuple[str, int, int]) -> None:
    assert said(answer) == expected


def test_the_first_words_stay_even_if_they_are_dated_behind_the_clip() -> None:
    assert said("<400> stop <800>", clip_ms=240) == ("stop", 240, 240)
    assert vocabulary().said([], 0) == Said((), 0, 0)
