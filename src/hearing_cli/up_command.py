"""`hearing up`: check, fetch the model, then supervise daemon, assistant and TUI until told to stop."""

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hearing import config, paths, program
from hearing.errors import AlreadyRunningError, DownloadError, ModelError, UsageError
from hearing.transport.listen import hold_lock, read_hello
from hearing_cli import commands
from hearing_cli.up.console import Console
from hearing_cli.up.events import Role
from hearing_cli.up.programs import programs
from hearing_cli.up.stack import run_stack
from hearing_cli.up.terminal import Terminal
from hearing_cli.up.watch import watch_daemon

_EPILOG = """\
examples:
  hearing up --with-tui                      your microphone, words on this screen; q leaves and stops all
  hearing up                                 no screen: `hearing-tui` and `hearing-ctl` connect when you like
  hearing up --with-tui --source talk.mp3    a recording instead of a microphone
  hearing up --mic auto --system auto        you and what the speakers play, two legs, never mixed

Only one stack runs per runtime folder. A daemon or assistant that runs already is used, and left running.
`hearing down`, Ctrl-C or leaving the TUI stops what was started here, in reverse order.
"""

_DAEMON_OPTIONS = ("source", "mic", "system", "speed", "rate", "channels", "format", "model")
_DEMO = "demo"
_SOURCE_KINDS = (_DEMO, "auto", "stdin", "pulse", "sounddevice")


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `up`."""
    parser = commands.subparser(subparsers, "up", epilog=_EPILOG)
    parser.add_argument("--with-tui", action="store_true", help="show the words in this terminal")
    parser.add_argument(
        "--offline", action="store_true", help="never touch the network, not even for a model"
    )
    add_daemon_options(parser)
    parser.set_defaults(run=run)


def add_daemon_options(parser: argparse.ArgumentParser) -> None:
    """Add what is handed on to the daemon as it is."""
    parser.add_argument(
        "--source",
        metavar="SPEC",
        help="a recording, `demo` (ours), `stdin`, `auto`, `pulse[:SOURCE]` or `sounddevice[:NAME]`",
    )
    parser.add_argument("--mic", metavar="DEVICE", help="your leg: a device, `auto` or `off`")
    parser.add_argument("--system", metavar="DEVICE", help="the others' leg: a monitor, `auto` or `off`")
    parser.add_argument("--speed", metavar="X", help="play a recording X times as fast, or `max`")
    parser.add_argument("--rate", metavar="N", help="`--source stdin`: samples a second")
    parser.add_argument("--channels", metavar="N", help="`--source stdin`: channels")
    parser.add_argument("--format", metavar="F", help="`--source stdin`: s16le, s32le, f32le or u8")
    parser.add_argument("--model", metavar="NAME", help="speech model (`hearing models list`)")


def run(args: argparse.Namespace) -> int:
    """Supervise a stack in the foreground."""
    settings = config.load(args.config)
    check_source(args.source)
    terminal = _terminal(args.with_tui)
    runtime_dir = program.runtime_dir(args.runtime_dir)
    with _only_one(runtime_dir), _demo_as_file(args):
        if _daemon_runs(runtime_dir):
            _say_what_is_ignored(args)
        else:
            fetch_model(args.model or settings.stt.model, offline=args.offline or settings.models.offline)
        roles = [Role.DAEMON, Role.ASSISTANT, *([Role.TUI] if args.with_tui else [])]
        stack = programs(
            roles,
            runtime_dir,
            common=common_options(args),
            daemon=daemon_options(args),
            stdin_to_daemon=args.source == "stdin",
        )
        watch = None if args.with_tui else partial(watch_daemon, runtime_dir, sys.stderr)
        console = Console(echo=not args.with_tui)
        return asyncio.run(run_stack(stack, console=console, terminal=terminal, companion=watch))


def check_source(spec: str | None) -> None:
    """Refuse a recording that is not there before anything starts.

    Raises:
        UsageError: There is no such file.
    """
    if spec is None or spec.partition(":")[0] in _SOURCE_KINDS:
        return
    path = spec.removeprefix("file:")
    if not Path(path).is_file():
        raise UsageError(
            f"`{path}` is no file", hint="`--source` takes a recording, or see `hearing devices`"
        )


def common_options(args: argparse.Namespace) -> list[str]:
    """Give what every child is told."""
    told = ["--config", str(Path(args.config).absolute())] if args.config else []
    return [*told, "--verbose"] if args.verbose else told


def daemon_options(args: argparse.Namespace) -> list[str]:
    """Give what the daemon alone is told."""
    given = [(name, getattr(args, name, None)) for name in _DAEMON_OPTIONS]
    return [part for name, value in given if value is not None for part in (f"--{name}", str(value))]


def fetch_model(name: str, *, offline: bool) -> None:
    """Have the weights here before anything starts; without them the daemon waits for them, and says so.

    Raises:
        ModelError: There is no such model.
    """
    from hearing_cli import models_command

    try:
        models_command.ensure(name, offline=offline)
    except ModelError as error:
        if not (offline or isinstance(error, DownloadError)):
            raise
        program.warn(error.lines())


def _terminal(with_tui: bool) -> Terminal | None:
    if not with_tui:
        return None
    terminal = Terminal.controlling()
    if terminal is None:
        raise UsageError(
            "`--with-tui` needs a terminal, and there is none",
            hint="`hearing up` alone runs without one; `hearing-tui --dump 10` prints events",
        )
    return terminal


@contextlib.contextmanager
def _demo_as_file(args: argparse.Namespace) -> Iterator[None]:
    """Put the path of the recording that ships in place of its name."""
    if args.source != _DEMO:
        yield
        return
    from hearing_cli.demo.recording import recording

    with recording() as played:
        args.source = f"file:{played.path}"
        yield


@contextlib.contextmanager
def _only_one(runtime_dir: Path) -> Iterator[None]:
    """Be the one supervisor of this runtime folder; the lock file stays, as lock files do."""
    fd = hold_lock(runtime_dir / paths.UP_LOCK)
    try:
        yield
    finally:
        os.close(fd)


def _daemon_runs(runtime_dir: Path) -> bool:
    try:
        return read_hello(runtime_dir / paths.DAEMON_SOCKET) is not None
    except AlreadyRunningError:
        return True  # the plan will say what is wrong with it


def _say_what_is_ignored(args: argparse.Namespace) -> None:
    ignored = [f"--{name}" for name in _DAEMON_OPTIONS if getattr(args, name) is not None]
    if ignored:
        program.warn(f"a daemon runs already, so `{' '.join(ignored)}` changes nothing")
