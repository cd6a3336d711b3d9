"""What a child wrote: bounded, safe, in memory."""

from hypothesis import given
from hypothesis import strategies as st

from hearing_cli.up.ring import LINE_BYTES, RING_LINES, Ring


def test_lines_are_given_as_they_end() -> None:
    ring = Ring()
    assert ring.feed(b"one\ntw") == ["one"]
    assert ring.feed(b"o\n\nthree") == ["two"]
    assert ring.end() == ["three"]
    assert ring.end() == []
    assert ring.last(2) == ["two", "three"]


def test_only_the_newest_two_hundred_are_kept() -> None:
    ring = Ring()
    ring.feed("".join(f"{number}\n" for number in range(1_000)).encode())
    assert ring.last(10_000) == [str(number) for number in range(1_000 - RING_LINES, 1_000)]


def test_a_line_without_end_is_cut() -> None:
    ring = Ring()
    for _ in range(100):
        lines = ring.feed(b"x" * 1_000)
        assert all(len(line) <= LINE_BYTES for line in lines)
    assert len(ring.end()[0]) <= LINE_BYTES


def test_nothing_in_it_can_drive_a_terminal() -> None:
    ring = Ring()
    assert ring.feed(b"\x1b[2Jred\x07 \xff\xfe\n") == [
        "[2Jred \N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"
    ]


@given(st.binary(max_size=4_000), st.lists(st.integers(1, 700), min_size=1))
def test_any_chunking_gives_the_same_lines(data: bytes, sizes: list[int]) -> None:
    whole, cut = Ring(), Ring()
    whole.feed(data)
    whole.end()
    at = 0
    while at < len(data):
        size = sizes[at % len(sizes)]
        cut.feed(data[at : at + size])
        at += size
    cut.end()
    if max(map(len, data.split(b"\n"))) <= LINE_BYTES:  # a cut line's pieces may fall differently
        assert cut.last(RING_LINES) == whole.last(RING_LINES)
