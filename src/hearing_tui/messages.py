"""All messages inside the TUI, in one file."""

from textual.message import Message


class FromAssistant(Message):
    """Something came over the link: a control message, or news of the link itself."""

    def __init__(self, item: object) -> None:
        self.item = item
        super().__init__()


class Followed(Message):
    """The transcript began to follow the newest words, or stopped."""
