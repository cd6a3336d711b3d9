"""`hearing transcribe`: recordings into documents, through the live pipeline, as fast as it goes."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from hearing import config
from hearing.errors import ExitCode, HearingError
from hearing.messages.common import Transcript
from hearing.messages.daemon import Gap
from hearing.messages.files import FileBegins, FileEnds, FileMessage, FileProgress
from hearing.rendering import DocumentFormat, Line, document, speaker_only
from hearing.safe_text import safe_json
from hearing_cli import commands
from hearing_cli.transcribe import outputs, progress, transcriber
from hearing_cli.transcribe.outputs import Job, Plan
from hearing_cli.transcribe.progress import Progress

_EPILOG = """\
examples:
  hearing transcribe talk.mp3                       the words, on stdout
  hearing transcribe talk.mp4 -o talk.srt           subtitles beside the video
  hearing transcribe *.ogg -o notes/ --format md    a document each
"""


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `transcribe`."""
    parser = commands.subparser(subparsers, "transcribe", epilog=_EPILOG)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="any sound or video file")
    parser.add_argument(
        "--format",
        choices=[form.value for form in DocumentFormat],
        help="default: the suffix of `-o FILE`, else `txt`",
    )
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="a file, or a folder (`notes/`) for a document each"
    )
    parser.add_argument("--force", action="store_true", help="write over documents that exist")
    parser.add_argument("--model", metavar="NAME", help="speech model (`hearing models list`)")
    parser.add_argument("--language", metavar="CODE", help="a language of the model, or `auto`")
    parser.add_argument("--offline", action="store_true", help="never touch the network")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Transcribe each file in order; one with a problem is named, and the rest goes on."""
    form = DocumentFormat(args.format) if args.format else None
    plan = outputs.plan(args.files, args.output, form)
    with progress.shown() as display:
        jobs = [job for job in plan.jobs if _may_write(job, args.force, display)]
    if jobs:
        _fetch_model(args)
    with progress.shown() as display:
        good = sum(_transcribe(jobs, plan, args, display)) if jobs else 0
    return ExitCode.OK if good == len(plan.jobs) else ExitCode.FAILED


def _may_write(job: Job, force: bool, display: Progress) -> bool:
    try:
        if job.target is not None:
            outputs.check(job.target, force=force)
    except HearingError as error:
        display.problem(f"hearing: {error.lines()}")
        return False
    return True


def _fetch_model(args: argparse.Namespace) -> None:
    from hearing_cli import models_command

    settings = config.load(args.config)
    models_command.ensure(args.model or settings.stt.model, offline=args.offline or settings.models.offline)


def _transcribe(jobs: list[Job], plan: Plan, args: argparse.Namespace, display: Progress) -> Iterator[bool]:
    """Give for each file whether all went well."""
    with transcriber.messages(_child_arguments(jobs, args), verbose=args.verbose) as said:
        for number, job in enumerate(jobs, start=1):
            counted = f"{number}/{len(jobs)} " if len(jobs) > 1 else ""
            yield _Document(job, plan.format, display, f"{counted}{job.file.name}").finished(said, args.force)


def _child_arguments(jobs: list[Job], args: argparse.Namespace) -> list[str]:
    given = {"config": args.config, "model": args.model, "language": args.language}
    told = [part for name, value in given.items() if value for part in (f"--{name}", str(value))]
    return [*told, *(["--verbose"] if args.verbose else []), "--", *(str(job.file) for job in jobs)]


class _Document:
    """The words of one file, on their way into its document."""

    def __init__(self, job: Job, form: DocumentFormat, display: Progress, title: str) -> None:
        self._job = job
        self._form = form
        self._display = display
        self._title = title
        self._lines: list[Line] = []
        self._is_whole = True

    def finished(self, said: Iterator[FileMessage], force: bool) -> bool:
        """Take messages until the file ends, write what there is, and say whether all went well.

        Raises:
            HearingError: The transcriber ended before the file did.
        """
        for message in said:
            if isinstance(message, FileEnds):
                return self._end(message, force) and self._is_whole
            self._take(message)
        raise HearingError("the transcriber ended too soon", hint="`--verbose` shows its log")

    def _take(self, message: FileMessage) -> None:
        match message:
            case FileBegins(total_ms=total_ms):
                self._display.begin(self._title, total_ms)
            case FileProgress(done_ms=done_ms):
                self._display.at(done_ms)
            case Transcript():
                line = Line(len(self._lines), message.start_ms, message.end_ms, message)
                self._lines.append(line)
            case Gap():
                self._is_whole = False
                span = f"from {message.from_ms / 1_000:.1f} s to {message.to_ms / 1_000:.1f} s"
                self._display.problem(f"hearing: `{self._job.file}`: nothing could be made of it {span}")
            case _:
                pass

    def _end(self, ends: FileEnds, force: bool) -> bool:
        """Write what could be heard, even of a file that is cut short."""
        if ends.problem:
            error = HearingError(ends.problem, hint=ends.hint)
            self._display.problem(f"hearing: {error.lines()}")
        try:
            if ends.heard_ms:
                self._write(document(self._lines, self._form, name=speaker_only), force)
        except HearingError as error:
            self._display.problem(f"hearing: {error.lines()}")
            return False
        return not ends.problem

    def _write(self, text: str, force: bool) -> None:
        if self._job.target is not None:
            outputs.write(self._job.target, text, force=force)
            return
        self._display.stop()
        is_json = self._form is DocumentFormat.JSON  # the others hold nothing that drives a terminal
        print(safe_json(text) if is_json else text, end="", flush=True)
