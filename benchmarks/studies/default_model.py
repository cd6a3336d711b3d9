"""Which Whisper model should a fresh install pull: word errors and CPU time of each on short utterances.

Every clip is decoded by every setting in turn, so that what else the machine does falls on all alike. There
are two ways of decoding: `stock`, what `WhisperModel.transcribe` does (every window filled up to 30 s), and
`short`, the same with the encoder fed the clip and 3 s of padding only, the cheap way for a live path.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import faster_whisper.transcribe
import numpy as np
import numpy.typing as npt
from faster_whisper.transcribe import Segment

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.score import RATE_HZ, EvalSpeech, eval_clips, word_errors
from benchmarks.studies import command_line

KEPT_ROWS = Path(__file__).with_suffix(".jsonl")
CPU_THREADS = 2
BEAM_SIZES = (1, 5)
SHORT_PADDING_FRAMES = 300
QUICK_STEP = 9

Audio = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Setting:
    """One way to turn a clip into text."""

    model: str
    beam_size: int
    encoder: str


@dataclass
class Tally:
    """What one setting has produced and cost so far, one entry per clip."""

    texts: list[str] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    wall_ms: list[float] = field(default_factory=list)
    retried: int = 0


@dataclass(frozen=True)
class Row:
    """One result: times are means per clip, `rtf` is time over length of audio.

    `retried_clips` counts those where the decoder distrusted its first text and sampled again.
    """

    model: str
    beam_size: int
    encoder: str
    wer_pct: float
    word_errors: int
    words: int
    retried_clips: int
    cpu_ms: float
    wall_ms: float
    rtf: float
    cpu_rtf: float
    size_mb: float
    n: int
    audio_s: float
    settings: dict[str, Any]


def main() -> None:
    """Measure and print; `--keep` also writes the rows beside this file."""
    options = arguments()
    speech = eval_clips("asr")
    rows = measure(options.models, speech.every(QUICK_STEP) if options.quick else speech)
    lines = [json.dumps(asdict(row)) for row in rows]
    if options.keep:
        KEPT_ROWS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines) if options.json else table(rows))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    made = command_line.parser(__doc__, KEPT_ROWS, QUICK_STEP)
    return command_line.parsed(made)


def measure(models: list[tuple[str, Path]], speech: EvalSpeech) -> list[Row]:
    """Decode every clip with every setting, clip by clip; one row per setting."""
    loaded = {name: load(path) for name, path in models}
    settings = [
        Setting(name, beam_size, encoder)
        for name in loaded
        for encoder in ENCODERS
        for beam_size in BEAM_SIZES
    ]
    clips = [clip.samples() for clip in speech.clips]
    for setting in settings:
        decode(loaded[setting.model], setting, clips[0])
    tallies = {setting: Tally() for setting in settings}
    for audio in clips:
        for setting, tally in tallies.items():
            add_clip(tally, partial(decode, loaded[setting.model], setting, audio))
    sizes_mb = {name: size_mb(path) for name, path in models}
    return [row(setting, tally, speech, clips, sizes_mb[setting.model]) for setting, tally in tallies.items()]


def load(path: Path) -> faster_whisper.WhisperModel:
    """Load as a fresh install would on a machine without a GPU."""
    return faster_whisper.WhisperModel(
        str(path), device="cpu", compute_type="int8", cpu_threads=CPU_THREADS, local_files_only=True
    )


def decode(model: faster_whisper.WhisperModel, setting: Setting, audio: Audio) -> list[Segment]:
    """Decode one clip; when `short`, what the model dates after the clip's end is invented, and dropped."""
    end_s = len(audio) / RATE_HZ if setting.encoder == "short" else float("inf")
    with ENCODERS[setting.encoder]():
        segments, _ = model.transcribe(
            audio,
            language="en",
            beam_size=setting.beam_size,
            without_timestamps=False,
            condition_on_previous_text=False,
        )
        return [segment for segment in segments if segment.start < end_s]


@contextlib.contextmanager
def short_encoder() -> Iterator[None]:
    """Fill a window up by 3 s, not to 30 s: encoding silence is most of the cost of a short clip."""
    whole_window = faster_whisper.transcribe.pad_or_trim

    def padded(features: Audio, length: int = 3_000, *, axis: int = -1) -> Audio:
        wanted = min(length, features.shape[axis] + SHORT_PADDING_FRAMES)
        return np.asarray(whole_window(features, wanted, axis=axis), dtype=np.float32)

    with mock.patch.object(faster_whisper.transcribe, "pad_or_trim", padded):
        yield


ENCODERS: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
    "stock": contextlib.nullcontext,
    "short": short_encoder,
}


def add_clip(tally: Tally, decode_clip: Callable[[], list[Segment]]) -> None:
    """Decode once and note the text, CPU time of all threads, wall time, and whether a retry was needed."""
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    segments = decode_clip()
    tally.cpu_ms.append(1_000 * (time.process_time() - cpu_s))
    tally.wall_ms.append(1_000 * (time.perf_counter() - wall_s))
    tally.texts.append(" ".join(segment.text.strip() for segment in segments))
    tally.retried += any(segment.temperature for segment in segments)


def row(setting: Setting, tally: Tally, speech: EvalSpeech, clips: list[Audio], size: float) -> Row:
    """Sum a setting up."""
    audio_s = sum(len(audio) for audio in clips) / RATE_HZ
    score = word_errors([clip.text for clip in speech.clips], tally.texts)
    return Row(
        model=setting.model,
        beam_size=setting.beam_size,
        encoder=setting.encoder,
        wer_pct=round(score.pct, 2),
        word_errors=score.errors,
        words=score.words,
        retried_clips=tally.retried,
        cpu_ms=round(sum(tally.cpu_ms) / len(clips)),
        wall_ms=round(sum(tally.wall_ms) / len(clips)),
        rtf=round(sum(tally.wall_ms) / audio_s / 1_000, 3),
        cpu_rtf=round(sum(tally.cpu_ms) / audio_s / 1_000, 3),
        size_mb=size,
        n=len(clips),
        audio_s=round(audio_s, 1),
        settings={
            "data": speech.data,
            "compute_type": "int8",
            "cpu_threads": CPU_THREADS,
            "cores": os.cpu_count(),
            "faster_whisper": faster_whisper.__version__,
        },
    )


def size_mb(folder: Path) -> float:
    """Size of a model's files in MB (10^6 bytes)."""
    return round(sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6, 1)


def table(rows: list[Row]) -> str:
    """The rows for a person, as a Markdown table."""
    columns = tuple(column.name for column in fields(Row) if column.name != "settings")
    lines = [columns, ("---",) * len(columns), *(tuple(str(asdict(r)[c]) for c in columns) for r in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
