"""What is said, when, and when it is held back."""

import io

from hearing_cli.up.console import LAST_LINES, Console
from hearing_cli.up.events import Role


def test_without_a_tui_states_and_the_childrens_lines_are_printed() -> None:
    stream = io.StringIO()
    console = Console(echo=True, stream=stream)
    console.tell("daemon ready (pid 1)")
    console.child_line(Role.DAEMON, "opened")
    console.last_lines(Role.DAEMON, ["opened"])  # seen already
    assert stream.getvalue() == "hearing: daemon ready (pid 1)\n   daemon | opened\n"


def test_nothing_is_printed_over_the_tui() -> None:
    stream = io.StringIO()
    console = Console(echo=True, stream=stream)
    console.take_screen()
    console.tell("daemon ended")
    console.child_line(Role.DAEMON, "opened")
    assert stream.getvalue() == ""


def test_after_a_failure_what_was_held_back_is_shown_once_the_screen_is_free() -> None:
    stream = io.StringIO()
    console = Console(echo=False, stream=stream)
    console.take_screen()
    console.last_lines(Role.DAEMON, [str(number) for number in range(100)])
    console.tell("daemon ended")
    console.give_screen_back()
    console.tell("assistant stopped")
    console.finish(exit_code=1)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "hearing: assistant stopped"
    assert lines[1:] == [f"   daemon | {n}" for n in range(100 - LAST_LINES, 100)] + ["hearing: daemon ended"]


def test_after_a_good_end_what_was_held_back_is_forgotten() -> None:
    stream = io.StringIO()
    console = Console(echo=False, stream=stream)
    console.take_screen()
    console.tell("daemon ended, again in 0.5 s")
    console.finish(exit_code=0)
    assert stream.getvalue() == ""


def test_a_terminal_that_is_gone_costs_only_the_words() -> None:
    class Gone(io.StringIO):
        def write(self, _text: str) -> int:
            raise OSError(5, "input/output error")

    Console(echo=True, stream=Gone()).tell("stopping")
