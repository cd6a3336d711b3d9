"""What all dialogs share: a box in the middle, closed by one key, left by the keys that leave everything."""

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from hearing_tui.keys import CLOSE, KEYS

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """A modal screen that the user can always get out of; its result is None when closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(CLOSE.keys), CLOSE.action, CLOSE.help),
        *(
            Binding(",".join(key.keys), f"app.{key.action}", key.help, priority=True)
            for key in KEYS
            if key.priority
        ),
    ]

    def action_close(self) -> None:
        """Close it; nothing was decided."""
        self.dismiss(None)
