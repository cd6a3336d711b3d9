"""The assistant as a process of its own, against a scripted daemon on a real socket."""

import asyncio
import json
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from hearing import paths
from hearing.testing.daemon import FakeDaemon, said

CANARY = "zebrafinch"
PATIENCE_S = 20.0


class Assistant:
    """A running `hearing-assistant` and what it has logged."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.log = ""

    async def stop(self, signum: int = signal.SIGTERM) -> int:
        self.process.send_signal(signum)
        return await self.ended()

    async def ended(self) -> int:
        _, log = await asyncio.wait_for(self.process.communicate(), PATIENCE_S)
        self.log += log.decode()
        assert self.process.returncode is not None
        return self.process.returncode


async def _start(*arguments: str, umask: int = -1) -> Assistant:
    return Assistant(
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "hearing_assistant",
            *arguments,
            stderr=asyncio.subprocess.PIPE,
            umask=umask,
        )
    )


class Client:
    """A plain client of the control socket: bytes out, JSON in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.seen: list[dict[str, Any]] = []

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        for message in messages:
            self.writer.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    async def read(self) -> dict[str, Any] | None:
        """Give the next message, or None when the assistant has hung up."""
        line = await asyncio.wait_for(self.reader.readline(), PATIENCE_S)
        if not line:
            return None
        message: dict[str, Any] = json.loads(line)
        self.seen.append(message)
        return message

    async def until(self, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while (message := await self.read()) is not None:
            if true(message):
                return message
        raise AssertionError(f"hung up after {[message['type'] for message in self.seen]}")

    async def got(self, kind: str, **fields: object) -> dict[str, Any]:
        return await self.until(
            lambda message: (
                message["type"] == kind and all(message[name] == value for name, value in fields.items())
            )
        )

    async def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Send one request and give its answer, found by its id."""
        request_id = f"{kind}-{len(self.seen)}"
        self.send({"type": kind, "request_id": request_id} | fields)
        return await self.until(lambda message: message.get("request_id") == request_id)


@asynccontextmanager
async def _client(runtime_dir: Path) -> AsyncIterator[Client]:
    """Connect as soon as somebody serves, and read the greeting."""
    path = runtime_dir / paths.ASSISTANT_SOCKET
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            reader, writer = await asyncio.open_unix_connection(path, limit=512 * 1024)
            break
        except (FileNotFoundError, ConnectionRefusedError):
            assert time.monotonic() < until, "the assistant does not serve"
            await asyncio.sleep(0.02)
    client = Client(reader, writer)
    hello = await client.read()
    assert hello is not None
    assert (hello["type"], hello["proto"], hello["server"]) == ("hello", 1, "hearing-assistant")
    try:
        yield client
    finally:
        writer.transport.abort()


@asynccontextmanager
async def _running(*arguments: str, umask: int = -1) -> AsyncIterator[Assistant]:
    """Run an assistant that has to end well, and whose log must hold nothing that was said."""
    assistant = await _start(*arguments, umask=umask)
    try:
        yield assistant
    except BaseException:
        assistant.process.kill()
        await assistant.process.communicate()
        raise
    assert await assistant.stop() == 0, assistant.log
    assert CANARY not in assistant.log
    assert "Traceback" not in assistant.log


@pytest.fixture
async def assistant() -> AsyncIterator[Assistant]:
    async with _running() as running:
        yield running


async def _healthy(client: Client) -> dict[str, Any]:
    while True:
        status = await client.ask("status")
        if status["stt"]["healthy"]:
            return status
        await asyncio.sleep(0.02)


# --- the daemon's side ---


async def test_words_go_from_the_daemon_to_a_subscriber_and_stay_for_the_next(
    runtime_dir: Path, assistant: Assistant
) -> None:
    async with FakeDaemon(runtime_dir) as fake, _client(runtime_dir) as client:
        await _healthy(client)
        client.send({"type": "subscribe", "viewer": True, "name": "test"})
        await client.got("snapshot")
        fake.play(
            said(f"{CANARY} one", seg_id=1, speaker="Ann", speaker_status="uncertain", speaker_id="spk_1")
        )
        live = await client.got("transcript")
        await client.got("turn_end")
        assert (live["text"], live["speaker"], live["speaker_id"]) == (f"{CANARY} one", "Unknown", "spk_1")
        kinds = [message["type"] for message in client.seen]
        assert {"speech_start", "partial", "speech_stop", "segment_done"} <= set(kinds)
        async with _client(runtime_dir) as late:
            late.send({"type": "subscribe"})
            assert (await late.read() or {})["type"] == "ack"
            assert (await late.read() or {})["type"] == "snapshot"
            assert await late.read() == live
            assert (await late.ask("status"))["viewers"] == 1


async def test_a_daemon_that_dies_and_returns_leaves_no_doubles_and_no_stale_health(
    runtime_dir: Path, assistant: Assistant
) -> None:
    async with _client(runtime_dir) as client:
        status = await client.ask("status")
        assert (status["stt"]["connected"], status["stt"]["hint"]) == (False, "start it with `hearing up`")
        client.send({"type": "subscribe"})
        async with FakeDaemon(runtime_dir) as fake:
            await client.got("health", part="stt", state="ready")
            fake.play(said(f"{CANARY} one", seg_id=1))
            await client.got("turn_end")
        await client.got("health", part="stt", state="failed")
        gone = await client.got("stt")
        assert (gone["stt"]["connected"], gone["stt"]["healthy"]) == (False, False)
        async with FakeDaemon(runtime_dir, boot_id="boot-2") as fake:
            await client.got("health", part="stt", state="ready")
            fake.play(said("two", seg_id=1))
            await client.got("turn_end")
            assert (await client.ask("status"))["stt"]["healthy"]
        document = await client.ask("transcript_get", format="json")
    assert [line["text"] for line in json.loads(document["text"])] == [f"{CANARY} one", "two"]
    texts = [message["text"] for message in client.seen if message["type"] == "transcript"]
    assert texts == [f"{CANARY} one", "two"]
    assert [m["level"] for m in client.seen if m["type"] == "notice"][:3] == ["info", "warning", "info"]


async def test_the_replay_after_a_cut_connection_adds_only_what_was_missed(
    runtime_dir: Path, assistant: Assistant
) -> None:
    async with FakeDaemon(runtime_dir) as fake, _client(runtime_dir) as client:
        await _healthy(client)
        client.send({"type": "subscribe"})
        fake.play(said("one", seg_id=1))
        await client.got("turn_end")
        for connection in tuple(fake.publisher._connections):
            connection.abort()
        fake.play(said("two", seg_id=2))
        await client.got("transcript", text="two")
        fake.play(said("three", seg_id=3))
        await client.got("transcript", text="three")
    assert [m["text"] for m in client.seen if m["type"] == "transcript"] == ["one", "two", "three"]


async def test_an_assistant_that_restarts_has_the_daemons_recent_words_again(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as fake:
        fake.play(said(f"{CANARY} early"))
        for _ in range(2):
            async with _running(), _client(runtime_dir) as client:
                await _healthy(client)
                assert CANARY in (await client.ask("transcript_get"))["text"]


@pytest.mark.long
async def test_a_hung_daemon_is_noticed_in_time_and_forgiven(runtime_dir: Path, assistant: Assistant) -> None:
    async with FakeDaemon(runtime_dir) as fake, _client(runtime_dir) as client:
        await _healthy(client)
        client.send({"type": "subscribe"})
        await client.got("snapshot")
        fake.heartbeat()
        beat_s = time.monotonic()
        hung = await client.got("health", part="stt", state="failed")
        assert 4.5 < time.monotonic() - beat_s < 8
        assert hung["detail"] == "the daemon has said nothing for 5 s"
        fake.heartbeat()
        await client.got("health", part="stt", state="ready")


async def test_hostile_lines_of_a_daemon_hurt_nobody(runtime_dir: Path, assistant: Assistant) -> None:
    hello = {"type": "hello", "server": "x", "version": "0", "pid": 1, "boot_id": "b", "proto": 1}
    transcript = {"type": "transcript", "seg_id": 1, "leg": "mic", "start_ms": 0, "end_ms": 1}
    closing = [
        b"\xff\xfe\n",
        b"[" * 50_000 + b"\n",
        b'{"type":"transcript","text":' + b'"x' * 50_000,
        b"x" * 300_000,
    ]
    survived = [
        b'{"type":"nope"}\n{"type":"transcript","seg_id":"one"}\n{}\n',
        json.dumps(transcript | {"text": f"{CANARY} " * 20_000}).encode() + b"\n",
        json.dumps(transcript | {"text": "x", "start_ms": -(2**62), "end_ms": 2**62}).encode() + b"\n",
        json.dumps({"type": "lost", "from_seq": 1, "count": 10**15}).encode() + b"\n",
        json.dumps({"type": "error", "code": "internal", "message": CANARY}).encode() + b"\n",
    ]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(runtime_dir / paths.DAEMON_SOCKET))
        listening.listen()
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        for junk in [*closing, b"".join(survived)]:
            connected, _ = await asyncio.wait_for(loop.sock_accept(listening), PATIENCE_S)
            with connected:
                try:
                    await loop.sock_sendall(connected, json.dumps(hello).encode() + b"\n" + junk)
                except ConnectionError:
                    continue  # it has seen enough
    (runtime_dir / paths.DAEMON_SOCKET).unlink()
    async with FakeDaemon(runtime_dir) as fake, _client(runtime_dir) as client:
        await _healthy(client)
        client.send({"type": "subscribe"})
        await client.got("snapshot")
        fake.play(said("still here"))
        await client.got("transcript", text="still here")
        assert json.loads((await client.ask("transcript_get", format="json"))["text"])


async def test_a_daemon_of_another_protocol_is_said(runtime_dir: Path, assistant: Assistant) -> None:
    async with FakeDaemon(runtime_dir, proto=9), _client(runtime_dir) as client:
        while True:
            stt = (await client.ask("status"))["stt"]
            if "protocol" in stt["detail"]:
                break
            await asyncio.sleep(0.02)
    assert stt["detail"].endswith("speaks protocol `9`, we speak `1`")


# --- the clients' side ---


async def test_a_half_closed_client_gets_its_answers(runtime_dir: Path, assistant: Assistant) -> None:
    async with _client(runtime_dir) as client:
        client.send({"type": "status"}, {"type": "clear"}, {"type": "speaker_list"})
        client.writer.write_eof()
        kinds = []
        while (message := await client.read()) is not None:
            kinds.append(message["type"])
    assert kinds == ["status", "ack", "speaker_list"]


Misbehaving = Callable[[Client], Awaitable[None]]


async def _junk(client: Client) -> None:
    client.send(b"GET / HTTP/1.1\r\n\r\n")
    assert (await client.got("error"))["code"] == "malformed"
    assert await client.read() is None


async def _too_deep(client: Client) -> None:
    client.send(b'{"type":"status","x":' + b"[" * 2_000 + b"]" * 2_000 + b"}\n")
    assert (await client.got("error"))["code"] == "too_deep"
    assert await client.read() is None


async def _oversize(client: Client) -> None:
    client.send(b'{"type":"status","x":"' + b"x" * 70_000)
    assert (await client.got("error"))["code"] == "oversize"
    assert await client.read() is None


async def _just_small_enough(client: Client) -> None:
    start, end = b'{"type":"status","x":"', b'"}'
    client.send(start + b"x" * (64 * 1024 - len(start) - len(end)) + end + b"\n")
    await client.got("status")


async def _unknown(client: Client) -> None:
    for message in (
        {"type": "command_start", "request_id": 1},
        {"type": "listen", "on": "yes", "request_id": 1},
        {"type": "listen", "request_id": 1},
        {"type": 3, "request_id": 1},
        {"request_id": 1},
    ):
        client.send(message)
        error = await client.got("error")
        assert (error["code"], error["request_id"]) == ("bad_message", 1)
    assert (await client.ask("status"))["type"] == "status"


async def _a_flood(client: Client) -> None:
    for _ in range(80):
        client.send({"type": "status"})
    error = await client.got("error")
    assert error["code"] == "rate_limited"


async def _leaves_amid_a_line(client: Client) -> None:
    client.send(b'{"type":"sta')
    await client.writer.drain()


@pytest.mark.parametrize(
    "misbehave",
    [_junk, _too_deep, _oversize, _just_small_enough, _unknown, _a_flood, _leaves_amid_a_line],
)
async def test_a_bad_client_hears_why_and_nobody_else_notices(
    runtime_dir: Path, assistant: Assistant, misbehave: Misbehaving
) -> None:
    async with FakeDaemon(runtime_dir) as fake, _client(runtime_dir) as good:
        await _healthy(good)
        good.send({"type": "subscribe"})
        await good.got("snapshot")
        async with _client(runtime_dir) as bad:
            await misbehave(bad)
        fake.play(said("hello"))
        await good.got("transcript", text="hello")


async def test_a_client_that_never_reads_is_let_go_and_costs_nobody_anything(
    runtime_dir: Path, assistant: Assistant
) -> None:
    async with FakeDaemon(runtime_dir) as fake, _client(runtime_dir) as good:
        await _healthy(good)
        good.send({"type": "subscribe"})
        await good.got("snapshot")
        process = psutil.Process(assistant.process.pid)
        before = process.memory_info().rss
        async with _client(runtime_dir) as deaf:
            deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
            deaf.send({"type": "subscribe", "viewer": True})
            until = time.monotonic() + PATIENCE_S
            spoken = 0
            while (await good.ask("status"))["viewers"] or not spoken:
                assert time.monotonic() < until, "the deaf client stays"
                fake.play(said("word " * 400, seg_id=spoken))
                spoken += 1
                await good.got("turn_end", seg_ids=[spoken - 1])
                await asyncio.sleep(0.03)
        assert process.memory_info().rss - before < 30 * 1024 * 1024


async def test_listen_is_written_private_under_any_umask_and_before_any_daemon(runtime_dir: Path) -> None:
    async with _running(umask=0), _client(runtime_dir) as client:
        assert (await client.ask("listen", on=False))["type"] == "ack"
        path = runtime_dir / paths.LISTENING_FILE
        assert path.read_text() == "off\n"
        assert (await client.ask("status"))["stt"]["muted"]
        found = {entry.name: stat.S_IMODE(entry.lstat().st_mode) for entry in runtime_dir.iterdir()}
    assert found == {"hearing-assistant.lock": 0o600, "hearing-assistant.sock": 0o600, "listening": 0o600}


async def test_listen_that_cannot_be_written_is_refused(runtime_dir: Path, assistant: Assistant) -> None:
    (runtime_dir / paths.LISTENING_FILE).mkdir()
    (runtime_dir / paths.LISTENING_FILE / "x").touch()
    async with _client(runtime_dir) as client:
        refused = await client.ask("listen", on=False)
        assert (refused["type"], refused["code"]) == ("error", "write_failed")
        assert refused["hint"]
        assert not (await client.ask("status"))["stt"]["muted"]


# --- the process ---


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_cleanly_and_soon_amid_everything(runtime_dir: Path, signum: int) -> None:
    assistant = await _start()
    async with FakeDaemon(runtime_dir), _client(runtime_dir) as client:
        await _healthy(client)
        client.send({"type": "subscribe"})
        await client.got("snapshot")
        asked_s = time.monotonic()
        assert await assistant.stop(signum) == 0
        assert time.monotonic() - asked_s < 2
    assert not (runtime_dir / paths.ASSISTANT_SOCKET).exists()


async def test_a_second_start_says_the_pid_and_touches_nothing(
    runtime_dir: Path, assistant: Assistant
) -> None:
    async with _client(runtime_dir) as client:
        second = await _start()
        assert await second.ended() == 75
        assert f"already running (pid {assistant.process.pid})" in second.log
        assert (await client.ask("status"))["type"] == "status"


async def test_a_bad_config_starts_nothing(runtime_dir: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[assistant]\ntranscript_segment = 5\n")
    assistant = await _start("--config", str(config))
    assert await assistant.ended() == 78
    assert f"{config}:2:" in assistant.log
    assert "transcript_segments" in assistant.log
    assert list(runtime_dir.iterdir()) == []


async def test_an_unfit_runtime_folder_starts_nothing(runtime_dir: Path) -> None:
    runtime_dir.chmod(0o755)
    assistant = await _start()
    assert await assistant.ended() == 78
    assert "0755" in assistant.log


async def test_it_ends_with_whoever_started_it(runtime_dir: Path) -> None:
    read_end, write_end = os.pipe()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "hearing_assistant",
        stderr=asyncio.subprocess.PIPE,
        pass_fds=(read_end,),
        env=os.environ | {"HEARING_LIFETIME_FD": str(read_end)},
    )
    os.close(read_end)
    async with _client(runtime_dir):
        os.close(write_end)
        assert await Assistant(process).ended() == 0
