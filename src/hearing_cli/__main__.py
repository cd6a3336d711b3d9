"""`hearing`: the front door. It finds the command, imports that one's module, and runs it."""

import sys
from collections.abc import Sequence

from hearing import __version__, program
from hearing.errors import ExitCode, UsageError
from hearing_cli import commands

_EXAMPLES = """\
examples:
  hearing demo                                 see it work: a short meeting, no microphone needed
  hearing up --with-tui                        listen, and watch your words
  hearing up --with-tui --source talk.mp3      the same with a recording
  hearing up --mic auto --system auto          you and the others, two legs, no screen
  hearing doctor                               what is missing on this machine?
  hearing COMMAND --help                       more about one command"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return program.run("hearing", lambda: _dispatch(arguments))


def help_text() -> str:
    """Give the help of the front door, made from the table."""
    width = max(len(command.name) for command in commands.COMMANDS)
    lines = [f"  {command.name:<{width}}  {command.help}" for command in commands.COMMANDS]
    return "\n".join(
        [
            "usage: hearing COMMAND [OPTIONS]",
            "",
            "A local-first hearing assistant: words on screen as they are spoken.",
            "",
            "commands:",
            *lines,
            "",
            _EXAMPLES,
            "",
        ]
    )


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(help_text(), end="", file=sys.stdout if arguments else sys.stderr)
        return ExitCode.OK if arguments else ExitCode.USAGE
    if arguments[0] == "--version":
        print(f"hearing {__version__}")
        return ExitCode.OK
    command = commands.find(arguments[0])
    if command is None:
        raise _unknown(arguments[0])
    parser, subparsers = commands.front_parser()
    commands.load(command).register(subparsers)
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        hint = f"`hearing {command.name} --help` lists what it takes"
        raise UsageError(f"`{unknown[0]}` means nothing to `hearing {command.name}`", hint=hint)
    return int(parsed.run(parsed))


def _unknown(word: str) -> UsageError:
    meant = commands.nearest(word)
    hint = f"did you mean `hearing {meant}`?" if meant else "`hearing --help` lists the commands"
    kind = "option" if word.startswith("-") else "command"
    return UsageError(f"`{word}` is no {kind} of `hearing`", hint=hint)


if __name__ == "__main__":
    sys.exit(main())
