"""What parec says on stderr: cut into lines anywhere, chatter told from news."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from hearing_daemon.capture import parec_talk

TALK = (
    b"Connected to device mic (index: 2, suspended: no).\n"
    b"Time: 0.000 sec; Latency: 0 usec.        \r"
    b"Time: 0.029 sec; Latency: -10010 usec.        \r"
    b"Stream moved to device speakers.monitor (0, not suspended).\x1b[K \n"
)


@given(st.lists(st.integers(0, len(TALK)), max_size=8))
def test_lines_are_the_same_at_every_cut(cuts: list[int]) -> None:
    edges = sorted({0, len(TALK), *cuts})
    lines = parec_talk.Lines()
    said = [line for a, b in itertools.pairwise(edges) for line in lines.feed(TALK[a:b])]
    assert said == [
        "Connected to device mic (index: 2, suspended: no).",
        "Time: 0.000 sec; Latency: 0 usec.",
        "Time: 0.029 sec; Latency: -10010 usec.",
        "Stream moved to device speakers.monitor (0, not suspended).",
    ]


def test_an_endless_line_is_not_kept_whole() -> None:
    lines = parec_talk.Lines()
    for _ in range(1_000):
        assert lines.feed(b"x" * 1_000) == []
    [line] = lines.feed(b"\n")
    assert len(line) == 4_096


def test_only_a_move_is_a_complaint() -> None:
    moved = parec_talk.complaint("Stream moved to device speakers.monitor (0, not suspended).")
    assert moved is not None
    assert moved.sentence == "the device is gone: the sound server moved us to `speakers.monitor`"
    for line in ("Stream device suspended.", "Connected to device x (index: 2, suspended: no).", "Got EOF."):
        assert parec_talk.complaint(line) is None


def test_the_clock_is_chatter() -> None:
    assert parec_talk.is_chatter("Time: 0.029 sec; Latency: -10010 usec.")
    assert not parec_talk.is_chatter("Stream error: No such entity")
