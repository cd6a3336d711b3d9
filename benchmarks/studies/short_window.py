"""Which window, filler, beam, cap and second look to decode utterances with: word errors, loops, CPU time.

Every clip is decoded by every setting in turn, so that what else the machine does falls on all alike. `stock`
is what `WhisperModel.transcribe` does: windows filled up to 30 s, random samples drawn where it doubts. All
others are `ShortWindowDecoder` with one thing changed against the choice, less what the daemon would drop. A
loop is a text of more than twice as many words as were said, and five more. `no speech` is noise in pieces of
3 s: every word there is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the worker has it; read when numpy is loaded

import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.score import (
    RATE_HZ,
    EvalClip,
    WordErrors,
    demo_turns,
    eval_folder,
    manifest_clips,
    normalized,
    word_errors,
)
from benchmarks.studies import command_line

from hearing_daemon.decode_guards import doubts
from hearing_daemon.short_window import (
    FULL_WINDOW_MS,
    LONGEST_MS,
    DecodeSettings,
    Look,
    ShortWindowDecoder,
)
from hearing_daemon.verdict import is_invented
from hearing_daemon.whisper_tokens import Vocabulary

KEPT_ROWS = Path(__file__).with_suffix(".jsonl")
KINDS = ("asr", "speakers", "turns", "commands", "odd")
SHORT_MS = 8_000
PIECE_MS = 3_000
QUICK_STEP = 9
FULL_LOOK = Look(FULL_WINDOW_MS, FULL_WINDOW_MS)
CHOICE = DecodeSettings()
NEVER_UNSURE = replace(CHOICE.limits, logprob_below=-99.0)

Audio = npt.NDArray[np.float32]
Decode = Callable[[Audio], str]
Row = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """One way to turn a clip into text: the decoder's own settings, and what it cannot be told."""

    label: str
    decode: DecodeSettings = CHOICE
    fill: str = "silent sound"
    timestamps: bool = True
    second_look: str = "longer window"
    threads: int = 1
    stock: bool = False


@dataclass(frozen=True)
class Group:
    """Clips that are counted together."""

    name: str
    clips: tuple[EvalClip, ...]
    audio: tuple[Audio, ...]


@dataclass
class Tally:
    """What one setting has produced and cost so far, one entry per clip of a group."""

    texts: list[str] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)


class UntimedVocabulary(Vocabulary):
    """Asks for text without timestamps."""

    def prompt(self, language: str | None, context: str = "") -> list[int]:
        """Give the prompt with the token that turns them off."""
        return [*super().prompt(language, context), self.no_timestamps]


class StudiedDecoder(ShortWindowDecoder):
    """The decoder with what only a study changes."""

    def __init__(self, model: WhisperModel, setting: Setting) -> None:
        super().__init__(model, language="en", settings=setting.decode)
        self._model = model
        self._setting = setting
        if not setting.timestamps:
            self.vocabulary = UntimedVocabulary(model.hf_tokenizer, multilingual=model.model.is_multilingual)

    def window(self, audio: Audio, look: Look) -> Audio:
        """Fill the window in the setting's way."""
        samples = look.window_samples(len(audio))
        frames, filled = samples // 160, samples - len(audio)
        if self._setting.fill == "silent sound":
            return super().window(audio, look)
        if self._setting.fill == "faint noise":
            noise = 1e-4 * np.random.default_rng(0).standard_normal(filled).astype(np.float32)
            return np.asarray(
                self._model.feature_extractor(np.concatenate([audio, noise]), padding=0)[..., :frames]
            )
        features = self._model.feature_extractor(audio)[..., : len(audio) // 160]
        floor = {"empty features": 0.0, "lowest features": float(features.min())}[self._setting.fill]
        missing = frames - features.shape[-1]
        return np.pad(features, ((0, 0), (0, missing)), constant_values=floor).astype(np.float32)

    def text(self, audio: Audio) -> str:
        """Decode a clip to its text; a doubt goes to the library if the setting says so."""
        if self._setting.second_look == "library":
            return self._text_or_library(audio)
        return " ".join(piece.text for piece in self.decode(audio) if not is_invented(piece))

    def _text_or_library(self, audio: Audio) -> str:
        first, limits = self.draft(audio, CHOICE.looks[0]), CHOICE.limits
        if doubts(first, limits):
            return stock_text(self._model, 1, audio)
        silent = first.no_speech > limits.no_speech_above and first.mean_logprob < limits.logprob_below
        return "" if silent else first.text


def main() -> None:
    """Measure and print; `--keep` also writes the rows beside this file."""
    options = arguments()
    groups = eval_groups(QUICK_STEP if options.quick else 1)
    compared = [setting for setting in settings() if setting.label.startswith(("stock", options.only))]
    rows = [row for name, path in options.models for row in measure(name, path, groups, compared)]
    lines = [json.dumps(row, default=sorted) for row in rows]
    if options.keep:
        with KEPT_ROWS.open("a" if options.only else "w", encoding="utf-8") as kept:
            kept.writelines(f"{line}\n" for line in lines)
    print("\n".join(lines) if options.json else table(rows))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    made = command_line.parser(__doc__, KEPT_ROWS, QUICK_STEP)
    made.add_argument(
        "--only", default="", help="settings whose label begins so, and `stock`; `--keep` then adds rows"
    )
    return command_line.parsed(made)


def settings() -> list[Setting]:
    """All that is compared; the choice is `DecodeSettings()`."""
    return [
        Setting("stock beam 1", stock=True),
        Setting("stock beam 5", replace(CHOICE, beam_size=5), stock=True),
        Setting("stock beam 1, 2 threads", stock=True, threads=2),
        Setting("choice"),
        Setting("choice, 2 threads", threads=2),
        Setting("beam 5", replace(CHOICE, beam_size=5)),
        *(
            Setting(f"one look, clip + {pad_ms} ms, {shortest_ms} ms or more", one_look(pad_ms, shortest_ms))
            for pad_ms, shortest_ms in ONE_LOOK
        ),
        *(
            Setting(
                f"first look clip + {pad_ms} ms, {shortest_ms} ms or more", first_look(pad_ms, shortest_ms)
            )
            for pad_ms, shortest_ms in FIRST_LOOK
        ),
        Setting("second look full window", replace(CHOICE, looks=(CHOICE.looks[0], FULL_LOOK))),
        Setting("every doubt up to the full window", replace(CHOICE, looks=(*CHOICE.looks[:2], FULL_LOOK))),
        Setting("second look library, random", second_look="library"),
        Setting("log-probability is no sign", replace(CHOICE, limits=NEVER_UNSURE)),
        *(
            Setting(f"fill {fill}", fill=fill)
            for fill in ("lowest features", "empty features", "faint noise")
        ),
        Setting("timestamps off", timestamps=False),
        *(Setting(f"cap {cap} tokens/s", replace(CHOICE, tokens_per_s=cap)) for cap in (3.0, 6.0, 100.0)),
    ]


ONE_LOOK = ((1_500, 0), (3_000, 0), (5_000, 0), (8_000, 0), (4_000, 8_000), (4_000, 10_000))
FIRST_LOOK = ((3_000, 8_000), (4_000, 10_000), (4_000, 12_000))


def first_look(pad_ms: int, shortest_ms: int) -> DecodeSettings:
    """The choice with another window to begin with."""
    return replace(CHOICE, looks=(Look(pad_ms, shortest_ms), *CHOICE.looks[1:]))


def one_look(pad_ms: int, shortest_ms: int) -> DecodeSettings:
    """The choice with one window and no second look."""
    return replace(CHOICE, looks=(Look(pad_ms, shortest_ms),))


def eval_groups(step: int) -> list[Group]:
    """Sort the clips: sentences by length, commands, single words, other formats, the demo, noise."""
    folder = eval_folder()
    found = [] if folder is None else [clip for kind in KINDS for clip in manifest_clips(folder, kind).clips]
    noise = [] if folder is None else list(noise_pieces(folder))
    sorted_clips: dict[str, list[tuple[EvalClip, Audio]]] = {}
    for clip in [*found, *demo_turns().clips, *noise]:
        if clip.path.suffix == ".raw":
            continue  # bare samples tell no rate
        audio = clip.samples()
        if len(audio) <= LONGEST_MS * RATE_HZ // 1_000:
            sorted_clips.setdefault(group_of(clip, len(audio)), []).append((clip, audio))
    return [
        Group(name, tuple(clip for clip, _ in kept[::step]), tuple(audio for _, audio in kept[::step]))
        for name, kept in sorted_clips.items()
    ]


def noise_pieces(folder: Path) -> Iterator[EvalClip]:
    """Cut the recordings in which nobody speaks."""
    for line in (folder / "MANIFEST.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["text"] == "":
            for start_ms in range(0, round(1_000 * entry["seconds"]) - PIECE_MS // 3, PIECE_MS):
                name = f"no speech/{entry['file']}"
                yield EvalClip(name, folder / entry["file"], "", start_ms, start_ms + PIECE_MS)


def group_of(clip: EvalClip, samples: int) -> str:
    """Name the group a clip counts in."""
    kind, _, rest = clip.name.partition("/")
    if kind in {"asr", "speakers", "turns"}:
        return "sentences to 8 s" if samples <= SHORT_MS * RATE_HZ // 1_000 else "sentences to 25 s"
    if kind == "odd":
        return "single words" if rest.startswith(("short_8k", "letters")) else "odd formats"
    return kind


def measure(
    model_name: str, path: Path, groups: list[Group], compared: list[Setting]
) -> list[dict[str, Any]]:
    """Decode every clip with every setting, clip by clip; one row per setting and group."""
    loaded = {threads: load(path, threads) for threads in sorted({setting.threads for setting in compared})}
    decoders = {setting: decoder(loaded[setting.threads], setting) for setting in compared}
    for decode in decoders.values():
        decode(groups[0].audio[0])
    rows = []
    for group in groups:
        tallies = {setting: Tally() for setting in compared}
        for audio in group.audio:
            for setting, decode in decoders.items():
                add_clip(tallies[setting], partial(decode, audio))
        rows += [row(model_name, setting, group, tally) for setting, tally in tallies.items()]
    return rows


def load(path: Path, threads: int) -> WhisperModel:
    """Load as a fresh install would on a machine without a GPU."""
    return WhisperModel(
        str(path), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
    )


def decoder(model: WhisperModel, setting: Setting) -> Decode:
    """Make the function that turns a clip into text."""
    if setting.stock:
        return partial(stock_text, model, setting.decode.beam_size)
    return StudiedDecoder(model, setting).text


def stock_text(model: WhisperModel, beam_size: int, audio: Audio) -> str:
    """Decode as the library does, text not carried over between windows."""
    segments, _ = model.transcribe(
        audio, language="en", beam_size=beam_size, condition_on_previous_text=False
    )
    return " ".join(segment.text.strip() for segment in segments)


def add_clip(tally: Tally, decode_clip: Callable[[], str]) -> None:
    """Decode once and note the text and the CPU time of all threads."""
    cpu_s = time.process_time()
    tally.texts.append(decode_clip())
    tally.cpu_ms.append(1_000 * (time.process_time() - cpu_s))


def row(model_name: str, setting: Setting, group: Group, tally: Tally) -> Row:
    """Sum up what a setting made of a group; times are means per clip."""
    references = [clip.text for clip in group.clips]
    score = score_of(references, tally.texts)
    return {
        "model": model_name,
        "setting": setting.label,
        "group": group.name,
        "word_errors": score.errors,
        "words": score.words,
        "wer_pct": round(score.pct, 2) if score.words else None,
        "with_text": sum(1 for text in tally.texts if normalized(text)),
        "loops": sum(map(is_loop, references, tally.texts)),
        "cpu_ms": round(float(np.mean(tally.cpu_ms))),
        "n": len(group.clips),
        "settings": described(setting),
    }


def score_of(said: list[str], heard: list[str]) -> WordErrors:
    """Count word errors; where nothing was said, every word."""
    if any(map(normalized, said)):
        return word_errors(said, heard)
    return WordErrors(sum(len(normalized(text).split()) for text in heard), 0)


def is_loop(said: str, heard: str) -> bool:
    """Say whether far more words were heard than said."""
    return len(normalized(heard).split()) > 2 * len(normalized(said).split()) + 5


def described(setting: Setting) -> dict[str, Any]:
    """What is set, as far as it is not the choice's, and where it was measured."""
    chosen = Setting(setting.label)
    changed = difference(asdict(setting), asdict(chosen))
    blas_threads = int(os.environ["OPENBLAS_NUM_THREADS"])
    return {**changed, "compute_type": "int8", "blas_threads": blas_threads, "cores": os.cpu_count()}


def difference(mine: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Keep the values that differ, level by level."""
    return {
        name: difference(value, other[name]) if isinstance(value, dict) else value
        for name, value in mine.items()
        if value != other[name]
    }


def table(rows: Iterable[Row]) -> str:
    """One line a setting and group."""
    return "\n".join(
        f"{row['model']:8} {row['group']:18} {row['setting']:46} {row['word_errors']:5}/{row['words']:<5}"
        f"{row['wer_pct'] or 0:8.2f} %{row['loops']:4} loops{row['cpu_ms']:6} ms"
        for row in sorted(rows, key=lambda row: (row["model"], row["group"]))
    )


if __name__ == "__main__":
    main()
