"""The lines above the transcript that say what is wrong and what to do; gone when all is well."""

from textual.content import Content
from textual.widget import Widget

from hearing_tui.banners import Banner, Level

_MARKS = {Level.ERROR: "✖", Level.WARNING: "▲", Level.INFO: "●"}
_STYLES = {
    Level.ERROR: "bold $text-error",
    Level.WARNING: "bold $text-warning",
    Level.INFO: "bold $text-primary",
}
_MOST = 3


class BannerLines(Widget):
    """Shows the worst few; the class of the worst one colours the background."""

    def __init__(self) -> None:
        super().__init__(id="banners")
        self._banners: list[Banner] = []
        self.display = False

    def show(self, banners: list[Banner]) -> None:
        """Take what is wrong now."""
        shown = banners[:_MOST]
        if shown == self._banners:
            return
        self._banners = shown
        self.display = bool(shown)
        for level in Level:
            self.set_class(bool(shown) and shown[0].level is level, f"-{level.name.lower()}")
        self.refresh(layout=True)

    def render(self) -> Content:
        """Give a sentence each, its hint after it."""
        return Content("\n").join(
            Content.assemble(
                (f"{_MARKS[banner.level]} ", _STYLES[banner.level]),
                banner.text,
                (f"  {banner.hint}" if banner.hint else "", "dim"),
            )
            for banner in self._banners
        )
