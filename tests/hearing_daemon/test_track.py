"""One leg's sound on its way to segments."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hearing.config import VadConfig
from hearing.testing.vad import LoudnessVad
from hearing_daemon.segmenter import Closed, Effect, Limits, Opened
from hearing_daemon.track import SILENCE_DBFS, Level, Track

if TYPE_CHECKING:
    from hearing.interfaces import Samples

Draw = Callable[..., "Samples"]
CONFIG = VadConfig(pre_roll_ms=200, hang_over_ms=320, max_segment_ms=5_000)


def new_track() -> Track:
    return Track(LoudnessVad(), Limits.of(CONFIG))


def heard(track: Track, blocks: Iterable["Samples"], start_ms: int = 0) -> list[tuple[Effect, int]]:
    """Give each effect with the length of its sound as it is then in the ring."""
    effects: list[tuple[Effect, int]] = []

    def note(effect: Effect) -> None:
        length = len(track.audio(effect.start, effect.end)) if isinstance(effect, Closed) else 0
        effects.append((effect, length))

    at_ms = start_ms
    for block in blocks:
        for effect in track.hear(at_ms, block):
            note(effect)
        at_ms += len(block) // 16
    for effect in track.flush():
        note(effect)
    return effects


@pytest.mark.parametrize("block", [160, 320, 500, 512, 7_777, 1_000_000])
def test_blocks_of_any_size_give_the_same_segments(sound: Draw, block: int) -> None:
    whole = sound(-500, 700, -800, 9_000, -500, 300)
    blocks = [whole[at : at + block] for at in range(0, len(whole), block)]
    expected = heard(new_track(), [whole])
    assert heard(new_track(), blocks) == expected
    assert len(expected) == 8


def test_the_sound_of_a_segment_is_whole_when_it_is_closed(sound: Draw) -> None:
    for effect, length in heard(new_track(), [sound(-500, 700, -800, 30_000)]):
        if isinstance(effect, Closed):
            assert length == effect.end - effect.start


def test_the_last_fraction_of_a_frame_is_heard(sound: Draw) -> None:
    whole = sound(-500, 700)[:-3]
    (_, _), (closed, length) = heard(new_track(), [whole])
    assert isinstance(closed, Closed)
    assert closed.end == len(whole)
    assert length == closed.end - closed.start


def test_a_jump_in_time_ends_what_was_open_and_begins_anew(sound: Draw) -> None:
    track = new_track()
    list(track.hear(0, sound(1_000)))
    effects = list(track.hear(60_000, sound(1_000)))
    assert isinstance(effects[0], Closed)
    assert effects[0].end == 16_000
    assert effects[1] == Opened(60_000 * 16)
    assert track.now_ms == 61_000


def test_rounded_times_of_blocks_are_no_jump(sound: Draw) -> None:
    track = new_track()
    list(track.hear(0, sound(1_000)))
    assert list(track.hear(1_001, sound(1_000))) == []
    assert track.now_ms == 2_000


def test_the_detector_forgets_at_every_take(sound: Draw) -> None:
    vad = LoudnessVad()
    track = Track(vad, Limits.of(CONFIG))
    list(track.hear(0, sound(100)))
    list(track.flush())
    assert vad.resets == 1


@pytest.mark.parametrize(
    ("value", "dbfs"), [(0, SILENCE_DBFS), (1, -90.3), (16_384, -6.0), (-32_768, 0.0), (32_767, 0.0)]
)
def test_levels(value: int, dbfs: float) -> None:
    level = Level()
    level.add(np.full(100, value, dtype=np.int16))
    assert level.read_dbfs() == pytest.approx(dbfs, abs=0.05)


def test_a_level_without_sound_is_unknown() -> None:
    level = Level()
    assert level.read_dbfs() is None
    level.add(np.full(100, 1, dtype=np.int16))
    level.read_dbfs()
    assert level.read_dbfs() is None
