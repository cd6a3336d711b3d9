"""`python -m hearing_daemon.transcribe`: whole files through stock faster-whisper, peer of the live path."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from hearing import config, process, program
from hearing.config import SttConfig
from hearing.errors import AudioError, ExitCode
from hearing.models import store
from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon.engine import WhisperEngine, read_sound


def parser() -> argparse.ArgumentParser:
    """Give the command line."""
    made = program.parser("hearing-transcribe", __doc__ or "")
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="any sound or video file")
    made.add_argument("--model", metavar="NAME", help="speech model, over `[stt].model`")
    made.add_argument("--json", action="store_true", help="one JSON object a file, with pieces and times")
    return made


def body(argv: list[str] | None = None) -> int:
    """Transcribe each file; one that cannot be read is named and the rest goes on."""
    arguments = parser().parse_args(argv)
    process.log_to_stderr("hearing-transcribe", verbose=arguments.verbose)
    stt = config.load(arguments.config).stt
    engine = stock_engine(stt, arguments.model or stt.model)
    unread = 0
    for file in arguments.files:
        try:
            result = transcribed(engine, file)
        except AudioError as error:
            unread += 1
            print(f"hearing-transcribe: {error.lines()}", file=sys.stderr)
            continue
        print(json.dumps(result, ensure_ascii=False) if arguments.json else result["text"], flush=True)
    return ExitCode.FAILED if unread else ExitCode.OK


def stock_engine(stt: SttConfig, model: str) -> WhisperEngine:
    """Load the model as the worker does, but with the windows of faster-whisper itself."""
    return WhisperEngine(
        store.locate(model),
        language=stt.language,
        beam_size=stt.beam_size,
        compute_type=stt.compute_type,
        threads=stt.threads or process.model_threads(),
        whole_windows=True,
    )


def transcribed(engine: WhisperEngine, file: Path) -> dict[str, Any]:
    """Decode one file; times are seconds of CPU (all threads) and of the wall clock, reading excluded.

    Raises:
        AudioError: It cannot be read.
    """
    audio = read_sound(file)
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    pieces = engine.transcribe(audio)
    return {
        "file": str(file),
        "text": " ".join(piece.text for piece in pieces),
        "segments": [
            {
                "start_ms": piece.start_ms,
                "end_ms": piece.end_ms,
                "text": piece.text,
                "language": piece.language,
                "confidence": piece.confidence,
            }
            for piece in pieces
        ],
        "audio_s": round(len(audio) / SAMPLE_RATE_HZ, 3),
        "cpu_s": round(time.process_time() - cpu_s, 3),
        "wall_s": round(time.perf_counter() - wall_s, 3),
    }


def main() -> int:
    """Run as a program."""
    return program.run("hearing-transcribe", body)


if __name__ == "__main__":
    sys.exit(main())
