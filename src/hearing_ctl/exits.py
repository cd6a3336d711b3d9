"""Exit statuses, as plain numbers: `enum` alone would add a third to the time of a key press.

A test holds them equal to `hearing.errors.ExitCode`.
"""

OK = 0
FAILED = 1
USAGE = 2
REFUSED = 3
UNAVAILABLE = 69
CONFIG = 78
INTERRUPTED = 130


class StopError(Exception):
    """The program ends here with a status, a sentence (if any) on stderr and, where known, a hint."""

    def __init__(self, status: int, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.hint = hint
