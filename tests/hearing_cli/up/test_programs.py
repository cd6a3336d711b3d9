"""Which command line each role gets."""

import sys
from pathlib import Path

from hearing_cli.up.events import Role
from hearing_cli.up.programs import programs


def test_every_role_is_a_module_of_its_own_room_told_the_same_folder() -> None:
    made = programs(list(Role), Path("/r"), common=["--verbose"], daemon=["--source", "a.wav"])
    assert made[Role.DAEMON].argv == (
        *(sys.executable, "-m", "hearing_daemon", "--runtime-dir", "/r"),
        *("--verbose", "--source", "a.wav"),
    )
    assert made[Role.ASSISTANT].argv == (
        *(sys.executable, "-m", "hearing_assistant", "--runtime-dir", "/r"),
        "--verbose",
    )
    assert made[Role.DAEMON].socket == Path("/r/hearing-daemon.sock")
    assert made[Role.TUI].socket is None
    assert list(made) == [Role.DAEMON, Role.ASSISTANT, Role.TUI]


def test_standard_input_goes_to_the_daemon_alone_and_only_when_it_is_the_source() -> None:
    for taken in (False, True):
        made = programs(list(Role), Path("/r"), stdin_to_daemon=taken)
        assert [made[role].takes_stdin for role in Role] == [taken, False, False]
