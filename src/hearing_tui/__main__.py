"""`hearing-tui`: what is said, on the screen; or, with `--dump`, as lines on stdout."""

import argparse
import os
import sys

from hearing import config, program
from hearing.errors import UsageError


def main() -> int:
    """Run the program and give its exit status."""
    return program.run("hearing-tui", lambda: body(_options()))


def _options() -> argparse.Namespace:
    made = program.parser("hearing-tui", "Shows what is said as it is said.")
    made.add_argument("--dump", metavar="SECONDS", type=float, help="print what the assistant says and exit")
    made.add_argument(
        "--format", choices=("json", "text"), default="json", help="of `--dump` (default: json)"
    )
    return made.parse_args()


def body(options: argparse.Namespace) -> int:
    """Do what the command line asks; Textual is imported only when something is drawn."""
    settings = config.load(options.config).tui
    runtime_dir = program.runtime_dir(options.runtime_dir)
    if not (os.isatty(0) and os.isatty(2)):
        raise UsageError("no terminal to draw on", hint="`hearing-tui --dump 10` prints ten seconds instead")
    from hearing_tui.app import HearingApp
    from hearing_tui.link import control_link
    from hearing_tui.show import show

    return show(HearingApp(control_link(runtime_dir, viewer=True, name="tui"), theme=settings.theme))


if __name__ == "__main__":
    sys.exit(main())
