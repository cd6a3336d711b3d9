"""`hearing-tui`: what is said, on the screen; or, with `--dump`, as lines on stdout."""

import os
import sys
from argparse import Namespace
from pathlib import Path

from hearing import config, program
from hearing.errors import ExitCode, UsageError
from hearing_tui import options


def main() -> int:
    """Run the program and give its exit status."""
    return program.run("hearing-tui", lambda: body(options.parse()))


def body(asked: Namespace) -> int:
    """Do what the command line asks; Textual is imported only when something is drawn."""
    if asked.dump is not None:
        return _dump(asked)
    theme = asked.theme or config.load(asked.config).tui.theme
    if asked.screenshot is not None:
        return _screenshot(asked, theme)
    if not (os.isatty(0) and os.isatty(2)):  # Textual draws on stderr
        raise UsageError("no terminal to draw on", hint="`hearing-tui --dump 10` prints ten seconds instead")
    from hearing_tui.show import show

    _ask_the_terminal_alone_for_its_size()
    return show(_runtime_dir(asked), theme)


def _ask_the_terminal_alone_for_its_size() -> None:
    """Forget a size a shell exported: Textual would believe it for ever, and never follow a resize."""
    for stale in ("COLUMNS", "LINES"):
        os.environ.pop(stale, None)


def _dump(asked: Namespace) -> int:
    from hearing_tui.dump import run

    return run(_runtime_dir(asked), asked.dump, asked.format)


def _screenshot(asked: Namespace, theme: str) -> int:
    from hearing_tui.screenshot import run

    run(None if asked.sample else _runtime_dir(asked), theme, asked.size, Path(asked.screenshot))
    return ExitCode.OK


def _runtime_dir(asked: Namespace) -> Path:
    return program.runtime_dir(asked.runtime_dir)


if __name__ == "__main__":
    sys.exit(main())
