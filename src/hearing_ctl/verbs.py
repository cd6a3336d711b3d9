"""Every verb in one table without imports: parsing, requests, `--help` and the docs are made from it."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

ACK = "ack"
STATUS = "status"
PAGES = "transcript_text"

OPPOSITE = ""
"""Stands for a value that only the assistant's status can tell: the opposite of what is now."""


class Argument:
    """One word after the verb, or one `--option VALUE`, and the field of the request it fills.

    `words` maps each allowed word to its JSON value; else `write` makes one of any word, or None of a word
    it cannot read. An option with neither is a flag that the ctl itself looks at.
    """

    __slots__ = ("field", "help", "metavar", "name", "words", "write")

    def __init__(
        self,
        name: str,
        summary: str,
        *,
        field: str = "",
        metavar: str = "",
        words: dict[str, str] | None = None,
        write: Callable[[str], str | None] | None = None,
    ) -> None:
        self.name = name
        self.help = summary
        self.field = field
        self.words = words
        self.write = write
        self.metavar = metavar or ("|".join(words) if words else "")

    @property
    def takes_value(self) -> bool:
        """Say whether a word follows the option."""
        return bool(self.words or self.write)


class Verb:
    """One verb: the message it sends, the kind of answer it waits for, and a line of help."""

    __slots__ = ("answer", "arguments", "help", "name", "options", "type")

    def __init__(
        self,
        name: str,
        message_type: str,
        answer: str,
        summary: str,
        *,
        arguments: tuple[Argument, ...] = (),
        options: tuple[Argument, ...] = (),
    ) -> None:
        self.name = name
        self.type = message_type
        self.answer = answer
        self.help = summary
        self.arguments = arguments
        self.options = options

    @property
    def usage(self) -> str:
        """Give the verb with its arguments, as one types it."""
        arguments = [argument.metavar for argument in self.arguments]
        options = [f"[{option.name} {option.metavar}".rstrip() + "]" for option in self.options]
        return " ".join([self.name, *arguments, *options])


def minutes_as_ms(word: str) -> str | None:
    """Write minutes, whole or not, as milliseconds; None unless they are above zero and finite."""
    try:
        ms = float(word) * 60_000
    except ValueError:
        return None
    return str(round(ms)) if 1 <= ms <= 1e12 else None


def text(word: str) -> str | None:
    """Write a word as a JSON string; None where it holds bytes that are no UTF-8."""
    if any("\ud800" <= char <= "\udfff" for char in word):
        return None
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'


VERBS = (
    Verb(
        "status",
        "status",
        STATUS,
        "show what the assistant hears, and what is wrong",
        options=(Argument("--json", "print the raw status object"),),
    ),
    Verb(
        "listen",
        "listen",
        ACK,
        "open the microphone, or close it",
        arguments=(
            Argument(
                "state",
                "`off` closes the devices, `toggle` does the opposite of what is now",
                field="on",
                words={"on": "true", "off": "false", "toggle": OPPOSITE},
            ),
        ),
    ),
    Verb(
        "transcript",
        "transcript_get",
        PAGES,
        "print what was said lately",
        options=(
            Argument(
                "--format",
                "how it is written (default: txt)",
                field="format",
                words={name: f'"{name}"' for name in ("txt", "json", "md", "srt")},
            ),
            Argument(
                "--last",
                "only that many minutes before the newest word",
                field="last_ms",
                metavar="MINUTES",
                write=minutes_as_ms,
            ),
        ),
    ),
    Verb("clear", "clear", ACK, "forget the conversation and command output; transcripts stay"),
)

GLOBAL_OPTIONS = (
    Argument("--runtime-dir", "folder of the sockets", metavar="DIR", write=text),
    Argument("--version", "print the version"),
    Argument("--help", "print this help; `hearing-ctl help VERB` prints a verb's"),
)


def request(verb: Verb, fields: dict[str, str]) -> bytes:
    """Write the request line; the values are JSON already."""
    body = "".join(f',"{name}":{value}' for name, value in fields.items())
    return f'{{"type":"{verb.type}"{body}}}\n'.encode()
