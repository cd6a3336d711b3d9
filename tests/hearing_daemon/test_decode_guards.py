"""The signs of a lost decoder, one by one, and what is made of two drafts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing_daemon.decode_guards import (
    GUARDS,
    Doubt,
    Draft,
    Limits,
    compression_ratio,
    doubts,
    settle,
    without_loops,
)

LIMITS = Limits()


def draft(
    text: str, *, answer: str = "", clip_ms: int = 10_000, logprob: float = -0.3, **changes: object
) -> Draft:
    made = Draft(
        text=text,
        answer_text=answer or text,
        start_ms=0,
        end_ms=clip_ms,
        clip_ms=clip_ms,
        ended=True,
        mean_logprob=logprob,
        no_speech=0.1,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


SENTENCE = draft("Turn on the lamp in the living room, please.")


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (SENTENCE, ()),
        (draft(""), ()),
        (draft("No, no, that is wrong."), ()),
        (draft("I know that you know that it is late."), ()),
        (replace(SENTENCE, ended=False), (Doubt.RUNAWAY,)),
        (replace(SENTENCE, answer_text=20 * "thank you "), (Doubt.COMPRESSES,)),
        (draft("Well, no, no, no."), (Doubt.REPEATS,)),
        (draft("It was the end. It was the end. It was the end."), (Doubt.REPEATS,)),
        (draft("Computer, computer."), (Doubt.DOUBLED,)),
        (draft("Smart mirror smart mirror"), (Doubt.DOUBLED,)),
        (draft("Thanks for watching this.", clip_ms=200), (Doubt.CROWDED,)),
        (replace(SENTENCE, mean_logprob=-1.01), (Doubt.UNSURE,)),
        (draft("0 0 0 0", logprob=-1.2), (Doubt.REPEATS, Doubt.DOUBLED, Doubt.UNSURE)),
    ],
)
def test_each_sign_is_named(shown: Draft, expected: tuple[Doubt, ...]) -> None:
    assert doubts(shown, LIMITS) == expected


def test_every_doubt_has_its_guard() -> None:
    assert set(GUARDS) == set(Doubt)


def test_a_decoder_that_hears_nobody_is_not_asked_again() -> None:
    silence = draft("you you you", logprob=-1.2, no_speech=0.9)
    assert doubts(silence, LIMITS) == ()
    assert doubts(replace(silence, no_speech=0.5), LIMITS)
    assert doubts(replace(silence, mean_logprob=-0.4), LIMITS)


def test_one_compression_ratio_tells_speech_from_a_loop() -> None:
    assert compression_ratio("") == 0
    assert compression_ratio(SENTENCE.text) < 1.5
    assert compression_ratio(10 * "you know ") > 2.4


def test_the_draft_without_a_sign_wins_even_if_it_is_less_likely() -> None:
    loop = draft("go go go go", logprob=-0.1)
    honest = draft("Go slowly.", logprob=-0.9)
    assert settle(loop, honest, LIMITS) == honest


def test_the_likelier_of_two_drafts_with_as_many_signs_wins() -> None:
    worse, sure = draft("go go go", logprob=-0.9), draft("no no no", logprob=-0.4)
    assert settle(worse, sure, LIMITS).text == settle(sure, worse, LIMITS).text == "no"


def test_two_unsure_drafts_of_different_words_mean_that_nobody_spoke() -> None:
    onion, pan = draft("I add the onion.", logprob=-1.5), draft("In the pan.", logprob=-1.3)
    assert settle(onion, pan, LIMITS) == replace(pan, no_speech=1.0)
    assert settle(onion, replace(pan, mean_logprob=-0.9), LIMITS).no_speech < 0.5
    assert settle(onion, replace(onion, mean_logprob=-1.1), LIMITS).no_speech < 0.5


def test_the_higher_chance_of_no_speech_stays() -> None:
    first, second = draft("Jarvis", logprob=-1.2, no_speech=0.4), draft("Jarvis.", no_speech=0.3)
    assert settle(first, second, LIMITS) == replace(second, no_speech=0.4)


def test_repeated_words_stay_if_the_second_look_has_them_too() -> None:
    first, second = draft("no no no"), draft("No, no, no!")
    assert settle(first, second, LIMITS) == second


def test_a_loop_is_cut_to_one_copy_however_often_it_is_seen() -> None:
    loop = draft("Tear down the " + 20 * "wall, ", ended=False)
    assert settle(loop, loop, LIMITS).text == "Tear down the wall,"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("one two two three", "one two two three"),
        ("one two two two three", "one two three"),
        ("go there, go there, go there now", "go there, now"),
        ("a a a b b b", "a b"),
        ("a b a b a b a", "a b a"),
    ],
)
def test_only_runs_of_copies_are_cut(text: str, kept: str) -> None:
    assert without_loops(text, 3) == kept


@given(st.lists(st.sampled_from("abc"), max_size=24))
def test_no_loop_is_left_and_no_word_is_new(words: list[str]) -> None:
    kept = without_loops(" ".join(words), 3)
    assert without_loops(kept, 3) == kept
    assert set(kept.split()) == set(words)
