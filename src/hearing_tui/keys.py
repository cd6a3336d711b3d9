"""The one table of keys: the bindings, the footer, the help and the documentation are made of it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Key:
    """One thing a key does.

    Attributes:
        keys: The names Textual gives the keys, any of which does it.
        shown: The keys as people read them.
        action: The action of the app, or of the dialog.
        help: The sentence in the help.
        label: The word in the footer, or "" where the footer does not show it.
        priority: Whether it works everywhere, in a dialog too.
    """

    keys: tuple[str, ...]
    shown: str
    action: str
    help: str
    label: str = ""
    priority: bool = False


KEYS: Final = (
    Key(("l",), "l", "listen", "mute (the devices are closed), and listen again", "mute"),
    Key(("w",), "w", "save", "save the transcript as `.md`, `.txt`, `.srt` or `.json`", "save"),
    Key(("end", "G"), "End", "move('end')", "go to the newest words and stay with them", "newest"),
    Key(("home", "g"), "Home", "move('home')", "go to the oldest words"),
    Key(("up", "k"), "↑", "move('up')", "one line up"),
    Key(("down", "j"), "↓", "move('down')", "one line down"),
    Key(("pageup", "b"), "PgUp", "move('page_up')", "one page up"),
    Key(("pagedown", "space"), "PgDn", "move('page_down')", "one page down"),
    Key(("question_mark",), "?", "help", "show this help, and close it", "help"),
    Key(("q",), "q", "quit", "quit", "quit"),
    Key(("ctrl+c", "ctrl+q"), "Ctrl+C", "quit", "quit, from anywhere", priority=True),
)
"""The keys of the main screen."""

CLOSE: Final = Key(("escape",), "Esc", "close", "close the dialog and change nothing")
"""The key of every dialog."""
