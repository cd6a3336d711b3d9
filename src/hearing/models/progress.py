"""How a pull tells what it does; the store itself prints nothing."""

from __future__ import annotations


class Progress:
    """Hears of a pull and says nothing; a program that has something to show overrides it."""

    def note(self, sentence: str) -> None:
        """Take a sentence for the user: what is tried now, what failed and what comes next."""

    def begin(self, what: str, total_bytes: int, done_bytes: int) -> None:
        """Start to count a download of `total_bytes`, of which `done_bytes` are here already."""

    def at(self, done_bytes: int) -> None:
        """Take the bytes that are here now; they fall back when a server makes us start again."""
