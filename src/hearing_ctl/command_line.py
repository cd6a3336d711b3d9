"""The command line, read by the table of verbs; `argparse` alone would cost more than the whole call."""

from __future__ import annotations

from hearing_ctl import exits
from hearing_ctl.verbs import GLOBAL_OPTIONS, VERBS, Argument, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Call:
    """What was typed: the verb, the JSON values of its fields, and the options of the ctl itself."""

    __slots__ = ("fields", "flags", "runtime_dir", "verb", "words")

    def __init__(self) -> None:
        self.verb: Verb | None = None
        self.fields: dict[str, str] = {}
        self.flags: set[str] = set()
        self.runtime_dir: str | None = None
        self.words: list[str] = []


def parse(argv: Sequence[str]) -> Call:
    """Read the words after the program's name; options may stand anywhere.

    Raises:
        StopError: A word is unknown, missing, or too many; status 2.
    """
    call = Call()
    words = iter(argv)
    for word in words:
        if word.startswith("-") and len(word) > 1:
            _option(call, word, words)
        elif call.verb is None and word != "help" and "--help" not in call.flags:
            call.verb = _verb(word)
        elif word == "help" and call.verb is None:
            call.flags.add("--help")
        else:
            call.words.append(word)
    if "--help" in call.flags:
        if call.verb is None and call.words:
            call.verb = _verb(call.words[0])
    elif call.verb is not None:
        _positional(call, call.verb)
    return call


def _option(call: Call, word: str, words: Iterator[str]) -> None:
    name, equals, value = word.partition("=")
    name = {"-h": "--help", "-V": "--version"}.get(name, name)
    known = GLOBAL_OPTIONS + (call.verb.options if call.verb else ())
    option = next((option for option in known if option.name == name), None)
    if option is None:
        where = f"`{call.verb.name}`" if call.verb else "`hearing-ctl`"
        raise exits.StopError(exits.USAGE, f"`{name}` is no option of {where}", _see(call.verb))
    if not option.takes_value:
        if equals:
            raise exits.StopError(exits.USAGE, f"`{name}` takes no value", _see(call.verb))
        call.flags.add(name)
        return
    if not equals:
        value = next(words, "")
    if not value:
        raise exits.StopError(exits.USAGE, f"`{name}` needs a value: `{option.metavar}`", _see(call.verb))
    if name == "--runtime-dir":
        call.runtime_dir = value
    else:
        call.fields[option.field] = _value(call.verb, option, value)


def _positional(call: Call, verb: Verb) -> None:
    if len(call.words) != len(verb.arguments):
        missing = len(call.words) < len(verb.arguments)
        what = (
            f"`{verb.name}` needs `{verb.arguments[len(call.words)].metavar}`"
            if missing
            else f"`{call.words[len(verb.arguments)]}` is one word too many for `{verb.name}`"
        )
        raise exits.StopError(exits.USAGE, what, _see(verb))
    for argument, word in zip(verb.arguments, call.words, strict=True):
        call.fields[argument.field] = _value(verb, argument, word)


def _value(verb: Verb | None, argument: Argument, word: str) -> str:
    value = argument.words.get(word) if argument.words else argument.write and argument.write(word)
    if value is None:
        raise exits.StopError(exits.USAGE, f"`{word}` is no `{argument.metavar}`", _see(verb))
    return value


def _verb(word: str) -> Verb:
    for verb in VERBS:
        if verb.name == word:
            return verb
    import difflib  # only on the way out

    near = difflib.get_close_matches(word, [verb.name for verb in VERBS], n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(verb.name for verb in VERBS)}"
    raise exits.StopError(exits.USAGE, f"`{word}` is no verb", hint)


def _see(verb: Verb | None) -> str:
    return f"see `hearing-ctl help{' ' + verb.name if verb else ''}`"
