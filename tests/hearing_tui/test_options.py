"""The command line refuses what makes no sense."""

import pytest

from hearing_tui.options import parse


def test_defaults() -> None:
    asked = parse([])
    assert (asked.dump, asked.screenshot, asked.format, asked.size) == (None, None, "json", (100, 30))


def test_sizes_and_seconds_are_read() -> None:
    assert parse(["--size", "80x24"]).size == (80, 24)
    assert parse(["--dump", "0.5"]).dump == 0.5


@pytest.mark.parametrize(
    "argv",
    [
        ["--dump", "0"], ["--dump", "-1"], ["--dump", "nan"], ["--dump", "soon"], ["--dump"],
        ["--size", "80"], ["--size", "0x10"], ["--size", "80x24x3"], ["--format", "xml"],
        ["--dump", "1", "--screenshot", "x.svg"], ["extra"],
    ],
)  # fmt: skip
def test_nonsense_is_a_usage_error(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(argv)
    assert ended.value.code == 2
    assert "hearing-tui: error" in capsys.readouterr().err
