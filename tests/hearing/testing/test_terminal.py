"""The pseudo-terminal shows what a terminal would, and notices what was not put back."""

import sys

import pytest

from hearing.testing.terminal import Screen, Terminal


def drawn(output: str, columns: int = 10, rows: int = 3) -> str:
    screen = Screen(columns, rows)
    screen.feed(output)
    return screen.text


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("ab\r\ncd", "ab\ncd\n"),
        ("\x1b[2;3Hx\x1b[Hy", "y\n  x\n"),
        ("\x1b[31;1mred\x1b[0m", "red\n\n"),
        ("日本x", "日本x\n\n"),
        ("e\u0301", "e\n\n"),
        ("0123456789over", "0123456789\n\n"),
        ("\x1b]0;title\x07a\x1b]8;;x\x1b\\b", "ab\n\n"),
        ("old\x1b[2Jnew", "new\n\n"),
        ("\x1b[99;99Hx", "\n\n"),
    ],
)
def test_the_screen(output: str, text: str) -> None:
    assert drawn(output) == text


def test_a_sequence_may_come_in_pieces() -> None:
    screen = Screen(10, 2)
    rest = ""
    for char in "a\x1b[2;1Hb\x1b[?1049h":
        rest = screen.feed(rest + char)
    assert (screen.text, screen.modes, rest) == ("a\nb", {1049: True}, "")


async def test_what_was_not_put_back_is_named() -> None:
    script = r"import tty; tty.setraw(0); print('\033[?1049h\033[?25l\033[>1u')"
    async with Terminal([sys.executable, "-c", script]) as terminal:
        assert await terminal.ended() == 0
        assert terminal.restored() == [
            "mode 1049 is on",
            "mode 25 is off",
            "1 keyboard protocols are left",
            "the line discipline is another",
        ]


async def test_keys_sizes_and_the_end_reach_the_program() -> None:
    script = "import os, shutil; input(); print(*os.get_terminal_size()); raise SystemExit(7)"
    async with Terminal([sys.executable, "-c", script], columns=33, rows=11) as terminal:
        terminal.press("go\r")
        await terminal.shows("33 11")
        assert await terminal.ended() == 7
        assert terminal.restored() == []


async def test_a_wait_that_fails_shows_the_screen() -> None:
    async with Terminal([sys.executable, "-c", "print('hello'); input()"]) as terminal:
        await terminal.shows("hello")
        with pytest.raises(AssertionError, match="hello"):
            await terminal.shows("goodbye", deadline_s=0.2)
