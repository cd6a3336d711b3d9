"""A terminal gets a bar, anything else gets lines, and neither can be driven by what is shown."""

import io

import pytest

from hearing_cli.models_progress import BarProgress, PlainProgress, megabytes, shown


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CI"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")


def pull_into(output: io.StringIO) -> str:
    with shown(output) as progress:
        progress.note("pulling `toy` [bold]x[/bold] \x1b[31mred")
        progress.begin("from the hub", 80_000_000, 0)
        progress.begin("from the package index", 70_000_000, 10_000_000)
        for done in range(10_000_000, 70_000_001, 1_000_000):
            progress.at(done)
    return output.getvalue()


def test_lines_elsewhere() -> None:
    assert pull_into(io.StringIO()).splitlines() == [
        "pulling `toy` [bold]x[/bold] [31mred",
        "from the hub: 80 MB",
        "from the package index: 70 MB, 10 MB are here already",
        "25 % of 70 MB",
        "50 % of 70 MB",
        "75 % of 70 MB",
        "100 % of 70 MB",
    ]


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in pull_into(Terminal())


def test_a_terminal_gets_a_bar_with_size_and_time_left() -> None:
    text = pull_into(Terminal())
    assert "from the package index" in text
    assert "70.0/70.0 MB" in text
    assert "0:00:00" in text
    assert "pulling `toy` [bold]x[/bold] [31mred" in text
    assert text.rstrip().endswith("\x1b[?25h"), "the cursor must be back"


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    colour = re.compile(r"\x1b\[(3|4|9)\d*(;\d+)*m")
    assert colour.search(pull_into(Terminal()))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(pull_into(Terminal()))


def test_a_bar_that_never_began_is_harmless() -> None:
    output = Terminal()
    bar = BarProgress(output)
    bar.at(5)
    bar.stop()
    plain = PlainProgress(io.StringIO())
    plain.begin("nothing", 0, 0)
    plain.at(0)


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0.0 MB"), (312_345, "0.3 MB"), (8_679_182, "8.7 MB"), (75_537_502, "76 MB")]
)
def test_sizes_are_as_people_say_them(size: int, text: str) -> None:
    assert megabytes(size) == text
