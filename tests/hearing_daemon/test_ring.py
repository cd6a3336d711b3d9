"""The newest sound, by its place in stream time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hearing_daemon.ring import AudioRing


def test_what_was_added_can_be_read_by_its_place() -> None:
    ring = AudioRing(10)
    ring.append(np.arange(6, dtype=np.int16))
    assert ring.between(2, 5).tolist() == [2, 3, 4]
    assert ring.end == 6


def test_a_new_take_begins_anywhere() -> None:
    ring = AudioRing(10)
    ring.append(np.arange(6, dtype=np.int16))
    ring.restart(1_000)
    ring.append(np.arange(4, dtype=np.int16))
    assert ring.between(0, 2_000).tolist() == [0, 1, 2, 3]
    assert ring.between(1_002, 1_003).tolist() == [2]


def test_what_was_read_does_not_change_under_the_reader() -> None:
    ring = AudioRing(4)
    ring.append(np.arange(4, dtype=np.int16))
    read = ring.between(0, 4)
    ring.append(np.full(4, 9, dtype=np.int16))
    assert read.tolist() == [0, 1, 2, 3]


@given(st.integers(1, 20), st.lists(st.integers(0, 50), max_size=12), st.integers(0, 200), st.integers(0, 60))
def test_it_holds_exactly_the_newest(capacity: int, blocks: list[int], start: int, length: int) -> None:
    ring, total = AudioRing(capacity), 0
    for block in blocks:
        ring.append(np.arange(total, total + block, dtype=np.int16))
        total += block
    kept = range(max(0, total - capacity), total)
    assert ring.between(start, start + length).tolist() == [at for at in kept if start <= at < start + length]
