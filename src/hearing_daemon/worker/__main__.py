"""`python -m hearing_daemon.worker`: load the model, say `ready`, answer jobs on stdin until it ends."""

import argparse
import signal
import sys
from pathlib import Path

import numpy as np

from hearing import process, program
from hearing.errors import ExitCode, ModelError
from hearing.types import SAMPLE_RATE_HZ
from hearing_daemon.engine import WhisperEngine
from hearing_daemon.worker.serve import claim_stdout, send, serve
from hearing_daemon.worker.wire import Ready, Unusable


def body(argv: list[str] | None = None) -> int:
    """Run until stdin ends."""
    process.die_with_parent(signal.SIGKILL)  # a native call may never come back to a handler
    for signum in (signal.SIGINT, signal.SIGHUP):  # the terminal's; the daemon decides when we end
        signal.signal(signum, signal.SIG_IGN)
    process.log_to_stderr("hearing-worker")
    options = parser().parse_args(argv)
    sink = claim_stdout()
    try:
        engine = loaded(options)
    except ModelError as error:
        send(sink, Unusable(error.sentence, error.hint))
        return ExitCode.FAILED
    send(sink, Ready(options.name, engine.device, engine.detail))
    serve(engine, sys.stdin.buffer, sink)
    return ExitCode.OK


def parser() -> argparse.ArgumentParser:
    """Read what the daemon decided."""
    made = argparse.ArgumentParser(prog="hearing-worker", description=__doc__)
    made.add_argument("--weights", type=Path, required=True, help="folder of the CTranslate2 model")
    made.add_argument("--name", required=True, help="what the model is called")
    made.add_argument("--language", required=True, help="a language code, or `auto`")
    made.add_argument("--beam-size", type=int, required=True)
    made.add_argument("--compute-type", required=True)
    made.add_argument("--threads", type=int, required=True)
    return made


def loaded(options: argparse.Namespace) -> WhisperEngine:
    """Load the model and decode a second of silence: a GPU without its libraries fails only then."""
    engine = WhisperEngine(
        options.weights,
        language=options.language,
        beam_size=options.beam_size,
        compute_type=options.compute_type,
        threads=options.threads,
    )
    engine.warm_up(np.zeros(SAMPLE_RATE_HZ, dtype=np.float32))
    return engine


def main() -> int:
    """Run as a program."""
    return program.run("hearing-worker", body)


if __name__ == "__main__":
    sys.exit(main())
