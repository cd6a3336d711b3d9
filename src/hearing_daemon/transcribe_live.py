"""`python -m hearing_daemon.transcribe_live`: files through the live pipeline, as fast as it goes.

Detector, segmenter and recognizer are those of the daemon, with its limits; what comes of them goes out as
the JSON lines of `hearing.messages.files` and not over a socket.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hearing import config, process, program
from hearing.clock import SystemClock
from hearing.config import Config
from hearing.errors import AudioError, ExitCode, HearingError, ModelError
from hearing.interfaces import CaptureStatus, Vad
from hearing.messages.common import Event, HealthState, Message, Transcript
from hearing.messages.daemon import Gap
from hearing.messages.files import FileBegins, FileEnds, FileProgress, TranscriberFailed
from hearing.models import store
from hearing.protocol import encode
from hearing.types import SAMPLE_RATE_HZ, Channel
from hearing_daemon import vad
from hearing_daemon.capture import legs
from hearing_daemon.capture.events import Sound
from hearing_daemon.capture.sources import file as sound_file
from hearing_daemon.capture.spec import FileSource
from hearing_daemon.recognizer import Recognizer, Result
from hearing_daemon.speech import Speech
from hearing_daemon.utterance import Utterance
from hearing_daemon.worker.command import worker_command

if TYPE_CHECKING:
    from hearing.interfaces import Samples

BATCH_BLOCKS: Final = 25
"""A second of sound at a time: the recognizer's answers wait no longer than its detector takes."""
LEG: Final = Channel.MIC

Emit = Callable[[Message], None]


class Transcriber:
    """Sends files through one recognizer, one after another; the recognizer sees it as its `Source`.

    Args:
        settings: All thresholds and limits.
        detector: Used for every file.
        emit: Takes every message in order.
    """

    def __init__(self, settings: Config, detector: Vad, emit: Emit) -> None:
        self._settings = settings
        self._detector = detector
        self._emit = emit
        self._clock = SystemClock()
        self._speech = self._silence()
        self._now: Utterance | None = None
        self._heard_ms = 0
        self._done_ms = 0
        self._changed = asyncio.Event()
        self._failure: ModelError | None = None

    async def run(self, files: Sequence[Path], recognizer: Recognizer) -> int:
        """Transcribe them all and give the number of those with a problem; `recognizer` sleeps by `pause`.

        Raises:
            ModelError: The recognizer cannot work.
        """
        working = asyncio.create_task(self._all(files))
        serving = asyncio.create_task(recognizer.run())
        running: tuple[asyncio.Task[Any], ...] = (serving, working)
        try:
            ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
            return working.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _all(self, files: Sequence[Path]) -> int:
        return sum([await self._one(file) for file in files])

    async def _one(self, file: Path) -> bool:
        """Transcribe a file and say whether something was wrong with it."""
        self._speech, self._heard_ms, self._done_ms = self._silence(), 0, 0
        problem = _unfit(file)
        total_ms = None if problem else await asyncio.to_thread(sound_file.stated_ms, file)
        self._emit(FileBegins(total_ms=total_ms))
        if problem is None:
            problem = await self._hear(file)
            self._speech.end(LEG)
            await self._when(lambda: self._speech.is_settled(LEG))
        sentence, hint = (problem.sentence, problem.hint) if problem else ("", "")
        self._emit(FileEnds(heard_ms=self._heard_ms, problem=sentence, hint=hint))
        return problem is not None

    async def _hear(self, file: Path) -> AudioError | None:
        """Take in a file as fast as it is recognized; give what was wrong with it."""
        blocks = sound_file.read(file)
        samples = 0
        while True:
            batch, problem = await asyncio.to_thread(_next_batch, blocks)
            for block in batch:
                self._speech.hear(Sound(LEG, samples * 1_000 // SAMPLE_RATE_HZ, block))
                samples += len(block)
            self._heard_ms = samples * 1_000 // SAMPLE_RATE_HZ
            if problem or not batch:
                return problem
            await self._when(lambda: self._speech.backlog.has_room)

    async def _when(self, is_so: Callable[[], bool]) -> None:
        """Say what is new, and wait until it is so."""
        self._say_progress()
        self._changed.set()
        await self._until(is_so)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._changed.clear()  # whoever waits already was woken by `set`, and looks again
            await self._changed.wait()

    def _say_progress(self) -> None:
        waiting = self._speech.backlog.waiting
        oldest = self._now or (waiting[0] if waiting else None)
        done_ms = oldest.span.start_ms if oldest else self._heard_ms
        if done_ms > self._done_ms:
            self._done_ms = done_ms
            self._emit(FileProgress(done_ms=done_ms))

    def _silence(self) -> Speech:
        speech = Speech(self._settings, self._pass_on, self._clock)
        speech.add_leg(LEG, self._detector, pulled=True)
        return speech

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, Transcript | Gap):
            self._emit(event)

    # --- what the recognizer needs of its source ---

    async def next_utterance(self) -> Utterance:
        """Await the oldest utterance that waits."""
        await self._until(lambda: bool(self._speech.backlog.waiting))
        self._now = utterance = self._speech.take()
        self._changed.set()
        assert utterance is not None
        return utterance

    def on_result(self, utterance: Utterance, result: Result, queue_ms: int) -> None:
        """Pass on what became of it."""
        self._speech.finish(utterance, result, queue_ms)
        self._now = None
        self._say_progress()
        self._changed.set()

    def on_health(self, new: HealthState, *, model: str | None, detail: str, hint: str) -> None:
        """Note what the daemon would wait for somebody to mend; here it is the end."""
        if new in (HealthState.FAILED, HealthState.NO_MODEL):
            self._failure = ModelError(detail, hint=hint)

    async def pause(self, seconds: float) -> None:
        """Wait as the recognizer does between two lives, its worker gone, unless there will be no other."""
        if self._failure is not None:
            raise self._failure
        await asyncio.sleep(seconds)


def _unfit(file: Path) -> AudioError | None:
    """Say what can be known to be wrong before a file is opened: a pipe would never end to open."""
    try:
        legs.check(FileSource(file))
    except AudioError as error:
        return error
    return None


def _next_batch(blocks: Iterator["Samples | CaptureStatus"]) -> tuple[list["Samples"], AudioError | None]:
    """Take a second of sound, and what broke off behind it; nothing at all at the end."""
    batch: list[Samples] = []
    try:
        for block in islice(blocks, BATCH_BLOCKS):
            if not isinstance(block, CaptureStatus):
                batch.append(block)  # noqa: PERF401 - what came before an error counts
    except AudioError as error:
        return batch, error
    return batch, None


def parser() -> argparse.ArgumentParser:
    """Give the command line."""
    made = program.parser("hearing-transcribe-live", __doc__ or "")
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="any sound or video file")
    made.add_argument("--model", metavar="NAME", help="speech model, over `[stt].model`")
    made.add_argument("--language", metavar="CODE", help="a language or `auto`, over `[stt].language`")
    return made


def body(argv: list[str] | None = None) -> int:
    """Transcribe each file; one that cannot be read is named and the rest goes on."""
    arguments = parser().parse_args(argv)
    process.log_to_stderr("hearing-transcribe-live", verbose=arguments.verbose)
    try:
        with_problems = asyncio.run(_transcribed(_settings(arguments), arguments.files))
    except HearingError as error:
        _print(TranscriberFailed(sentence=error.sentence, hint=error.hint))
        return error.exit_code
    return ExitCode.FAILED if with_problems else ExitCode.OK


def _settings(arguments: argparse.Namespace) -> Config:
    settings = config.load(arguments.config)
    said = {"model": arguments.model, "language": arguments.language}
    stt = msgspec.structs.replace(settings.stt, **{name: value for name, value in said.items() if value})
    return msgspec.structs.replace(settings, stt=stt)


async def _transcribed(settings: Config, files: Sequence[Path]) -> int:
    detector = await asyncio.to_thread(vad.build, settings.vad)
    transcriber = Transcriber(settings, detector, _print)
    recognizer = Recognizer(
        transcriber,
        locate=partial(store.locate, settings.stt.model),
        command=partial(worker_command, settings.stt),
        clock=SystemClock(),
        sleep=transcriber.pause,
    )
    return await transcriber.run(files, recognizer)


def _print(message: Message) -> None:
    sys.stdout.buffer.write(encode(message))
    sys.stdout.buffer.flush()


def main() -> int:
    """Run as a program."""
    return program.run("hearing-transcribe-live", body)


if __name__ == "__main__":
    sys.exit(main())
