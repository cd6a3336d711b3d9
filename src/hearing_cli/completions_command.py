"""`hearing completions`: the whole command line as a completion script of a shell."""

import argparse

import shtab

from hearing.errors import ExitCode
from hearing_cli import commands

_EPILOG = """\
examples:
  eval "$(hearing completions bash)"           now, and in ~/.bashrc for good
  hearing completions zsh > ~/.zfunc/_hearing  with ~/.zfunc in fpath
"""


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `completions`."""
    parser = commands.subparser(subparsers, "completions", epilog=_EPILOG)
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(shtab.complete(whole_parser(), shell=args.shell))
    return ExitCode.OK


def whole_parser() -> argparse.ArgumentParser:
    """Give the front door's parser with every command in it."""
    parser, subparsers = commands.front_parser()
    for command in commands.COMMANDS:
        commands.load(command).register(subparsers)
    return parser
