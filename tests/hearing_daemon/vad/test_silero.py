"""Silero behind its door."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from hearing.config import VadConfig
from hearing_daemon import vad
from hearing_daemon.vad.silero import FRAME_SAMPLES, Silero

if TYPE_CHECKING:
    from hearing.interfaces import Samples


def frames(sound: "Samples") -> "list[Samples]":
    return [sound[at : at + FRAME_SAMPLES] for at in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES)]


def test_it_rates_as_faster_whisper_does_on_the_whole_recording(meeting: "Samples") -> None:
    from faster_whisper.vad import get_vad_model

    ours = Silero()
    whole = meeting[: len(meeting) // FRAME_SAMPLES * FRAME_SAMPLES]
    theirs = get_vad_model()(whole.astype(np.float32) / 32_768)
    rated = [ours.probability(frame) for frame in frames(whole)]
    # theirs zeroes the end of the very last frame, which nobody hears
    assert rated[:-1] == pytest.approx(theirs.reshape(-1).tolist()[:-1], abs=1e-3)


def test_several_frames_at_once_are_heard_one_after_another(meeting: "Samples") -> None:
    one_by_one, at_once = Silero(), Silero()
    sound = meeting[16_000 : 16_000 + 9 * FRAME_SAMPLES]
    rated = [one_by_one.probability(frame) for frame in frames(sound)]
    assert at_once.probability(sound) == pytest.approx(rated[-1], abs=1e-4)


def test_it_forgets_when_told(meeting: "Samples") -> None:
    silero = Silero()
    sound = frames(meeting)[40]
    first = silero.probability(sound)
    for frame in frames(meeting)[:40]:
        silero.probability(frame)
    silero.reset()
    assert silero.probability(sound) == pytest.approx(first, abs=1e-6)


def test_the_whole_detector_tells_speech_from_silence(meeting: "Samples") -> None:
    detector = vad.build(VadConfig())
    spoken = [detector.probability(frame) for frame in frames(meeting)]
    assert sum(probability > 0.5 for probability in spoken) > len(spoken) / 2
    detector.reset()
    silence = np.zeros(FRAME_SAMPLES, dtype=np.int16)
    assert max(detector.probability(silence) for _ in range(100)) < 0.1
