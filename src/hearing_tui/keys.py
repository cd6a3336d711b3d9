"""The one table of keys: the bindings, the footer, the help and the documentation are made of it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Key:
    """One thing a key does.

    Attributes:
        keys: The names Textual gives the keys, any of which does it.
        shown: The key as people read it.
        action: The app's action.
        label: The word in the footer, or "" where the footer does not show it.
        help: The sentence in the help.
        everywhere: Whether it works in a dialog too.
    """

    keys: tuple[str, ...]
    shown: str
    action: str
    label: str
    help: str
    everywhere: bool = False


KEYS: Final = (
    Key(("l",), "l", "listen", "mute", "mute (the devices are closed) and listen again"),
    Key(("w",), "w", "save", "save", "write the transcript to a file: `.md`, `.txt`, `.srt` or `.json`"),
    Key(("end", "G"), "End", "scroll('end')", "newest", "go to the newest words and stay with them"),
    Key(("home", "g"), "Home", "scroll('home')", "", "go to the oldest words"),
    Key(("up", "k"), "↑", "scroll('up')", "", "scroll up a line"),
    Key(("down", "j"), "↓", "scroll('down')", "", "scroll down a line"),
    Key(("pageup",), "PgUp", "scroll('page_up')", "", "scroll up a page"),
    Key(("pagedown", "space"), "PgDn", "scroll('page_down')", "", "scroll down a page"),
    Key(("question_mark",), "?", "help", "help", "show or close this help"),
    Key(("q",), "q", "quit", "quit", "quit"),
    Key(("ctrl+c",), "Ctrl+C", "quit", "", "quit, from anywhere", everywhere=True),
)
