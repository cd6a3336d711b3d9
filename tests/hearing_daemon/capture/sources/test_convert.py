"""Conversion and blocks: nothing lost, nothing carried from one take into the next."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hearing.errors import AudioError
from hearing_daemon.capture.sources.convert import Blocks, Converter


@given(st.lists(st.integers(0, 2_000), max_size=20))
def test_blocks_keep_every_sample_in_order(sizes: list[int]) -> None:
    sound = np.arange(sum(sizes), dtype=np.int16)
    blocks, given_blocks, start = Blocks(640), [], 0
    for size in sizes:
        given_blocks += list(blocks.take(sound[start : start + size]))
        start += size
    assert all(len(block) == 640 for block in given_blocks)
    given_blocks += list(blocks.finish())
    joined = np.concatenate(given_blocks) if given_blocks else sound[:0]
    assert joined.tolist() == sound.tolist()


def test_the_end_of_one_take_is_not_heard_in_the_next(tone: Callable[..., NDArray[np.float32]]) -> None:
    loud, silence = tone(440, 0.5, 48_000), np.zeros((24_000, 1), np.float32)
    Converter(48_000).take(loud)
    after = np.concatenate([(second := Converter(48_000)).take(silence), second.finish()])
    assert not after.any()


@pytest.mark.parametrize("chunk", [1, 7, 480, 44_100])
def test_chunks_of_any_size_give_the_same_sound(chunk: int, tone: Callable[..., NDArray[np.float32]]) -> None:
    frames = tone(440, 0.2, 44_100)
    whole = Converter(44_100)
    expected = np.concatenate([whole.take(frames), whole.finish()])
    pieces = Converter(44_100)
    parts = [pieces.take(frames[start : start + chunk]) for start in range(0, len(frames), chunk)]
    sound = np.concatenate([*parts, pieces.finish()])
    assert len(sound) == len(expected)
    assert np.abs(sound.astype(int) - expected.astype(int)).max() <= 1


def test_nonsense_rates_are_refused() -> None:
    for rate_hz in (0, -1, 999, 2_000_001):
        with pytest.raises(AudioError, match="is no sound"):
            Converter(rate_hz)
