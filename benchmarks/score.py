"""The speech that word errors are counted on; how they are counted is `hearing_cli.wer`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from faster_whisper.audio import decode_audio

from hearing_cli.wer import WordErrors, normalized, word_errors

__all__ = ["EvalClip", "EvalSpeech", "WordErrors", "eval_clips", "normalized", "word_errors"]

RATE_HZ = 16_000
CHECKOUT = Path(__file__).resolve().parent.parent
DEMO_FOLDER = CHECKOUT / "src" / "hearing_cli" / "demo_data"


@dataclass(frozen=True)
class EvalClip:
    """One utterance with the words that are said; `start_ms` and `end_ms` bound it inside a longer file."""

    name: str
    path: Path
    text: str
    start_ms: int = 0
    end_ms: int | None = None

    def samples(self) -> npt.NDArray[np.float32]:
        """Decode the clip to mono float32 at `RATE_HZ`."""
        end_samples = None if self.end_ms is None else self.end_ms * RATE_HZ // 1_000
        whole = np.asarray(decode_audio(str(self.path), sampling_rate=RATE_HZ), dtype=np.float32)
        return whole[self.start_ms * RATE_HZ // 1_000 : end_samples]


@dataclass(frozen=True)
class EvalSpeech:
    """Clips to measure on; `data` is the short name that goes into `settings.data` of a result."""

    data: str
    clips: tuple[EvalClip, ...]

    def every(self, step: int) -> EvalSpeech:
        """Thin the clips out evenly, for a quick look."""
        return EvalSpeech(f"{self.data}, every {step}th", self.clips[::step])


def eval_clips(kind: str = "asr") -> EvalSpeech:
    """Find the evaluation clips of one kind that have a reference text, else the turns of the demo recording.

    Looks in `HEARING_EVAL_DIR`, then in `shared/eval` beside the checkout.
    """
    folder = eval_folder()
    return demo_turns() if folder is None else manifest_clips(folder, kind)


def eval_folder() -> Path | None:
    """The folder that holds the evaluation manifest, or None where this machine has none."""
    named = os.environ.get("HEARING_EVAL_DIR")
    folder = Path(named) if named else CHECKOUT.parent / "shared" / "eval"
    if (folder / "MANIFEST.jsonl").is_file():
        return folder
    if named:
        raise FileNotFoundError(f"`HEARING_EVAL_DIR`: no `MANIFEST.jsonl` in `{folder}`")
    return None


def manifest_clips(folder: Path, kind: str) -> EvalSpeech:
    """Read the clips of one kind (a subfolder such as `asr`) whose text is known and not empty."""
    lines = (folder / "MANIFEST.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["file"].startswith(f"{kind}/")]
    clips = (
        EvalClip(entry["file"], folder / entry["file"], entry["text"]) for entry in entries if entry["text"]
    )
    return EvalSpeech(f"eval/{kind}", tuple(clips))


def demo_turns() -> EvalSpeech:
    """The turns of the recording that ships, each cut with a little of the pause around it."""
    margin_ms = 300
    path = DEMO_FOLDER / "meeting.flac"
    turns = json.loads((DEMO_FOLDER / "meeting.json").read_text(encoding="utf-8"))["turns"]
    clips = (
        EvalClip(
            f"demo/{index}",
            path,
            turn["text"],
            max(0, turn["start_ms"] - margin_ms),
            turn["end_ms"] + margin_ms,
        )
        for index, turn in enumerate(turns)
    )
    return EvalSpeech("demo recording", tuple(clips))
