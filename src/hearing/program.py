"""What the `main` of every program shares: common options, a private start, errors as exit codes."""

import argparse
import contextlib
import errno
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

from hearing import __version__, paths, process
from hearing.errors import ExitCode, HearingError, RuntimeDirError
from hearing.safe_text import safe_text


def parser(program: str, description: str, **more: str) -> argparse.ArgumentParser:
    """Give a parser with the options every program has: config, runtime folder, verbosity, version."""
    made = argparse.ArgumentParser(
        prog=program,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **more,  # type: ignore[arg-type]
    )
    add_options(made, program)
    return made


def add_options(made: argparse.ArgumentParser, program: str) -> None:
    """Add the options every program has to a parser made elsewhere, such as that of a subcommand."""
    made.add_argument("--config", metavar="FILE", help="configuration to read instead of the user's own")
    made.add_argument(
        "--runtime-dir",
        metavar="DIR",
        help="folder of the sockets, 0700 (default: HEARING_RUNTIME_DIR, XDG_RUNTIME_DIR, …)",
    )
    made.add_argument("--verbose", action="store_true", help="log more; never what was said")
    made.add_argument("--version", action="version", version=f"{program} {__version__}")


def runtime_dir(explicit: str | None, *, create: bool = True) -> Path:
    """Find the folder of the sockets, as `hearing.paths.runtime_dir` does, warning on stderr.

    Raises:
        RuntimeDirError: None is fit.
    """
    try:
        return Path(paths.runtime_dir(explicit, warn=warn, create=create))
    except paths.UnfitDirError as error:
        raise RuntimeDirError(
            str(error), hint="name another with `--runtime-dir`, or `chmod 700` this one if it is yours"
        ) from None


def warn(sentence: str) -> None:
    """Say one warning on stderr."""
    _say(f"warning: {sentence}")


def _say(text: str) -> None:
    """Print on stderr; where it cannot be written the exit status still tells."""
    with contextlib.suppress(OSError):
        print(safe_text(text), file=sys.stderr, flush=True)


def run(program: str, body: Callable[[], int]) -> int:
    """Run a program's body with private files and give its exit status.

    A `HearingError` becomes its sentence, its hint and its code; anything unforeseen is logged with its
    traceback and exits 70.
    """
    process.harden()
    process.die_with_parent()
    try:
        status = body()
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe is an exit code and not a traceback
        return status
    except HearingError as error:
        _say(f"{program}: {error.lines()}")
        return error.exit_code
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return ExitCode.FAILED
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            _say(f"{program}: no space is left to write to\nhint: make room on the disk, then try again")
            _abandon_stdout()
            return ExitCode.FAILED
        logging.getLogger(program).exception("unforeseen")
        return ExitCode.INTERNAL


def _abandon_stdout() -> None:
    """Point stdout at nothing, else the interpreter complains once more when it flushes at exit."""
    with contextlib.suppress(OSError, AttributeError):  # no descriptor behind it, or no stdout at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
