"""Make the demo recording: a short meeting of two synthesized voices, with its reference text and turn times.

Needs the `flite` program (Debian package `flite`, free CMU licence) and the Python packages `numpy` and
`soundfile`.
The same Flite gives the same bytes: no network, no clock, one fixed seed.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

Samples = npt.NDArray[np.float64]

DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / "src" / "hearing_cli" / "demo_data"
TITLE = "The spring catalog"
MADE_WITH = "scripts/make_demo_audio.py: our own words, Flite 2.2 (CMU, free licence), voices slt and rms"
RATE_HZ = 16_000
VOICES = {"Anna": "slt", "Ben": "rms"}
SPEECH_RMS_DBFS = -23.0
ROOM_NOISE_DBFS = -72.0
EDGE_FLOOR_DBFS = -45.0
EDGE_KEPT_MS = 20
LEAD_IN_MS = 500
LEAD_OUT_MS = 1_000
# The pause after each turn, in turn order and repeated: long enough for any endpointer, uneven as in life.
PAUSES_MS = (800, 950, 1_100, 850, 1_000)

MEETING = (
    ("Anna", "Welcome, Ben. Let's talk about the spring catalog."),
    ("Ben", "Yes. The design is finished, and the first proofs came back on Monday."),
    ("Anna", "Great. How many copies are we going to print this year?"),
    (
        "Ben",
        "I would start with four thousand copies. "
        "Last year we printed six thousand, and many of them were never used.",
    ),
    ("Anna", "That makes sense. What does the printer charge for four thousand?"),
    ("Ben", "They asked for nine hundred dollars. Before Friday, they take ten percent off."),
    ("Anna", "Then we should order on Thursday. Is there anything wrong with the proofs?"),
    (
        "Ben",
        "Only one thing. The sky on page twelve is too dark, so the picture of the harbor looks like night.",
    ),
    (
        "Anna",
        "Then Maria has to make it lighter. She took that picture, and she still has the original file.",
    ),
    ("Ben", "I can ask Maria this afternoon. The printer needs the final files by Wednesday at noon."),
    ("Anna", "Good. And where will the boxes go? Last time they stood in the kitchen for two weeks."),
    ("Ben", "This time they go straight to the basement. David has cleared three shelves for us."),
    ("Anna", "Perfect. You will speak with Maria, and I will send the order on Thursday morning."),
    ("Ben", "Exactly, Anna. Can we meet again next Tuesday at ten?"),
    ("Anna", "Yes, that works for me. Thank you, Ben. See you on Tuesday."),
)


@dataclass(frozen=True)
class SpokenTurn:
    """One turn as it lies in the recording: half-open span in samples at `RATE_HZ`."""

    start_samples: int
    end_samples: int
    speaker: str
    text: str


def main() -> None:
    """Write `meeting.flac` and `meeting.json` into the folder asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER")
    folder: Path = parser.parse_args().out
    if shutil.which("flite") is None:
        sys.exit("`flite`: not found\nhint: apt-get install flite")
    recording, turns = lay_out([(speaker, text, spoken(speaker, text)) for speaker, text in MEETING])
    folder.mkdir(parents=True, exist_ok=True)
    soundfile.write(folder / "meeting.flac", with_room_noise(recording), RATE_HZ, subtype="PCM_16")
    (folder / "meeting.json").write_text(json.dumps(description(turns), indent=1) + "\n", encoding="utf-8")


def spoken(speaker: str, text: str) -> Samples:
    """Say one turn: mono at `RATE_HZ`, silence at both ends cut, level evened out."""
    command = ["flite", "-voice", VOICES[speaker], "-t", text, "-o", "/dev/stdout"]
    wav = subprocess.run(command, check=True, capture_output=True).stdout
    samples: Samples
    samples, rate_hz = soundfile.read(io.BytesIO(wav), dtype="float64")
    if rate_hz != RATE_HZ:
        raise ValueError(f"{rate_hz} Hz from `flite`, {RATE_HZ} expected")
    return levelled(trimmed(samples))


def trimmed(samples: Samples) -> Samples:
    """Cut the quiet at both ends but for a short edge, so that turn times are those of the speech."""
    loud = np.flatnonzero(np.abs(samples) > amplitude(EDGE_FLOOR_DBFS))
    kept = EDGE_KEPT_MS * RATE_HZ // 1_000
    return samples[max(0, int(loud[0]) - kept) : int(loud[-1]) + 1 + kept]


def levelled(samples: Samples) -> Samples:
    """Scale to the common loudness; the peak stays below full scale."""
    gain = amplitude(SPEECH_RMS_DBFS) / float(np.sqrt(np.mean(samples**2)))
    return samples * float(min(gain, 0.95 / np.max(np.abs(samples))))


def lay_out(spoken_turns: list[tuple[str, str, Samples]]) -> tuple[Samples, list[SpokenTurn]]:
    """Put the turns one after another with their pauses; returns the recording and where each turn lies."""
    pieces, turns, now = [silence(LEAD_IN_MS)], [], LEAD_IN_MS * RATE_HZ // 1_000
    for index, (speaker, text, samples) in enumerate(spoken_turns):
        turns.append(SpokenTurn(now, now + len(samples), speaker, text))
        is_last = index == len(spoken_turns) - 1
        pause = silence(LEAD_OUT_MS if is_last else PAUSES_MS[index % len(PAUSES_MS)])
        pieces += [samples, pause]
        now += len(samples) + len(pause)
    return np.concatenate(pieces), turns


def with_room_noise(recording: Samples) -> Samples:
    """Add a faint hiss: no real microphone gives digital silence."""
    noise = np.random.default_rng(seed=1).standard_normal(len(recording))
    return recording + noise * amplitude(ROOM_NOISE_DBFS)


def description(turns: list[SpokenTurn]) -> dict[str, Any]:
    """The reference beside the recording, ready for JSON."""
    return {
        "title": TITLE,
        "language": "en",
        "words": sum(len(turn.text.split()) for turn in turns),
        "made_with": MADE_WITH,
        "turns": [
            {
                "start_ms": turn.start_samples * 1_000 // RATE_HZ,
                "end_ms": turn.end_samples * 1_000 // RATE_HZ,
                "speaker": turn.speaker,
                "text": turn.text,
            }
            for turn in turns
        ],
    }


def silence(duration_ms: int) -> Samples:
    """Digital silence of that length."""
    return np.zeros(duration_ms * RATE_HZ // 1_000)


def amplitude(level_dbfs: float) -> float:
    """Linear amplitude of a level in dB relative to full scale."""
    return float(10 ** (level_dbfs / 20))


if __name__ == "__main__":
    main()
