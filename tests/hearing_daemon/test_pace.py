"""How fast the recognizer is."""

import pytest

from hearing_daemon.pace import Pace, recognized


def test_the_first_utterance_is_the_mean() -> None:
    assert recognized(Pace(), took_ms=500, audio_ms=2_000).rtf == 0.25


def test_newer_utterances_count_more() -> None:
    pace = recognized(Pace(1.0), took_ms=0, audio_ms=1_000)
    assert pace.rtf == pytest.approx(0.8)


def test_an_utterance_without_length_divides_by_nothing() -> None:
    assert recognized(Pace(), took_ms=5, audio_ms=0).rtf == 5.0
