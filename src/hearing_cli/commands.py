"""The commands of `hearing` as one table; the module of each is imported only when it is called."""

import argparse
import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from hearing import __version__, program


@dataclass(frozen=True, slots=True)
class Command:
    """A word of the command line, the module that has it, and one line of help.

    The module's `register(subparsers)` adds a parser and sets its default `run` to a function that takes
    the parsed arguments and gives an exit status.
    """

    name: str
    module: str
    help: str


COMMANDS = (
    Command("up", "hearing_cli.up_command", "start listening: daemon, assistant and, if asked for, the TUI"),
    Command("down", "hearing_cli.down_command", "stop what `hearing up` started"),
    Command("demo", "hearing_cli.demo_command", "play a short meeting through the whole stack"),
    Command("transcribe", "hearing_cli.transcribe_command", "write down what is said in recordings"),
    Command("doctor", "hearing_cli.doctor_command", "check this machine and say how to mend it"),
    Command("devices", "hearing_cli.devices_command", "list microphones and monitors"),
    Command("models", "hearing_cli.models_command", "list, fetch, add and verify model weights"),
    Command("config", "hearing_cli.config_command", "write, show and check the configuration"),
    Command("completions", "hearing_cli.completions_command", "print completions for your shell"),
)

Subparsers = argparse._SubParsersAction  # argparse has no public name for it


def find(name: str) -> Command | None:
    """Give the command of that name, or None."""
    return next((command for command in COMMANDS if command.name == name), None)


def nearest(name: str) -> str | None:
    """Give the name that was probably meant, or None."""
    close = difflib.get_close_matches(name, [command.name for command in COMMANDS], n=1, cutoff=0.5)
    return close[0] if close else None


def load(command: Command) -> ModuleType:
    """Import the module of a command."""
    return importlib.import_module(command.module)


def front_parser() -> tuple[argparse.ArgumentParser, "Subparsers[argparse.ArgumentParser]"]:
    """Give the parser of the front door and the place where commands add theirs."""
    parser = argparse.ArgumentParser(prog="hearing", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"hearing {__version__}")
    return parser, parser.add_subparsers(dest="command", metavar="COMMAND", required=True)


def subparser(
    subparsers: "Subparsers[argparse.ArgumentParser]", name: str, *, epilog: str = ""
) -> argparse.ArgumentParser:
    """Add the parser of a command, with its help from the table and the options every program has."""
    command = find(name)
    assert command is not None, name
    made = subparsers.add_parser(
        name,
        help=command.help,
        description=command.help,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    program.add_options(made, f"hearing {name}")
    return made


def verb(
    verbs: "Subparsers[argparse.ArgumentParser]",
    name: str,
    help_line: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Add the parser of a command's own verb; `--config` may stand before the verb or after it."""
    made = verbs.add_parser(name, help=help_line, description=help_line, allow_abbrev=False)
    made.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    made.set_defaults(run=run)
    return made
