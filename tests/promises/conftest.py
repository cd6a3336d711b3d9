"""What promises about the supervisor share: a stack of fake children as a process of its own."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FAKE_STACK = Path(__file__).parents[1] / "hearing_cli" / "up" / "fake_stack.py"


class FakeStack:
    """The command line of a fake stack, and what its children wrote into their log."""

    def __init__(self, home: Path) -> None:
        self.path = home / "log"

    def argv(self, *options: str) -> list[str]:
        """Give the command line."""
        return [sys.executable, str(FAKE_STACK), *options, str(self.path)]

    def log(self) -> list[str]:
        """Give who started and who ended, in order."""
        return [" ".join(line.split()[:2]) for line in self._lines()]

    def pids(self, name: str = "") -> list[int]:
        """Give the pids of everybody who started, or of one."""
        return [int(line.split()[2]) for line in self._lines() if line.startswith(name) and "start" in line]

    def has_started(self, name: str, times: int = 1) -> Callable[[], bool]:
        """Give a question for `wait_for`."""
        return lambda: self.log().count(f"{name} start") >= times

    def _lines(self) -> list[str]:
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        return text.splitlines()


@pytest.fixture
def fake_stack(home: Path) -> FakeStack:
    """A stack of fake children on this test's runtime folder."""
    return FakeStack(home)
