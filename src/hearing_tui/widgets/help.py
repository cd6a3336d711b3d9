"""The help: every key of the table, and what the colours mean."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from hearing_tui.keys import CLOSE, KEYS
from hearing_tui.widgets.dialog import Dialog

_KEY_CELLS = 8
_LEGEND = (
    ("me", "bold $text-accent", "said into the microphone"),
    ("them", "bold $text-primary", "heard from the system: a call, a video"),
    ("Name", "bold $text-success", "a voice that is known"),
    ("Unknown", "bold $text-error", "a voice nobody has named"),
    ("dimmed", "dim", "words so far: they may still change"),
)


class HelpDialog(Dialog[None]):
    """Shows the keys; the same key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,q,enter", "close", "close")]

    def compose(self) -> ComposeResult:
        """Put the table into a box that scrolls where the terminal is small."""
        box = VerticalScroll(Static(_help(), markup=False), classes="box")
        box.border_title = Content("keys")
        box.border_subtitle = Content(f"{CLOSE.shown} closes")
        yield box


def _help() -> Content:
    rows = [_row(key.shown, "bold $text-accent", key.help) for key in KEYS]
    legend = [_row(word, style, meaning) for word, style, meaning in _LEGEND]
    return Content("\n").join([*rows, Content(""), *legend])


def _row(word: str, style: str, meaning: str) -> Content:
    return Content.assemble((word.ljust(_KEY_CELLS), style), " ", meaning)
