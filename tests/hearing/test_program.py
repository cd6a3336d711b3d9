"""A program's end is an exit code and at most two lines."""

import subprocess
import sys
from pathlib import Path

import pytest

from hearing import __version__, program
from hearing.errors import ExitCode, RuntimeDirError


def ran(body: str, *, shell_tail: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program whose body is these statements, in a child: `run` changes the whole process."""
    code = (
        "import asyncio, sys\nfrom hearing import program\nfrom hearing.errors import *\n"
        "def body() -> int:\n    " + body.replace("\n", "\n    ") + "\n"
        "sys.exit(program.run('hearing-x', body))\n"
    )
    command = [sys.executable, "-c", code]
    if shell_tail:
        command = ["sh", "-c", f'"$@" {shell_tail}', "sh", *command]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("body", "code", "stderr"),
    [
        ("return 0", 0, ""),
        ("return 3", 3, ""),
        ("raise HearingError('a `b` broke')", 1, "hearing-x: a `b` broke\n"),
        ("raise UsageError('no', hint='yes')", 2, "hearing-x: no\nhint: yes\n"),
        ("raise RefusedError('busy', 'later')", 3, "hearing-x: later\n"),
        ("raise UnavailableError('nobody')", 69, "hearing-x: nobody\n"),
        ("raise AlreadyRunningError('it runs', pid=7)", 75, "hearing-x: it runs\n"),
        ("raise ConfigError('c:1: bad')", 78, "hearing-x: c:1: bad\n"),
        ("raise RuntimeDirError('open')", 78, "hearing-x: open\n"),
        ("raise KeyboardInterrupt", 130, ""),
        ("sys.exit(2)", 2, ""),
    ],
)
def test_each_end_has_its_code_and_its_sentence(body: str, code: int, stderr: str) -> None:
    ended = ran(body)
    assert (ended.returncode, ended.stderr) == (code, stderr)


def test_the_unforeseen_is_logged_with_its_traceback_and_exits_70() -> None:
    ended = ran("raise ZeroDivisionError('n=0')")
    assert ended.returncode == ExitCode.INTERNAL
    assert "Traceback" in ended.stderr
    assert "ZeroDivisionError: n=0" in ended.stderr


def test_ctrl_c_in_a_loop_exits_130_without_a_traceback() -> None:
    interrupted = "import os\nasync def main():\n    os.kill(os.getpid(), 2)\n    await asyncio.sleep(9)\n"
    ended = ran(interrupted + "asyncio.run(main())\nreturn 0")
    assert (ended.returncode, ended.stderr) == (ExitCode.INTERRUPTED, "")


@pytest.mark.parametrize("body", ["print('x')\nreturn 0", "for _ in range(99999): print('x')\nreturn 0"])
def test_a_reader_that_has_left_is_no_traceback(body: str) -> None:
    """`hearing-ctl transcript | head -1` ends quietly, whether the pipe breaks early or at the last flush."""
    ended = ran("import time\n" + body, shell_tail="| true; true")
    assert ended.stderr == ""


def test_closed_output_is_no_traceback() -> None:
    ended = ran("return 0", shell_tail=">&-")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
@pytest.mark.parametrize("body", ["print('x')\nreturn 0", "for _ in range(99999): print('x')\nreturn 0"])
def test_a_full_disk_behind_stdout_is_a_sentence(body: str) -> None:
    ended = ran(body, shell_tail=">/dev/full")
    assert ended.returncode == ExitCode.FAILED
    assert ended.stderr.startswith("hearing-x: no space is left to write to\nhint: ")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("tail", ["2>&-", pytest.param("2>/dev/full", id="full")])
def test_an_error_that_cannot_be_said_keeps_its_exit_status(tail: str) -> None:
    ended = ran("program.warn('w')\nraise ConfigError('c:1: bad')", shell_tail=tail)
    assert ended.returncode == ExitCode.CONFIG


def test_what_others_wrote_cannot_drive_the_terminal() -> None:
    ended = ran("program.warn('a\\x1b]52;c;x\\x07b')\nraise HearingError('c\\x9b2Jd', hint='e\\u202ef')")
    assert ended.stderr == "warning: a]52;c;xb\nhearing-x: c2Jd\nhint: ef\n"


def test_every_program_has_the_common_options(capsys: pytest.CaptureFixture[str]) -> None:
    options = program.parser("hearing-x", "Does x.").parse_args(["--config", "c", "--runtime-dir", "d"])
    assert (options.config, options.runtime_dir, options.verbose) == ("c", "d", False)
    with pytest.raises(SystemExit) as ended:
        program.parser("hearing-x", "Does x.").parse_args(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"hearing-x {__version__}\n"


def test_options_are_never_guessed_from_their_beginning() -> None:
    with pytest.raises(SystemExit) as ended:
        program.parser("hearing-x", "").parse_args(["--verb"])
    assert ended.value.code == ExitCode.USAGE


def test_an_unfit_runtime_folder_is_a_config_error_with_a_way_out(home: Path) -> None:
    (home / "open").mkdir(mode=0o700)
    (home / "open").chmod(0o755)
    with pytest.raises(RuntimeDirError, match="has mode 0755") as caught:
        program.runtime_dir(str(home / "open"))
    assert "chmod 700" in caught.value.hint
    assert program.runtime_dir(None) == home / "run"
