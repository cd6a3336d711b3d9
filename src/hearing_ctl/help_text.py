"""`--help`, `help VERB`, `--version` and the table of the docs, all from the table of verbs."""

from __future__ import annotations

import sys

from hearing import __version__
from hearing_ctl import exits
from hearing_ctl.command_line import Call
from hearing_ctl.output import write_own
from hearing_ctl.verbs import GLOBAL_OPTIONS, VERBS, Argument, Verb

_USAGE = "usage: hearing-ctl [--runtime-dir DIR] "


def show(call: Call) -> int:
    """Print what was asked for; nothing asked at all prints the help to stderr, status 2."""
    if "--version" in call.flags:
        write_own(f"hearing-ctl {__version__}\n")
        return exits.OK
    if "--help" not in call.flags:
        print(overview(), file=sys.stderr, end="")
        return exits.USAGE
    write_own(of_verb(call.verb) if call.verb else overview())
    return exits.OK


def overview() -> str:
    """Give the help of the whole program."""
    verbs = "".join(_row(verb.usage, verb.help) for verb in VERBS)
    return (
        f"{_USAGE}VERB ...\n\nSend one message to the assistant and print its answer.\n\n"
        f"verbs:\n{verbs}\noptions:\n{_options(GLOBAL_OPTIONS)}\n"
        "exit status: 0 done, 2 bad command line, 3 refused, 69 no assistant, 78 unfit runtime folder\n"
    )


def of_verb(verb: Verb) -> str:
    """Give the help of one verb."""
    parts = [f"{_USAGE}{verb.usage}\n\n{verb.help}\n"]
    if verb.arguments:
        parts.append("\narguments:\n" + _options(verb.arguments))
    if verb.options:
        parts.append("\noptions:\n" + _options(verb.options))
    return "".join(parts)


def markdown() -> str:
    """Give the docs' table of verbs."""
    rows = [f"| `{verb.usage.replace('|', chr(92) + '|')}` | `{verb.type}` | {verb.help} |" for verb in VERBS]
    return "\n".join(["| verb | message | what it does |", "|---|---|---|", *rows]) + "\n"


def _options(options: tuple[Argument, ...]) -> str:
    return "".join(
        _row(
            f"{option.name} {option.metavar}".strip() if option.name[0] == "-" else option.metavar,
            option.help,
        )
        for option in options
    )


def _row(left: str, right: str) -> str:
    return f"  {left:<28}{right}\n" if len(left) < 28 else f"  {left}\n  {'':<28}{right}\n"
