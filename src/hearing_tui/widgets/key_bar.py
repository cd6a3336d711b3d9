"""The last line: the keys that matter now, from the one table of keys."""

from textual.content import Content
from textual.widget import Widget

from hearing_tui.keys import KEYS, Key


class KeyBar(Widget):
    """Shows the keys that have a label; `l` says what it would do, `End` shows when it matters."""

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._muted = False
        self._following = True

    def show(self, *, muted: bool, following: bool) -> None:
        """Take what the keys would change."""
        if (muted, following) != (self._muted, self._following):
            self._muted, self._following = muted, following
            self.refresh()

    def render(self) -> Content:
        """Put the keys on one line."""
        return Content("  ").join(self._key(key) for key in KEYS if self._matters(key))

    def _matters(self, key: Key) -> bool:
        return bool(key.label) and not (self._following and key.action == "move('end')")

    def _key(self, key: Key) -> Content:
        label = "listen" if key.action == "listen" and self._muted else key.label
        return Content.assemble((f" {key.shown} ", "bold $text-accent"), (label, "dim"))
