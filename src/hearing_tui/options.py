"""The command line of `hearing-tui`."""

import argparse
import re
from collections.abc import Sequence

from hearing import program

_EPILOG = """\
Keys: `?` shows them. The screen is drawn on stderr, as full-screen programs do, so stdout may be piped.
"""


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    made = program.parser("hearing-tui", "Shows what is said, as it is said.", epilog=_EPILOG)
    made.add_argument("--theme", metavar="NAME", help="colours, over `[tui].theme` of the configuration")
    only = made.add_mutually_exclusive_group()
    only.add_argument(
        "--dump", metavar="SECONDS", type=_seconds, help="print what the assistant says, then exit"
    )
    only.add_argument("--screenshot", metavar="FILE", help="write the screen as an SVG, then exit")
    made.add_argument(
        "--format", choices=("json", "text"), default="json", help="of `--dump` (default: json)"
    )
    made.add_argument("--sample", action="store_true", help="with `--screenshot`: show a made-up meeting")
    made.add_argument(
        "--size",
        metavar="COLSxROWS",
        type=_size,
        default=(100, 30),
        help="of `--screenshot` (default: 100x30)",
    )
    return made.parse_args(argv)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 1e6:  # also refuses nan
        raise ValueError
    return seconds


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})x(\d{1,3})", text)
    if found is None or not (int(found[1]) and int(found[2])):
        raise ValueError
    return int(found[1]), int(found[2])
