"""Every verb as its own process, through the console script as it is installed."""

import asyncio
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hearing import __version__, paths
from hearing.messages import control
from hearing.messages.common import Error, Health, HealthPart, HealthState
from hearing.messages.control import Clear, Listen, StatusGet, TranscriptGet, TranscriptText
from hearing.testing.assistant import NO_DAEMON, FakeAssistant

CTL = Path(sys.executable).with_name("hearing-ctl")
HOSTILE = "\x1b[2J\u202ehello é\n"


class Done:
    """How one call of the ctl ended."""

    def __init__(self, status: int | None, out: bytes, err: bytes) -> None:
        self.status = status
        self.out = out.decode()
        self.err = err.decode()


async def _ctl(*arguments: str, **environment: str) -> Done:
    process = await asyncio.create_subprocess_exec(
        CTL,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | environment,
    )
    out, err = await asyncio.wait_for(process.communicate(), 30)
    return Done(process.returncode, out, err)


def _read_all(fd: int) -> str:
    found = b""
    try:
        while chunk := os.read(fd, 4096):
            found += chunk
    except OSError:  # Linux ends a terminal whose other side has gone with EIO
        pass
    os.close(fd)
    return found.decode()


async def _ctl_on_a_terminal(*arguments: str, **environment: str) -> str:
    ours, terminal = pty.openpty()
    reading = asyncio.get_running_loop().run_in_executor(None, _read_all, ours)
    process = await asyncio.create_subprocess_exec(
        CTL, *arguments, stdout=terminal, env=os.environ | {"TERM": "xterm"} | environment
    )
    os.close(terminal)
    assert await asyncio.wait_for(process.wait(), 30) == 0
    return await reading


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        (["clear"], Clear()),
        (["listen", "on"], Listen(on=True)),
        (["listen", "off"], Listen(on=False)),
    ],
)
async def test_an_acknowledged_verb_is_silent(
    runtime_dir: Path, arguments: list[str], request_: control.ControlRequest
) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        done = await _ctl(*arguments)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert assistant.requests == [request_]


async def test_toggle_asks_and_says_what_became(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        done = await _ctl("listen", "toggle")
    assert (done.status, done.out) == (0, "muted\n")
    assert assistant.requests == [StatusGet(), Listen(on=False)]


async def test_status_for_people_and_for_programs(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        people, programs = await _ctl("status"), await _ctl("status", "--json")
    assert (people.status, programs.status) == (0, 0)
    assert people.out.splitlines()[:2] == [
        "hearing  yes        tiny.en",
        "mic      listening  fake microphone",
    ]
    assert "\x1b" not in people.out
    raw = json.loads(programs.out)
    assert raw["type"] == "status"
    assert raw["stt"]["healthy"]
    assert len(assistant.requests) == 2


async def test_an_unhealthy_part_has_its_hint(runtime_dir: Path) -> None:
    failed = Health(
        part=HealthPart.STT, state=HealthState.FAILED, detail=NO_DAEMON.detail, hint=NO_DAEMON.hint
    )
    async with FakeAssistant(runtime_dir, stt=NO_DAEMON, health=[failed]):
        done = await _ctl("status")
    assert done.status == 0
    assert "hint: start it with `hearing up`" in done.out


async def test_colours_are_for_terminals_that_want_them(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir):
        assert "\x1b[32myes" in await _ctl_on_a_terminal("status", NO_COLOR="")
        assert "\x1b" not in await _ctl_on_a_terminal("status", NO_COLOR="1")


async def test_a_transcript_is_raw_in_a_file_and_harmless_on_a_terminal(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        assistant.answers[TranscriptGet] = TranscriptText(
            format=control.TranscriptFormat.JSON, text=HOSTILE, segments=1
        )
        piped = await _ctl("transcript", "--format", "json", "--last", "2")
        shown = await _ctl_on_a_terminal("transcript")
    assert (piped.status, piped.out) == (0, HOSTILE)
    assert assistant.requests[0] == TranscriptGet(last_ms=120_000, format=control.TranscriptFormat.JSON)
    assert shown == "[2Jhello é\r\n"


def _deaf_pipe() -> int:
    """Give a pipe that nobody reads any more."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    return write_end


@pytest.mark.parametrize("verb", ["transcript", "--help"])
@pytest.mark.parametrize(
    ("sink", "said"),
    [
        (_deaf_pipe, ""),
        (
            lambda: os.open("/dev/full", os.O_WRONLY),
            "hearing-ctl: stdout cannot be written: no space left on device\n",
        ),
    ],
    ids=["a pipe nobody reads", "a full disk"],
)
async def test_output_that_goes_nowhere_ends_in_silence_or_one_line(
    runtime_dir: Path, verb: str, sink: Callable[[], int], said: str
) -> None:
    stdout = sink()
    async with FakeAssistant(runtime_dir) as assistant:
        assistant.answers[TranscriptGet] = TranscriptText(
            format=control.TranscriptFormat.TXT, text="word\n" * 40_000, segments=1
        )
        process = await asyncio.create_subprocess_exec(
            CTL,
            verb,
            stdout=stdout,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": ""},
        )
        os.close(stdout)
        _, err = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, err.decode()) == (1, said)


async def test_a_refusal_is_said_with_its_hint_and_exits_3(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        assistant.answers[Listen] = Error(code="write_failed", message="disk full", hint="make room")
        done = await _ctl("listen", "off")
    assert (done.status, done.out) == (3, "")
    assert done.err == "hearing-ctl: write_failed: disk full\nhint: make room\n"


@pytest.mark.parametrize("arguments", [["clear"], ["status"], ["listen", "toggle"], ["transcript"]])
async def test_no_assistant_is_one_clear_line_and_a_hint(runtime_dir: Path, arguments: list[str]) -> None:
    done = await _ctl(*arguments)
    assert (done.status, done.out) == (69, "")
    assert done.err == "hearing-ctl: the assistant is not running\nhint: start it with `hearing up`\n"


async def test_a_runtime_folder_that_is_not_there_is_no_assistant_and_is_not_made(runtime_dir: Path) -> None:
    done = await _ctl("clear", HEARING_RUNTIME_DIR=str(runtime_dir / "later"))
    assert done.status == 69
    assert "hint: start it with `hearing up`" in done.err
    assert not (runtime_dir / "later").exists()


async def test_an_unfit_runtime_folder_is_refused(runtime_dir: Path) -> None:
    runtime_dir.chmod(0o755)
    done = await _ctl("clear")
    assert done.status == 78
    assert "has mode 0755, not 0700" in done.err
    assert "hint:" in done.err


async def test_the_runtime_folder_can_be_named(runtime_dir: Path, tmp_path: Path) -> None:
    async with FakeAssistant(runtime_dir):
        done = await _ctl("--runtime-dir", str(runtime_dir), "clear", HEARING_RUNTIME_DIR="/nowhere")
    assert (done.status, done.err) == (0, "")


@pytest.mark.long
async def test_an_assistant_that_does_not_answer_is_given_up_after_five_seconds(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        assistant.answers[Clear] = None
        done = await _ctl("clear")
    assert done.status == 69
    assert "has not answered within 5 s" in done.err


async def test_another_protocol_is_said(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir, proto=2):
        done = await _ctl("clear")
    assert done.status == 69
    assert "speaks protocol `2`, this program `1`" in done.err
    assert "hint: install the same version of both" in done.err


async def test_a_wrong_command_line_exits_2_before_anything_is_asked(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir) as assistant:
        done = await _ctl("lisen", "on")
    assert (done.status, done.out) == (2, "")
    assert done.err == "hearing-ctl: `lisen` is no verb\nhint: did you mean `listen`?\n"
    assert assistant.requests == []


async def test_help_and_version_need_no_assistant() -> None:
    assert (await _ctl("--version")).out == f"hearing-ctl {__version__}\n"
    overview = await _ctl("--help")
    assert (overview.status, overview.err) == (0, "")
    assert "transcript [--format txt|json|md|srt] [--last MINUTES]" in overview.out
    assert "on|off|toggle" in (await _ctl("help", "listen")).out
    nothing = await _ctl()
    assert (nothing.status, nothing.out) == (2, "")
    assert nothing.err == overview.out


async def test_closed_streams_are_survived(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir):
        process = await asyncio.create_subprocess_shell(f"{CTL} clear >&- 2>&- <&-")
        assert await asyncio.wait_for(process.wait(), 30) == 0
        process = await asyncio.create_subprocess_shell(f"{CTL} status >&- 2>&- <&-")
        assert await asyncio.wait_for(process.wait(), 30) == 1


def test_an_acknowledged_verb_imports_next_to_nothing(runtime_dir: Path) -> None:
    """What costs milliseconds stays out; a static wall cannot see an import made by an import."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "sys.argv = ['hearing-ctl', 'clear']\n"
        "from hearing_ctl.__main__ import main; status = main()\n"
        "print(status, *sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, env=os.environ | _path(), check=True
    )
    status, *modules = done.stdout.decode().split()
    assert status == "69"
    assert set(modules) <= {
        "__future__",
        "_socket",
        "hearing",
        "hearing.paths",
        "hearing_ctl",
        "hearing_ctl.__main__",
        "hearing_ctl.command_line",
        "hearing_ctl.exits",
        "hearing_ctl.verbs",
        "hearing_ctl.wire",
        "os",
        "stat",
        "_stat",
        "posixpath",
        "genericpath",
        "os.path",
        "_collections_abc",
    }


def _path() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(paths.__file__).parents[1])}
