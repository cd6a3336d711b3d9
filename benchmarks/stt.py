"""Recognition: word errors and CPU time of the live path against stock faster-whisper on the same clips.

The live path is the daemon's own: VAD, segmenter, backlog, engine, verdict. The peer decodes each whole clip
with `WhisperModel.transcribe` and the same weights, threads and beam. Both run in this process, in turn.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import faster_whisper
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.report import Result, arguments, show
from benchmarks.score import RATE_HZ, EvalSpeech, eval_clips, word_errors

from hearing.clock import SystemClock
from hearing.config import Config, SttConfig
from hearing.messages.common import Event, Transcript
from hearing.models import store
from hearing.process import model_threads
from hearing.types import Channel
from hearing_daemon import vad
from hearing_daemon.capture.events import Sound
from hearing_daemon.engine import WhisperEngine
from hearing_daemon.recognizer import Recognized
from hearing_daemon.speech import Speech

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples

ROUNDS, QUICK_ROUNDS, QUICK_STEP = 5, 1, 2
SHORT_MS = 8_000
BLOCK_SAMPLES = RATE_HZ // 50


@dataclass
class Tally:
    """One side: the text of each clip, and its CPU time in every round."""

    texts: list[str] = field(default_factory=list)
    cpu_ms: list[list[float]] = field(default_factory=list)


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "")
    speech = eval_clips("asr")
    speech, rounds = (speech.every(QUICK_STEP), QUICK_ROUNDS) if options.quick else (speech, ROUNDS)
    show(measured(SttConfig().model, speech, rounds), as_json=options.json)


def measured(model: str, speech: EvalSpeech, rounds: int) -> Iterator[Result]:
    """Give the rows of the table."""
    clips = [clip.samples() for clip in speech.clips]
    ours, peer = tallies(model, clips, rounds)
    said = [clip.text for clip in speech.clips]
    every = range(len(clips))
    short = [at for at in every if len(clips[at]) <= SHORT_MS * RATE_HZ // 1_000]
    settings = {
        "data": speech.data,
        "model": model,
        "beam_size": SttConfig().beam_size,
        "compute_type": SttConfig().compute_type,
        "threads": model_threads(),
        "cores": os.cpu_count(),
        "rounds": rounds,
        "audio_s": round(sum(map(len, clips)) / RATE_HZ, 1),
    }
    name = f"faster-whisper {faster_whisper.__version__}"

    def cpu_ms(side: Tally) -> float:
        return statistics.fmean(statistics.median(side.cpu_ms[at]) for at in short)

    def wer_pct(side: Tally, chosen: Sequence[int]) -> float:
        return word_errors([said[at] for at in chosen], [side.texts[at] for at in chosen]).pct

    unit = "CPU ms a clip of at most 8 s"
    yield Result("stt.cpu_ms_end_to_text", cpu_ms(ours), cpu_ms(peer), name, len(short), unit, settings)
    wers = wer_pct(ours, every), wer_pct(peer, every)
    yield Result("stt.live_wer_ratio", wers[0], wers[1], name, len(clips), "% of words", settings)
    wers = wer_pct(ours, short), wer_pct(peer, short)
    more = {**settings, "ours_wer_pct": round(wers[0], 2), "peer_wer_pct": round(wers[1], 2)}
    unit = "WER points above the peer"
    yield Result("stt.short_wer_delta_points", wers[0] - wers[1], None, name, len(short), unit, more)


def tallies(model: str, clips: list[FloatSamples], rounds: int) -> tuple[Tally, Tally]:
    """Decode every clip by both sides in turn; the first decoding of each side is not counted."""
    live, stock = engine(model, whole_windows=False), engine(model, whole_windows=True)
    sides: list[tuple[Tally, Callable[[FloatSamples], tuple[str, float]]]] = [
        (Tally(), lambda clip: by_live_path(live, clip)),
        (Tally(), lambda clip: by_whole_clip(stock, clip)),
    ]
    for _, decode in sides:
        decode(clips[0])
    for clip in clips:
        heard = [[decode(clip) for _, decode in sides] for _ in range(rounds)]
        for at, (tally, _) in enumerate(sides):
            tally.texts.append(heard[0][at][0])
            tally.cpu_ms.append([results[at][1] for results in heard])
    return sides[0][0], sides[1][0]


def engine(model: str, *, whole_windows: bool) -> WhisperEngine:
    """Load the model as the daemon's worker does."""
    stt = SttConfig()
    return WhisperEngine(
        store.locate(model),
        language=stt.language,
        beam_size=stt.beam_size,
        compute_type=stt.compute_type,
        threads=model_threads(),
        whole_windows=whole_windows,
    )


def by_live_path(live: WhisperEngine, clip: FloatSamples) -> tuple[str, float]:
    """Give the published text, and the CPU ms spent after speech had ended: recognition, not the VAD."""
    events: list[Event] = []
    config = Config()
    speech = Speech(config, events.append, SystemClock())
    speech.add_leg(Channel.MIC, vad.build(config.vad), pulled=True)
    samples = np.clip(clip * 32_768, -32_768, 32_767).astype(np.int16)
    for at in range(0, len(samples), BLOCK_SAMPLES):
        speech.hear(Sound(Channel.MIC, at * 1_000 // RATE_HZ, samples[at : at + BLOCK_SAMPLES]))
    speech.end(Channel.MIC)
    started_s = time.process_time()
    while (utterance := speech.take()) is not None:
        pieces = live.transcribe(utterance.samples.astype(np.float32) / np.float32(32_768))
        speech.finish(utterance, Recognized(tuple(pieces), 0), 0)
    cpu_ms = 1_000 * (time.process_time() - started_s)
    return " ".join(event.text for event in events if isinstance(event, Transcript)), cpu_ms


def by_whole_clip(stock: WhisperEngine, clip: FloatSamples) -> tuple[str, float]:
    """Give the text of one call on the whole clip and its CPU ms."""
    started_s = time.process_time()
    text = " ".join(piece.text for piece in stock.transcribe(clip))
    return text, 1_000 * (time.process_time() - started_s)


if __name__ == "__main__":
    main()
