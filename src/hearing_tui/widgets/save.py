"""Asks where a transcript goes; nothing is overwritten before it was asked for twice."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from hearing.errors import HearingError
from hearing.messages.control import TranscriptFormat
from hearing.safe_text import safe_line
from hearing_tui.keys import CLOSE
from hearing_tui.saving import ExistsError, SaveError, Target, target
from hearing_tui.widgets.dialog import Dialog

Save = Callable[[Target, bool], Awaitable[int]]
"""Fetches and writes; the flag allows to overwrite; gives the number of segments."""

_FORMATS = " ".join(f".{known}" for known in TranscriptFormat)


class SaveDialog(Dialog[str]):
    """Asks for a path until it is saved or given up; its result says what was saved.

    Args:
        suggestion: The name it starts with.
        folder: Where relative paths start.
        save: Does the work.
    """

    def __init__(self, suggestion: str, folder: Path, save: Save) -> None:
        super().__init__()
        self._suggestion = suggestion
        self._folder = folder
        self._save = save
        self._asked: Path | None = None  # what the user was told exists

    def compose(self) -> ComposeResult:
        """Put a field and a line of news into a box."""
        box = Vertical(
            Input(self._suggestion, select_on_focus=False, id="path"),
            Static(Content.styled(f"the suffix is the format: {_FORMATS}", "dim"), id="news", markup=False),
            classes="box",
        )
        box.border_title = Content("save the transcript")
        box.border_subtitle = Content(f"Enter saves · {CLOSE.shown} closes")
        yield box

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save; one at a time."""
        self.run_worker(self._try(event.value), name="save", exclusive=True)

    async def _try(self, typed: str) -> None:
        try:
            where = target(typed, self._folder)
            self._refuse_existing(where.path)
            self._say("saving…", "dim")
            segments = await self._save(where, self._asked == where.path)
        except ExistsError as error:
            self._asked = target(typed, self._folder).path
            self._say(f"{error.sentence}: Enter again overwrites it", "bold $text-warning")
        except HearingError as error:
            self._say(error.lines(), "bold $text-error")
        else:
            self.dismiss(f"{segments} segments saved to {where.path}")

    def _refuse_existing(self, path: Path) -> None:
        """Ask before anything is fetched; writing checks again."""
        try:
            exists = path.exists()
        except OSError as error:
            raise SaveError(f"`{path}` cannot be used: {(error.strerror or str(error)).lower()}") from None
        if exists and self._asked != path:
            raise ExistsError(f"`{path.name}` exists already")

    def _say(self, news: str, style: str) -> None:
        lines = "\n".join(safe_line(line) for line in news.splitlines())
        self.query_one("#news", Static).update(Content.styled(lines, style))
