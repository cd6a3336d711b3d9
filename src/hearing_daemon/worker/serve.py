"""The child's loop: one job at a time, whatever the engine."""

import os
import time
from typing import BinaryIO, Final

import numpy as np

from hearing.interfaces import SpeechToText
from hearing_daemon.worker.wire import Done, Fault, Job, Message, jobs, packed

_FULL_SCALE: Final = 32_768.0


def claim_stdout() -> BinaryIO:
    """Take stdout for messages alone: what a library prints goes to stderr."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sink


def serve(engine: SpeechToText, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer jobs until the daemon closes the pipe."""
    for job in jobs(source):
        send(sink, _answer(engine, job))


def send(sink: BinaryIO, message: Message) -> None:
    """Write a message at once."""
    sink.write(packed(message))
    sink.flush()


def _answer(engine: SpeechToText, job: Job) -> Done | Fault:
    audio = np.frombuffer(job.audio, dtype=np.int16).astype(np.float32) / _FULL_SCALE
    started_s = time.perf_counter()
    try:
        recognitions = engine.transcribe(audio)
    except (RuntimeError, ValueError, IndexError) as error:  # CTranslate2 and tokenizers on odd input
        return Fault(job.seg_id, type(error).__name__)
    took_ms = round(1_000 * (time.perf_counter() - started_s))
    return Done(job.seg_id, list(recognitions), took_ms)
