"""The transcript pane: draws only the rows in sight, follows the newest words until the reader scrolls up."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hearing_tui.document import Document
from hearing_tui.lines import GUTTER_CELLS, Line, Role, line_at, live_lines
from hearing_tui.messages import Followed
from hearing_tui.view_state import ViewState


class TranscriptPane(ScrollView, can_focus=True, inherit_bindings=False):
    """Ten thousand entries cost what a screenful costs: rows are found by bisection, words cut when drawn."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{role}" for role in Role}
    ALLOW_SELECT = False  # the terminal's own selection (Shift and drag) copies what is seen

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._state = ViewState()
        self._document = Document()
        self._live: list[Line] = []
        self._following = True
        self._titles = ("", "")
        self._read_until = 0  # the number of the newest entry seen while following

    @property
    def following(self) -> bool:
        """Say whether the newest words stay in sight."""
        return self._following

    def show(self, state: ViewState) -> None:
        """Take the state as it now is and draw what changed of it."""
        before, self._state = self._state, state
        if before.entries is state.entries and before.names is state.names:
            self._show_live()
            return
        gone = self._document.show(state.entries, state.first)
        self._relay(gone)

    def move(self, where: str) -> None:
        """Scroll by a line or a page, or to an end; the bottom means following again."""
        page = max(1, self.scrollable_content_region.height - 1)
        at = self.scroll_offset.y
        row = {
            "up": at - 1,
            "down": at + 1,
            "page_up": at - page,
            "page_down": at + page,
            "home": 0,
            "end": self.max_scroll_y,
        }[where]
        self.scroll_to(y=row, animate=False, force=True)
        self._follow(self.scroll_offset.y >= self.max_scroll_y)

    def on_resize(self, event: events.Resize) -> None:
        """Cut the lines anew, keeping in sight what was being read."""
        width = max(1, self.scrollable_content_region.width - GUTTER_CELLS)
        if width == self._document.width:
            self._relay(0)
            return
        number, _ = self._document.number_at(int(self.scroll_offset.y))
        self._document.resize(width)
        self._relay(0)
        if not self._following:
            self.scroll_to(y=self._document.row_of(number), animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice a reader who scrolls by mouse or scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._follow(new_value >= self.max_scroll_y)

    def render_line(self, y: int) -> Strip:
        """Draw one row in sight."""
        width = self.size.width
        line = self._line(int(self.scroll_offset.y) + y)
        segments = [Segment(text, self._style(role)) for text, role in line]
        return Strip(segments).adjust_cell_length(width, self.rich_style).apply_style(self.rich_style)

    def _line(self, row: int) -> Line:
        place = self._document.at(row)
        if place is not None:
            return line_at(place, self._document.width, self._state.names)
        below = row - self._document.rows
        return self._live[below] if below < len(self._live) else ()

    def _style(self, role: Role) -> Style:
        return self.get_component_rich_style(f"transcript--{role}")

    def _show_live(self) -> None:
        """Draw the rows of live speech that changed: most paints are these, a word or two at the end."""
        before, now = self._live, live_lines(self._state.live, self._document.width)
        if len(before) != len(now):
            self._relay(0)
            return
        self._live = now
        changed = [row for row, (old, new) in enumerate(zip(before, now, strict=True)) if old != new]
        if changed:
            top = self._document.rows + changed[0] - int(self.scroll_offset.y)
            region = Region(0, top, self.size.width, changed[-1] - changed[0] + 1)
            self.refresh(region.intersection(self.size.region))
        self._title()

    def _relay(self, gone: int) -> None:
        """Fit the scroll range to the rows there are, and stay where the reader is."""
        self._live = live_lines(self._state.live, self._document.width)
        at = self.scroll_offset.y
        following = self._following
        rows = self._document.rows + len(self._live)
        self.virtual_size = Size(self.scrollable_content_region.width, rows)
        if following:
            self.scroll_to(y=max(0, rows - self.scrollable_content_region.height), animate=False, force=True)
        elif gone:
            self.scroll_to(y=max(0, at - gone), animate=False, force=True)
        self._follow(following)
        self.refresh()

    def _follow(self, following: bool) -> None:
        if following != self._following:
            self.post_message(Followed())
        self._following = following
        self._title()

    def _title(self) -> None:
        """Say in the border what waits to be recognized, and how much is new below."""
        if self._following:
            self._read_until = self._state.total
        new = self._state.total - self._read_until
        below = "" if self._following else f"▼ {new} new · End" if new else "▼ End: newest"
        titles = (f"transcripts [seg {self._state.backlog}]", below)
        if titles != self._titles:  # setting one draws the whole pane
            self._titles = titles
            self.border_title = Content(titles[0])
            self.border_subtitle = Content(below) if below else None
