"""Progress on a terminal, and its absence anywhere else."""

import io

import pytest

from hearing_cli.transcribe.progress import BarProgress, heard_so_far, shown


class Tty(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("done_ms", "total_ms", "took_s", "written"),
    [
        (35_000, 84_596, 1.75, "0:35/1:24 20x"),
        (3_723_000, 7_200_000, 0.0, "1:02:03/2:00:00"),
        (500, None, 1.0, "0:00 0x"),
    ],
)
def test_how_far_it_is(done_ms: int, total_ms: int | None, took_s: float, written: str) -> None:
    assert heard_so_far(done_ms, total_ms, took_s) == written


def test_without_a_terminal_only_problems_are_said_and_harmlessly() -> None:
    output = io.StringIO()
    with shown(output) as progress:
        progress.begin("a.wav", 1_000)
        progress.at(500)
        progress.problem("bad \x1b[2J\nhint: none")
    assert output.getvalue() == "bad [2J\nhint: none\n"


def test_on_a_terminal_a_bar_comes_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    output = Tty()
    with shown(output) as progress:
        assert isinstance(progress, BarProgress)
        progress.begin("[red]a\x1b[5m.wav", 84_596)
        progress.at(42_000)
        progress.problem("hearing: bad [bold]file")
    said = output.getvalue()
    assert "[red]a[5m.wav" in said
    assert "0:42/1:24" in said
    assert "hearing: bad [bold]file" in said
    assert said.endswith(("\x1b[2K", "\x1b[?25h", "\x1b[1A\x1b[2K"))


def test_no_color_and_a_dumb_terminal_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    output = Tty()
    with shown(output) as progress:
        progress.begin("a.wav", 1_000)
        progress.at(500)
    assert output.getvalue() == ""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    with shown(output) as progress:
        progress.begin("a.wav", 1_000)
        progress.at(500)
    assert "\x1b[3" not in output.getvalue()
