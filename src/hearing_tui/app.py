"""The Textual app: every message passes one function, and the screen is drawn at most 7 times a second."""

import asyncio
import sys
from typing import Any, ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer

from hearing.errors import ConfigError, UnavailableError
from hearing.messages.common import Error
from hearing.messages.control import Listen, Notice, NoticeLevel
from hearing.safe_text import safe_line
from hearing_tui.banners import banners
from hearing_tui.keys import KEYS
from hearing_tui.link import IN_FLIGHT, ControlLink, follow
from hearing_tui.messages import FromAssistant
from hearing_tui.view_state import ViewState, update
from hearing_tui.widgets.banner import BannerLines
from hearing_tui.widgets.key_bar import KeyBar
from hearing_tui.widgets.status import StatusLine
from hearing_tui.widgets.transcript import TranscriptPane

PAINTS_PER_S: Final = 7


class HearingApp(App[None]):
    """Shows what the assistant tells.

    Args:
        link: Where news comes from; None shows `state` alone.
        theme: One of Textual's theme names.
        state: What is shown at first.
    """

    CSS_PATH = "hearing.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(key.keys), key.action, key.help, priority=key.everywhere) for key in KEYS
    ]

    def __init__(self, link: ControlLink | None, *, theme: str, state: ViewState | None = None) -> None:
        super().__init__()
        if theme not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            raise ConfigError(f"`tui.theme`: `{theme}` is no known theme", hint=f"known: {known}")
        self.theme = theme
        self._link = link
        self._view = state or ViewState()
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._paint_timer: Timer | None = None
        self._dirty = False
        self.crash: BaseException | None = None

    @property
    def view(self) -> ViewState:
        """Give what the app knows now."""
        return self._view

    def compose(self) -> ComposeResult:
        """Stack the parts; the command box and the lower panes go between transcript and status."""
        yield BannerLines()
        yield TranscriptPane()
        yield StatusLine()
        yield KeyBar()

    def on_mount(self) -> None:
        """Draw, then listen to the assistant."""
        self._paint()
        if self._link is not None:
            self.run_worker(follow(self._link, self._post, self._room), name="link", exit_on_error=True)

    def _fatal_error(self) -> None:
        """Keep what crashed us: it is raised once the terminal is restored, and shown without locals."""
        self.crash = sys.exception()
        self._close_messages_no_wait()

    def _post(self, item: object) -> None:
        self.post_message(FromAssistant(item))

    # --- the waist: every message of the assistant and the link passes here ---

    def on_from_assistant(self, message: FromAssistant) -> None:
        """Take one message into the state, and plan a paint."""
        self._room.release()
        before, self._view = self._view, update(self._view, message.item)
        self._tell(message.item)
        if self._view is not before:
            self._plan_paint()

    def _tell(self, item: object) -> None:
        """Say what is for now only: notices and refusals."""
        if isinstance(item, Notice):
            severity: Any = "information" if item.level is NoticeLevel.INFO else item.level.value
            self.notify(safe_line(item.text), severity=severity, markup=False)
        elif isinstance(item, Error):
            hint = f"\n{safe_line(item.hint)}" if item.hint else ""
            self.notify(safe_line(item.message) + hint, severity="error", markup=False)

    # --- drawing ---

    def _plan_paint(self) -> None:
        """Paint now if the last one is long enough ago, else once when it is."""
        if self._paint_timer is None:
            self._paint()
            self._paint_timer = self.set_timer(1 / PAINTS_PER_S, self._paint_again)
        else:
            self._dirty = True

    def _paint_again(self) -> None:
        self._paint_timer = None
        if self._dirty:
            self._dirty = False
            self._plan_paint()

    def _paint(self) -> None:
        screen = self.screen_stack[0]
        screen.query_one(BannerLines).show(banners(self._view))
        screen.query_one(TranscriptPane).show(self._view)
        screen.query_one(StatusLine).show(self._view)
        screen.query_one(KeyBar).show(muted=self._view.muted)

    # --- keys ---

    def action_scroll(self, where: str) -> None:
        """Move through the transcript."""
        pane = self.screen_stack[0].query_one(TranscriptPane)
        page = max(1, pane.scrollable_content_region.height - 1)
        at = pane.scroll_target_y
        row = {
            "up": at - 1,
            "down": at + 1,
            "page_up": at - page,
            "page_down": at + page,
            "home": 0,
            "end": pane.max_scroll_y,
        }[where]
        pane.scroll_to_row(row)

    def action_listen(self) -> None:
        """Mute, or listen again."""
        try:
            if self._link is None:
                raise UnavailableError("nobody is connected")
            self._link.send(Listen(on=self._view.muted))
        except UnavailableError:
            self.notify(
                "not connected to the assistant: nothing was changed", severity="warning", markup=False
            )
