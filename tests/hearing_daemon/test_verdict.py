"""What of a recognition is published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.interfaces import Recognition
from hearing.messages.daemon import Dropped
from hearing.types import TimeSpan
from hearing_daemon.verdict import judge

SPAN = TimeSpan(10_000, 14_000)


def heard(text: str, start_ms: int = 0, end_ms: int = 4_000, **doubts: float) -> Recognition:
    return Recognition(text, start_ms, end_ms, "en", 0.9, **doubts)


def test_times_move_into_the_stream() -> None:
    verdict = judge(SPAN, [heard("one", 0, 1_500), heard("two", 1_500, 3_000)])
    assert [piece.span for piece in verdict.pieces] == [TimeSpan(10_000, 11_500), TimeSpan(11_500, 13_000)]
    assert [piece.text for piece in verdict.pieces] == ["one", "two"]
    assert verdict.dropped is None


def test_times_behind_the_end_are_held_to_it() -> None:
    (piece,) = judge(SPAN, [heard("one", 3_000, 29_000)]).pieces
    assert piece.span == TimeSpan(13_000, 14_000)


@pytest.mark.parametrize("texts", [[], [""], [" ", "…"], ["-", "♪"]])
def test_nothing_said_is_empty(texts: list[str]) -> None:
    assert judge(SPAN, [heard(text) for text in texts]).dropped is Dropped.EMPTY


def test_what_the_engine_doubts_twice_is_invented() -> None:
    invented = heard("thank you", no_speech=0.7, mean_logprob=-1.1)
    assert judge(SPAN, [invented]).dropped is Dropped.HALLUCINATION


@pytest.mark.parametrize("doubts", [(0.7, -0.9), (0.5, -1.5)])
def test_one_doubt_alone_is_not_enough(doubts: tuple[float, float]) -> None:
    verdict = judge(SPAN, [heard("thank you", no_speech=doubts[0], mean_logprob=doubts[1])])
    assert verdict.dropped is None


def test_an_invented_piece_goes_and_the_others_stay() -> None:
    verdict = judge(SPAN, [heard("yes"), heard("bye", no_speech=0.9, mean_logprob=-2.0)])
    assert [piece.text for piece in verdict.pieces] == ["yes"]


def test_words_the_overlap_doubled_go_across_pieces() -> None:
    verdict = judge(SPAN, [heard("the blue"), heard("boxes are here")], "we have the blue boxes")
    assert [piece.text for piece in verdict.pieces] == ["are here"]


def test_a_segment_that_only_repeats_is_empty() -> None:
    assert judge(SPAN, [heard("blue boxes")], "the blue boxes").dropped is Dropped.EMPTY


def test_text_is_harmless() -> None:
    (piece,) = judge(SPAN, [heard("a\x1b[2Jb\n\u202ec")]).pieces
    assert piece.text == "a[2Jb c"


@given(st.text(), st.integers(-10_000, 50_000), st.integers(-10_000, 50_000))
def test_no_recognition_breaks_it(text: str, start_ms: int, end_ms: int) -> None:
    for piece in judge(SPAN, [heard(text, start_ms, end_ms)]).pieces:
        assert SPAN.start_ms <= piece.span.start_ms <= piece.span.end_ms <= SPAN.end_ms
        assert piece.text


def test_a_text_too_long_for_one_line_is_no_speech_and_ends_nobody() -> None:
    assert judge(SPAN, [heard("word " * 60_000)]).dropped is Dropped.HALLUCINATION
