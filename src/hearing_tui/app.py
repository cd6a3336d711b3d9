"""The Textual app: every message passes one function, and the screen is drawn at most 7 times a second."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer

from hearing.clock import Clock, SystemClock
from hearing.errors import ConfigError, HearingError, UnavailableError
from hearing.messages.common import Error, Message
from hearing.messages.control import Listen, Notice, NoticeLevel, TranscriptGet, TranscriptText
from hearing.safe_text import safe_line
from hearing_tui.banners import banners
from hearing_tui.keys import KEYS
from hearing_tui.link import IN_FLIGHT, ControlLink, follow
from hearing_tui.messages import FromAssistant
from hearing_tui.requests import Requests
from hearing_tui.saving import Target, default_name, write
from hearing_tui.view_state import LinkDown, ViewState, update
from hearing_tui.widgets.banner import BannerLines
from hearing_tui.widgets.help import HelpDialog
from hearing_tui.widgets.key_bar import KeyBar
from hearing_tui.widgets.save import SaveDialog
from hearing_tui.widgets.status import StatusLine
from hearing_tui.widgets.transcript import TranscriptPane

PAINTS_PER_S: Final = 7


class HearingApp(App[None]):
    """Shows what the assistant tells.

    Args:
        link: Where news comes from; None shows `state` alone.
        theme: One of Textual's theme names.
        state: What is shown at first.
        clock: Names saved files.
    """

    TITLE = "hearing-tui"
    CSS_PATH = "hearing.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(key.keys), key.action, key.help, priority=key.priority) for key in KEYS
    ]

    def __init__(
        self,
        link: ControlLink | None,
        *,
        theme: str,
        state: ViewState | None = None,
        clock: Clock | None = None,
    ) -> None:
        no_color = "NO_COLOR" in os.environ  # Textual alone would draw in greys of its own
        super().__init__(ansi_color=no_color or None)
        if theme not in self.available_themes:
            known = ", ".join(sorted(self.available_themes))
            raise ConfigError(f"`tui.theme`: `{theme}` is no known theme", hint=f"known: {known}")
        self.theme = "ansi-dark" if no_color else theme
        self._link = link
        self._clock = clock or SystemClock()
        self._requests = Requests(self._send)
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

    def on_resize(self) -> None:
        """Fit what depends on the whole terminal's size."""
        if self.is_running and self.screen_stack:
            self._plan_paint()

    def _post(self, item: object) -> None:
        self.post_message(FromAssistant(item))

    # --- the waist: every message of the assistant and the link passes here ---

    def on_from_assistant(self, message: FromAssistant) -> None:
        """Take one message into the state, and plan a paint."""
        self._room.release()
        before, self._view = self._view, update(self._view, message.item)
        if isinstance(message.item, LinkDown):
            self._requests.lost()
        if not self._requests.answered(message.item):
            self._tell(message.item)
        if self._view is not before:
            self._plan_paint()

    def _tell(self, item: object) -> None:
        """Say what is for now only: notices and refusals."""
        if isinstance(item, Notice):
            severity: Any = "information" if item.level is NoticeLevel.INFO else item.level.value
            self.notify(safe_line(item.text), severity=severity, markup=False)
        elif isinstance(item, Error):
            self._complain(HearingError(item.message, hint=item.hint))

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
        if self._dirty and self.screen_stack:  # a timer may fire once more while the app goes
            self._dirty = False
            self._plan_paint()

    def _paint(self) -> None:
        screen = self.screen_stack[0]
        screen.query_one(BannerLines).show(banners(self._view), self.size)
        screen.query_one(TranscriptPane).show(self._view)
        screen.query_one(StatusLine).show(self._view)
        self._show_keys()

    def on_followed(self) -> None:
        """Show the key that leads back to the newest words, or hide it."""
        if self.screen_stack:
            self._show_keys()

    def _show_keys(self) -> None:
        screen = self.screen_stack[0]
        following = screen.query_one(TranscriptPane).following
        screen.query_one(KeyBar).show(muted=self._view.muted, following=following)

    # --- keys ---

    def action_move(self, where: str) -> None:
        """Move through the transcript."""
        self.screen_stack[0].query_one(TranscriptPane).move(where)

    async def action_listen(self) -> None:
        """Mute, or listen again."""
        self.run_worker(self._listen(on=self._view.muted), name="listen", exclusive=True, group="listen")

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpDialog())

    def action_save(self) -> None:
        """Ask where the transcript goes, then write it."""
        suggestion = default_name(self._clock.wall())
        self.push_screen(SaveDialog(suggestion, Path.cwd(), self._save), self._saved)

    # --- requests ---

    def _send(self, message: Message) -> None:
        if self._link is None:
            raise UnavailableError("the assistant is not connected")
        self._link.send(message)

    async def _listen(self, *, on: bool) -> None:
        try:
            await self._requests.ask(Listen(on=on))
        except HearingError as error:
            self._complain(error)

    async def _save(self, where: Target, overwrite: bool) -> int:
        """Fetch the transcript page by page, then write it whole; give how many segments it has."""
        pages: list[str] = []
        segments = 0
        index: int | None = 0
        while index is not None:
            page = await self._requests.ask(TranscriptGet(format=where.format, from_index=index))
            if not isinstance(page, TranscriptText):
                raise UnavailableError("the assistant answered something else")
            pages.append(page.text)
            segments += page.segments
            index = page.next_index
        await asyncio.to_thread(write, where.path, "".join(pages), overwrite=overwrite)
        return segments

    def _saved(self, sentence: str | None) -> None:
        if sentence is not None:
            self.notify(safe_line(sentence), markup=False)

    def _complain(self, error: HearingError) -> None:
        lines = "\n".join(safe_line(line) for line in error.lines().splitlines())
        self.notify(lines, severity="error", markup=False)
