"""The worker's command line, as its `__main__` reads it."""

import sys
from pathlib import Path

from hearing.config import SttConfig
from hearing.process import model_threads


def worker_command(stt: SttConfig, weights: Path) -> list[str]:
    """Give the argv that serves the model in `weights` as configured."""
    return [
        *(sys.executable, "-m", "hearing_daemon.worker"),
        *("--weights", str(weights)),
        *("--name", stt.model),
        *("--language", stt.language),
        *("--beam-size", str(stt.beam_size)),
        *("--compute-type", stt.compute_type),
        *("--threads", str(stt.threads or model_threads())),
    ]
