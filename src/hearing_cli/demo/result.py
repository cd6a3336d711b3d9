"""How well the recording was heard, live and by a whole-file decode of the same run."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from hearing.errors import HearingError

_OFFLINE_LIMIT_S: Final = 600


class Offline(msgspec.Struct, frozen=True):
    """What `python -m hearing_daemon.transcribe --json` says of a file."""

    text: str
    audio_s: float


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What `hearing demo --json` prints; rates are percent of the reference's words."""

    wer_pct: float
    offline_wer_pct: float
    model: str
    speed: str
    segments: int
    words: int
    reference_words: int
    audio_s: float
    wall_s: float
    text: str
    offline_text: str


def decode_offline(path: Path, model: str, options: Sequence[str] = ()) -> Offline:
    """Decode the whole file at once with stock faster-whisper and the same model.

    Raises:
        HearingError: It failed; its own words are on stderr.
    """
    command = [
        *(sys.executable, "-m", "hearing_daemon.transcribe", str(path)),
        *("--json", "--model", model, *options),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=_OFFLINE_LIMIT_S, check=False)
    if done.returncode:
        raise HearingError(f"the offline decode ended with exit status {done.returncode}")
    return msgspec.json.decode(done.stdout, type=Offline)
