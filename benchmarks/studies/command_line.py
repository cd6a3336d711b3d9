"""The command line that studies over models share."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser(description: str | None, kept_rows: Path, quick_step: int) -> argparse.ArgumentParser:
    """Make the parser: which models, how to print, how much, and whether `kept_rows` is written."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument(
        "--models",
        nargs="+",
        required=True,
        type=named_folder,
        metavar="NAME=PATH",
        help="unpacked CTranslate2 models; `hearing models path NAME` prints where one lies",
    )
    made.add_argument("--json", action="store_true", help="print one JSON object a line")
    made.add_argument("--quick", action="store_true", help=f"every {quick_step}th clip only")
    made.add_argument("--keep", action="store_true", help=f"write `{kept_rows.name}` beside the script")
    return made


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Read the command line; a quick look is never kept."""
    options = parser.parse_args()
    if options.keep and options.quick:
        parser.error("`--keep` with `--quick`: a quick look is not kept")
    return options


def named_folder(argument: str) -> tuple[str, Path]:
    """Split `NAME=PATH`; argparse reports what is wrong."""
    name, _, path = argument.partition("=")
    if not name or not (Path(path) / "model.bin").is_file():
        raise argparse.ArgumentTypeError(f"`{argument}`: not NAME=PATH of a folder with a `model.bin`")
    return name, Path(path)
