"""`hearing demo`: a short meeting that ships with the project, through the whole stack."""

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from hearing import config, paths
from hearing.errors import ExitCode, HearingError
from hearing.safe_text import safe_line
from hearing_cli import commands
from hearing_cli.demo.heard import Heard
from hearing_cli.demo.listen import listen
from hearing_cli.demo.recording import Recording, recording
from hearing_cli.demo.result import Result, decode_offline
from hearing_cli.up.console import Console
from hearing_cli.up.events import Role
from hearing_cli.up.programs import programs
from hearing_cli.up.stack import run_stack
from hearing_cli.up.terminal import Terminal
from hearing_cli.up_command import common_options

_EPILOG = """\
In a terminal the words appear in the TUI; `q` leaves. Without one they are printed as they come, and at the
end the word error rate. It runs in a runtime folder of its own, so a stack that runs is not disturbed.

examples:
  hearing demo
  hearing demo --json                 one object: live and offline word error rate of the same run
  hearing demo --speed 4 | cat        faster than life, and no TUI
"""

_START_LIMIT_S: Final = 120.0
"""For the model to load and the last words to come, on a slow machine."""


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `demo`."""
    parser = commands.subparser(subparsers, "demo", epilog=_EPILOG)
    parser.add_argument("--json", action="store_true", help="print one object with both word error rates")
    parser.add_argument("--speed", metavar="X", default="1", help="play it X times as fast, or `max`")
    parser.add_argument("--model", metavar="NAME", help="speech model (`hearing models list`)")
    parser.add_argument(
        "--offline", action="store_true", help="never touch the network, not even for a model"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play the recording; exit 1 when no words came."""
    from hearing_cli import models_command

    settings = config.load(args.config)
    model = args.model or settings.stt.model
    models_command.ensure(model, offline=args.offline or settings.models.offline)
    with recording() as played, _private_folder() as folder:
        if sys.stdout.isatty() and not args.json:
            return _show(args, played, folder, model)
        return _print(args, played, folder, model)


def _show(args: argparse.Namespace, played: Recording, folder: Path, model: str) -> int:
    stack = programs(
        list(Role), folder, common=common_options(args), daemon=_daemon_options(args, played, model)
    )
    console = Console(echo=False, quiet=True)
    return asyncio.run(run_stack(stack, console=console, terminal=Terminal.controlling()))


def _print(args: argparse.Namespace, played: Recording, folder: Path, model: str) -> int:
    """Let a client take the TUI's place; words go to stdout, or with `--json` to stderr."""
    heard, began_s = Heard(), time.monotonic()
    stack = programs(
        [Role.DAEMON, Role.ASSISTANT],
        folder,
        common=common_options(args),
        daemon=_daemon_options(args, played, model),
    )
    words_to = sys.stderr if args.json else sys.stdout
    companion = partial(listen, str(folder / paths.ASSISTANT_SOCKET), heard, words_to, _limit_s(args, played))
    exit_code = asyncio.run(run_stack(stack, console=Console(echo=False), companion=companion))
    if exit_code:
        return exit_code
    if not heard.transcripts:
        raise HearingError(f"no words came: {safe_line(heard.trouble) or 'stopped early'}")
    if not heard.complete:
        return ExitCode.INTERRUPTED
    _report(args, played, heard, model, time.monotonic() - began_s)
    return ExitCode.OK


def _report(args: argparse.Namespace, played: Recording, heard: Heard, model: str, wall_s: float) -> None:
    from hearing_cli.wer import normalized, wer_pct  # spelling tables: only who counts words pays

    live = wer_pct([played.meeting.text], [heard.text])
    reference_words = len(normalized(played.meeting.text).split())
    if not args.json:
        print(f"word error rate: {live:.1f} % of {reference_words} words (model {model})")
        return
    print("hearing: decoding the same recording as a whole, to compare", file=sys.stderr)
    offline = decode_offline(played.path, model, common_options(args))
    result = Result(
        wer_pct=round(live, 2),
        offline_wer_pct=round(wer_pct([played.meeting.text], [offline.text]), 2),
        model=model,
        speed=args.speed,
        segments=len(heard.transcripts),
        words=len(normalized(heard.text).split()),
        reference_words=reference_words,
        audio_s=offline.audio_s,
        wall_s=round(wall_s, 1),
        text=heard.text,
        offline_text=offline.text,
    )
    print(msgspec.json.encode(result).decode())


def _daemon_options(args: argparse.Namespace, played: Recording, model: str) -> list[str]:
    return ["--source", f"file:{played.path}", "--speed", args.speed, "--model", model]


def _limit_s(args: argparse.Namespace, played: Recording) -> float:
    speed = 1.0 if args.speed == "max" else float(args.speed)
    return _START_LIMIT_S + played.meeting.turns[-1].end_ms / 1000 / min(speed, 1.0)


@contextmanager
def _private_folder() -> Iterator[Path]:
    """Make a runtime folder, 0700, with a name nobody can foresee, and remove it."""
    folder = tempfile.mkdtemp(prefix="hearing-demo-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
