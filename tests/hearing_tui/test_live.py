"""Unfinished speech: opened, closed, filled, landed, forgotten, and never too many."""

from hearing.messages.common import Partial, SpeechStart, SpeechStop
from hearing.types import Channel
from hearing_tui import live
from hearing_tui.live import MAX_LIVE, Live, LiveSegments

NOTHING: LiveSegments = {}


def start(seg_id: int) -> SpeechStart:
    return SpeechStart(seg_id=seg_id, leg=Channel.MIC, at_ms=0, ts="2026-01-02T03:04:05+00:00")


def partial(seg_id: int, stable: str = "", unstable: str = "") -> Partial:
    return Partial(seg_id=seg_id, leg=Channel.MIC, stable=stable, unstable=unstable)


def test_a_segment_opens_fills_and_closes() -> None:
    segments = live.started(NOTHING, start(1))
    segments = live.heard(segments, partial(1, "so", "far"))
    segments = live.stopped(segments, SpeechStop(seg_id=1, leg=Channel.MIC, at_ms=9))
    assert segments == {1: Live(1, Channel.MIC, "03:04:05", False, "so", "far")}


def test_a_partial_of_a_segment_we_joined_late_is_shown() -> None:
    assert live.heard(NOTHING, partial(5, "hi"))[5].stable == "hi"


def test_final_words_take_the_place_of_those_so_far() -> None:
    segments = live.landed(live.heard(NOTHING, partial(1, "a", "b")), 1)
    assert (segments[1].stable, segments[1].unstable) == ("", "")
    assert live.landed(segments, 99) is segments


def test_a_finished_segment_is_forgotten() -> None:
    assert live.finished(live.started(NOTHING, start(1)), 1) == {}


def test_only_so_many_are_kept_and_the_oldest_gives_way() -> None:
    segments = NOTHING
    for seg_id in range(MAX_LIVE + 3):
        segments = live.started(segments, start(seg_id))
    assert list(segments) == list(range(3, MAX_LIVE + 3))


def test_words_so_far_are_harmless() -> None:
    segment = live.heard(NOTHING, partial(1, "\x1b[2Ja", "\u202eb"))[1]
    assert (segment.stable, segment.unstable) == ("[2Ja", "b")
