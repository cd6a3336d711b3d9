"""The lines above the transcript that say what is wrong and what to do; gone when all is well."""

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from hearing_tui.banners import Banner, Level
from hearing_tui.wrap import wrap

_MARKS = {Level.ERROR: "✖", Level.WARNING: "▲", Level.INFO: "●"}
_STYLES = {
    Level.ERROR: "bold $text-error",
    Level.WARNING: "bold $text-warning",
    Level.INFO: "bold $text-primary",
}
_MOST = 3
_LOW_ROWS = 16  # a terminal this low shows the worst one only
_MARGIN_CELLS = 2
_INDENT = "  "


class BannerLines(Widget):
    """Shows the worst few; the class of the worst one colours the background."""

    def __init__(self) -> None:
        super().__init__(id="banners")
        self._lines = Content()
        self.display = False

    def show(self, banners: list[Banner], terminal: Size) -> None:
        """Take what is wrong now, and how much room there is to say it."""
        shown = banners[: _MOST if terminal.height >= _LOW_ROWS else 1]
        width = max(8, terminal.width - _MARGIN_CELLS)
        lines = Content("\n").join(line for banner in shown for line in _said(banner, width))
        if lines == self._lines:
            return
        self._lines = lines
        self.display = bool(shown)
        for level in Level:
            self.set_class(bool(shown) and shown[0].level is level, f"-{level.name.lower()}")
        self.refresh(layout=True)

    def render(self) -> Content:
        """Give the lines."""
        return self._lines


def _said(banner: Banner, width: int) -> list[Content]:
    """Give the sentence, its hint behind it where both fit on one line, else below it."""
    mark = (f"{_MARKS[banner.level]} ", _STYLES[banner.level])
    sentence = wrap(banner.text, width - len(_INDENT))
    hint = wrap(f"→ {banner.hint}", width - len(_INDENT)) if banner.hint else []
    if len(sentence) == len(hint) == 1 and len(sentence[0]) + len(hint[0]) + 2 * len(_INDENT) <= width:
        return [Content.assemble(mark, sentence[0], _INDENT, (hint[0], "dim"))]
    lines = [Content.assemble(mark, sentence[0])]
    lines += [Content.assemble(_INDENT, line) for line in sentence[1:]]
    return lines + [Content.assemble(_INDENT, (line, "dim")) for line in hint]
