"""Windows as short as the clip allows, second looks where a sign asks for one, and the real model once."""

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from faster_whisper import WhisperModel, decode_audio
from faster_whisper.feature_extractor import FeatureExtractor
from tests.hearing_daemon.fake_whisper import FakeWhisper, Script, ids

from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon.decode_guards import LOOPS, Doubt
from hearing_daemon.short_window import (
    FRAME_SAMPLES,
    FULL_WINDOW_MS,
    LONGEST_MS,
    LOOKS,
    DecodeSettings,
    Look,
    ShortWindowDecoder,
)

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples

SHORT, FULL = Look(1_000, 5_000), Look(FULL_WINDOW_MS, FULL_WINDOW_MS)
SETTINGS = DecodeSettings(looks=(SHORT, FULL), tokens_per_s=4, spare_tokens=8)


def sound(duration_ms: int) -> "FloatSamples":
    return np.full(duration_ms * SAMPLE_RATE_HZ // 1_000, 0.5, dtype=np.float32)


def decoder(whisper: FakeWhisper, language: str | None = "en") -> ShortWindowDecoder:
    return ShortWindowDecoder(whisper, language=language, settings=SETTINGS)


def words(text: str) -> list[str]:
    return [word.strip(".,?!").lower() for word in text.split()]


@pytest.mark.parametrize(
    ("clip_ms", "window_ms"),
    [(1_000, 5_000), (3_999, 5_000), (6_000, 7_000), (6_001, 7_020), (29_500, 30_000)],
)
def test_the_window_is_the_clip_and_its_pad_but_never_too_short(clip_ms: int, window_ms: int) -> None:
    samples = SHORT.window_samples(clip_ms * SAMPLE_RATE_HZ // 1_000)
    assert samples == window_ms * SAMPLE_RATE_HZ // 1_000
    assert samples % (2 * FRAME_SAMPLES) == 0


@pytest.mark.parametrize("samples", [1, 159, 160, 161, 16_000, 48_077, 127_999, 400_000])
def test_the_window_is_what_silent_sound_behind_the_clip_would_give(samples: int) -> None:
    whisper = FakeWhisper()
    whisper.feature_extractor = FeatureExtractor()
    audio = np.random.default_rng(0).standard_normal(samples, dtype=np.float32)
    whole = np.zeros(SHORT.window_samples(samples), dtype=np.float32)
    whole[:samples] = audio
    expected = whisper.feature_extractor(whole, padding=0)
    np.testing.assert_allclose(decoder(whisper).window(audio, SHORT), expected, atol=1e-6)


def test_one_look_is_enough_where_nothing_is_odd() -> None:
    whisper = FakeWhisper(Script("<0> turn on the lamp <1800>", logprob=-0.25, no_speech_prob=0.02))
    tried = decoder(whisper)
    (piece,) = tried.decode(sound(2_000))
    assert (piece.text, piece.start_ms, piece.end_ms) == ("turn on the lamp", 0, 1_800)
    assert (piece.language, piece.no_speech) == ("en", 0.02)
    assert piece.mean_logprob == pytest.approx(-0.25)
    assert piece.confidence == pytest.approx(0.779)
    assert whisper.sound_frames == [200]
    assert [asked["frames"] for asked in whisper.generator.asked] == [500]
    assert tried.taken == {None: 1}


def test_a_sign_asks_for_the_full_window() -> None:
    whisper = FakeWhisper(Script("<0> stop <800> stop <1600> stop <1900>"), Script("<0> stop <700>"))
    tried = decoder(whisper)
    (piece,) = tried.decode(sound(2_000))
    assert piece.text == "stop"
    assert [asked["frames"] for asked in whisper.generator.asked] == [500, 3_000]
    assert tried.taken == {None: 1, Doubt.REPEATS: 1}


def test_an_answer_is_capped_by_the_length_of_the_clip_and_a_capped_one_is_not_believed() -> None:
    whisper = FakeWhisper(Script(16 * "turn on "), Script("<0> turn on <900>"))
    (piece,) = decoder(whisper).decode(sound(2_000))
    assert whisper.generator.asked[0]["max_length"] == 2 * 16
    assert piece.text == "turn on"


def test_a_look_is_taken_only_after_its_own_signs() -> None:
    third = Look(0, FULL_WINDOW_MS, after=LOOPS)
    ladder = replace(SETTINGS, looks=(SHORT, Look(0, 15_000), third))
    unsure = FakeWhisper(Script("<0> stop <700>", logprob=-1.2), Script("<0> on <700>", logprob=-1.1))
    (piece,) = ShortWindowDecoder(unsure, language="en", settings=ladder).decode(sound(2_000))
    assert (piece.text, piece.no_speech) == ("on", 1.0)
    assert [asked["frames"] for asked in unsure.generator.asked] == [500, 1_500]
    lost = FakeWhisper(Script(16 * "on "), Script(16 * "no "), Script("<0> stop <700>"))
    (piece,) = ShortWindowDecoder(lost, language="en", settings=ladder).decode(sound(2_000))
    assert piece.text == "stop"


def test_a_loop_in_every_window_is_cut() -> None:
    whisper = FakeWhisper(Script("turn on " + 14 * "no "), Script("turn on " + 14 * "no "))
    (piece,) = decoder(whisper).decode(sound(2_000))
    assert piece.text == "turn on no"


def test_silence_and_no_samples_give_nothing() -> None:
    whisper = FakeWhisper(Script("<0> <2000>", no_speech_prob=0.9))
    assert decoder(whisper).decode(sound(2_000)) == ()
    assert decoder(whisper).decode(sound(0)) == ()
    assert len(whisper.generator.asked) == 1


def test_doubts_about_speech_are_left_to_the_caller_and_cost_no_second_look() -> None:
    whisper = FakeWhisper(Script("<0> thanks <2000>", logprob=-1.4, no_speech_prob=0.8))
    (piece,) = decoder(whisper).decode(sound(2_000))
    assert (piece.text, piece.no_speech) == ("thanks", 0.8)


def test_a_language_that_is_not_given_is_heard() -> None:
    whisper = FakeWhisper(Script("<0> stop <900>"), multilingual=True)
    (piece,) = decoder(whisper, language=None).decode(sound(1_000))
    assert piece.language == "de"
    assert whisper.generator.asked[0]["prompt"] == ids("<|startoftranscript|> <|de|> <|transcribe|>")


def test_context_leads_the_answer_and_leaves_room_for_it() -> None:
    whisper = FakeWhisper(Script("<0> Berlin <900>"))
    decoder(whisper).decode(sound(25_000), context="Berlin")
    asked = whisper.generator.asked[0]
    assert asked["prompt"] == ids("<|startofprev|> Berlin <|startoftranscript|>")
    assert asked["max_length"] <= 448


def test_longer_clips_are_refused() -> None:
    with pytest.raises(ValueError, match="25000 ms"):
        decoder(FakeWhisper()).decode(sound(LONGEST_MS + 1))
    assert LONGEST_MS < FULL_WINDOW_MS


@pytest.fixture
def tiny(real_models: Path) -> WhisperModel:
    return WhisperModel(
        str(real_models / "tiny.en"), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
    )


@pytest.fixture
def turn() -> "tuple[FloatSamples, str]":
    """One turn of the demo and what is said in it."""
    folder = resources.files("hearing_cli") / "demo_data"
    found = json.loads((folder / "meeting.json").read_text(encoding="utf-8"))["turns"][2]
    with resources.as_file(folder / "meeting.flac") as path:
        whole = decode_audio(str(path), SAMPLE_RATE_HZ)
    return whole[found["start_ms"] * 16 : found["end_ms"] * 16], found["text"]


def test_the_real_model_hears_a_turn_of_the_demo_word_for_word(
    tiny: WhisperModel, turn: "tuple[FloatSamples, str]"
) -> None:
    clip, text = turn
    tried = ShortWindowDecoder(tiny, language="en")
    (piece,) = tried.decode(clip)
    assert words(piece.text) == words(text)
    assert tried.decode(clip) == (piece,)
    assert 0 <= piece.start_ms < piece.end_ms <= len(clip) // 16


@pytest.mark.parametrize("context", ["", 40 * "spring catalog "], ids=["no context", "long context"])
def test_the_real_model_stops_at_the_cap(
    tiny: WhisperModel, turn: "tuple[FloatSamples, str]", context: str
) -> None:
    clip, _ = turn
    capped = ShortWindowDecoder(
        tiny, language="en", settings=replace(SETTINGS, looks=(SHORT,), tokens_per_s=0, spare_tokens=5)
    )
    draft = capped.draft(clip, SHORT, context)
    assert not draft.ended
    assert 1 <= len(draft.text.split()) <= 5
    assert ShortWindowDecoder(tiny, language="en").draft(clip, LOOKS[0], context).ended
