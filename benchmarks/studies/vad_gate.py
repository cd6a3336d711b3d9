"""What the cheap gate before Silero costs and saves: speech frames it hides, and frames Silero need not rate.

Every clip is rated by Silero alone and by the cascade with each of webrtcvad's modes; a frame is speech when
Silero alone says so. The clips are taken as they are, 30 dB quieter, and in white noise 10 dB below them;
then come digital silence and steady white noise, in which nobody speaks.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.score import RATE_HZ, eval_clips

from hearing.config import VadConfig
from hearing_daemon.vad.cascade import Cascade
from hearing_daemon.vad.gate import Gate
from hearing_daemon.vad.silero import FRAME_SAMPLES, Silero

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples, Samples

KEPT_ROWS = Path(__file__).with_suffix(".jsonl")
MODES = (0, 1, 2, 3)
QUICK_STEP = 9
PAUSE_S = 2
"""Digital silence around every clip, so that the gate is shut when speech begins."""

Rate = Callable[["Samples"], float]


class CountingSilero(Silero):
    """Counts the frames it rates."""

    rated = 0

    def probability(self, sound: Samples) -> float:
        """Rate and count."""
        self.rated += len(sound) // FRAME_SAMPLES
        return super().probability(sound)


def main() -> None:
    """Measure and print; `--keep` also writes the rows beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"every {QUICK_STEP}th clip only")
    parser.add_argument("--keep", action="store_true", help=f"write `{KEPT_ROWS.name}` beside the script")
    options = parser.parse_args()
    rows = [json.dumps(row) for row in measured(QUICK_STEP if options.quick else 1)]
    if options.keep:
        KEPT_ROWS.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print("\n".join(rows))


def measured(step: int) -> Iterator[dict[str, Any]]:
    """Give one row per kind of sound and mode."""
    speech = eval_clips("asr")
    speech = speech.every(step) if step > 1 else speech
    clips = [clip.samples() for clip in speech.clips]
    threshold = VadConfig().threshold
    for kind, change in CHANGES.items():
        sounds = [frames(change(clip)) for clip in clips]
        alone, alone_ms, rated = ratings(sounds, None)
        speech_frames = alone >= threshold
        for mode in MODES:
            gated, gated_ms, gated_rated = ratings(sounds, mode)
            hidden = speech_frames & (gated < threshold)
            yield {
                "sound": kind,
                "mode": mode,
                "speech_frames": int(speech_frames.sum()),
                "hidden_pct": round(100 * hidden.sum() / max(1, speech_frames.sum()), 3),
                "added_pct": round(100 * (~speech_frames & (gated >= threshold)).mean(), 3),
                "rated_pct": round(100 * gated_rated / rated, 1),
                "cpu_ms_per_s": round(gated_ms, 3),
                "cpu_ms_per_s_alone": round(alone_ms, 3),
                "data": speech.data,
            }
    for dbfs in (None, -60, -45):
        quiet = [frames(steady_noise(60, dbfs))]
        for mode in MODES:
            gated, ms, rated = ratings(quiet, mode)
            yield {
                "sound": "digital silence" if dbfs is None else f"white noise at {dbfs} dBFS",
                "mode": mode,
                "rated_pct": round(100 * rated / len(gated), 1),
                "false_speech_frames": int((gated >= threshold).sum()),
                "cpu_ms_per_s": round(ms, 3),
            }


def steady_noise(seconds: int, dbfs: float | None) -> FloatSamples:
    """Give white noise of a level, or silence."""
    level = 0.0 if dbfs is None else 10 ** (dbfs / 20)
    noise = np.random.default_rng(2).standard_normal(seconds * RATE_HZ)
    return (noise * level).astype(np.float32)


def quieter(clip: FloatSamples) -> FloatSamples:
    """Give the clip 30 dB down."""
    return clip * np.float32(10 ** (-30 / 20))


def noisy(clip: FloatSamples) -> FloatSamples:
    """Give the clip in white noise 10 dB below its mean power."""
    noise = np.random.default_rng(1).standard_normal(len(clip)).astype(np.float32)
    return clip + noise * np.float32(np.sqrt(np.mean(clip**2)) * 10 ** (-10 / 20))


CHANGES: dict[str, Callable[[FloatSamples], FloatSamples]] = {
    "as it is": lambda clip: clip,
    "30 dB quieter": quieter,
    "in noise 10 dB below": noisy,
}


def frames(clip: FloatSamples) -> Samples:
    """Give a clip with silence around it as `(n, FRAME_SAMPLES) int16`."""
    pause = np.zeros(PAUSE_S * RATE_HZ, dtype=np.float32)
    whole = np.concatenate([pause, clip, pause])
    kept = whole[: len(whole) // FRAME_SAMPLES * FRAME_SAMPLES]
    samples: Samples = np.clip(kept * 32_768, -32_768, 32_767).astype(np.int16)
    return samples.reshape(-1, FRAME_SAMPLES)


def ratings(sounds: list[Samples], mode: int | None) -> tuple[np.ndarray, float, int]:
    """Rate every frame; give the ratings, CPU ms per second of sound, and how many frames Silero rated."""
    silero = CountingSilero()
    cascade = None if mode is None else Cascade(Gate(mode), silero)
    rate: Rate = silero.probability if cascade is None else cascade.probability
    found: list[float] = []
    started_s = time.process_time()
    for sound in sounds:
        (cascade or silero).reset()
        found += [rate(frame) for frame in sound]
    cpu_s = time.process_time() - started_s
    return np.asarray(found), 1_000 * cpu_s / (len(found) * FRAME_SAMPLES / RATE_HZ), silero.rated


if __name__ == "__main__":
    main()
