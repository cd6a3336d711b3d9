"""faster-whisper behind its door, with the real weights."""

import os
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hearing.errors import AudioError, ModelError
from hearing_daemon.engine import WhisperEngine, read_sound

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples


def new_engine(weights: Path, **more: Any) -> WhisperEngine:
    settings = {"language": "auto", "beam_size": 1, "compute_type": "int8", "threads": 1}
    return WhisperEngine(weights, **{**settings, **more})


@pytest.fixture(scope="module")
def first_turn() -> "FloatSamples":
    """Give the first turn of the demo recording."""
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as file:
        return read_sound(file)[: 4 * 16_000]


@pytest.fixture
def engine(real_models: Path) -> WhisperEngine:
    return new_engine(real_models / "tiny.en")


def test_words_come_with_times_and_doubts(engine: WhisperEngine, first_turn: "FloatSamples") -> None:
    (piece,) = engine.transcribe(first_turn)
    assert "spring catalog" in piece.text
    assert 0 <= piece.start_ms < piece.end_ms
    assert piece.language == "en"
    assert piece.confidence is not None
    assert 0.3 < piece.confidence <= 1.0
    assert piece.no_speech is not None
    assert piece.mean_logprob is not None


def test_short_windows_hear_what_whole_ones_hear(
    engine: WhisperEngine, real_models: Path, first_turn: "FloatSamples"
) -> None:
    whole = new_engine(real_models / "tiny.en", whole_windows=True)
    short_text, whole_text = (
        " ".join(piece.text for piece in each.transcribe(first_turn)) for each in (engine, whole)
    )
    assert short_text.replace(",", "") == whole_text.replace(",", "")


def test_silence_is_decoded_without_an_error(engine: WhisperEngine) -> None:
    engine.warm_up(np.zeros(16_000, dtype=np.float32))


@pytest.mark.parametrize("length", [0, 1, 399, 401, 16_001])
def test_sound_of_any_length_is_taken(engine: WhisperEngine, length: int) -> None:
    engine.transcribe(np.zeros(length, dtype=np.float32))


def test_an_utterance_longer_than_a_short_window_goes_the_library_s_way(
    engine: WhisperEngine, first_turn: "FloatSamples"
) -> None:
    longer = np.concatenate([first_turn, np.zeros(23 * 16_000, dtype=np.float32)])
    assert "spring catalog" in engine.transcribe(longer)[0].text


def test_a_language_the_model_does_not_know_is_refused(real_models: Path) -> None:
    with pytest.raises(ModelError, match="`de` is no language of this model"):
        new_engine(real_models / "tiny.en", language="de")


def test_a_torn_model_is_refused(real_models: Path, tmp_path: Path) -> None:
    torn = tmp_path / "tiny.en"
    shutil.copytree(real_models / "tiny.en", torn)
    os.truncate(torn / "model.bin", 100_000)
    with pytest.raises(ModelError, match="cannot be loaded") as refused:
        new_engine(torn)
    assert "hearing models verify" in refused.value.hint


def test_an_unknown_precision_is_refused(real_models: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        new_engine(real_models / "tiny.en", compute_type="int7")


@pytest.mark.parametrize("content", [b"", b"RIFF", bytes(range(256)) * 40, b"RIFF\x24\x00\x00\x00WAVEfmt "])
def test_what_is_no_sound_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "talk.wav"
    file.write_bytes(content)
    with pytest.raises(AudioError, match="cannot be read as sound"):
        read_sound(file)
    with pytest.raises(AudioError, match="cannot be read as sound"):
        read_sound(tmp_path / "missing.wav")


def test_a_torn_tokenizer_is_named_at_once(real_models: Path, tmp_path: Path) -> None:
    torn = tmp_path / "tiny.en"
    shutil.copytree(real_models / "tiny.en", torn)
    content = (torn / "tokenizer.json").read_bytes()
    (torn / "tokenizer.json").write_bytes(content[:1_000] + b"\0" * (len(content) - 1_000))
    with pytest.raises(ModelError, match=r"`tokenizer.json` is torn") as caught:
        new_engine(torn)
    assert "hearing models pull tiny.en" in caught.value.hint
