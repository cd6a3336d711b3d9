"""One request, one answer, within a deadline, whatever the other side does."""

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hearing import paths
from hearing.messages.common import PROTO as SUITE_PROTO
from hearing.messages.common import Hello
from hearing.messages.control import Ack
from hearing.protocol import OUTBOUND_LINE_BYTES, encode
from hearing_ctl import exits, wire
from hearing_ctl.wire import Wire, acknowledge

if TYPE_CHECKING:
    from tests.hearing_ctl.conftest import Server

ACK = b'{"type":"ack","command":"clear","ok":true}\n'


@pytest.fixture
def path(runtime_dir: Path) -> str:
    return str(runtime_dir / paths.ASSISTANT_SOCKET)


def _stopped(path: str, deadline_s: float = 0.3, request: bytes = b"{}\n") -> exits.StopError:
    with pytest.raises(exits.StopError) as stopped:
        _ask(path, deadline_s, request)
    return stopped.value


def _ask(path: str, deadline_s: float, request: bytes) -> None:
    connected = Wire(path, deadline_s)
    try:
        acknowledge(connected.ask(request))
    finally:
        connected.close()


def test_the_numbers_are_the_protocols() -> None:
    assert (wire.PROTO, wire._LINE_BYTES) == (SUITE_PROTO, OUTBOUND_LINE_BYTES)


def test_what_our_assistant_writes_is_known_at_a_glance(
    monkeypatch: pytest.MonkeyPatch, serve: "Server", path: str
) -> None:
    hello = Hello(server="hearing-assistant", version="0.1.0", pid=1, boot_id="b")
    serve(encode(Ack(command="listen")), hello=encode(hello))
    monkeypatch.setattr("hearing_ctl.answers.body_of", lambda _line: pytest.fail("JSON was read"))
    connected = Wire(path)
    acknowledge(connected.ask(b"{}\n"))
    connected.close()


@pytest.mark.parametrize(
    ("hello", "answer"),
    [
        (b'{"proto":1,"type":"hello"}\n', b'{ "ok": true, "type" : "ack" }\n'),
        ([b'{"type":"hel', b'lo","proto":1}\n'], [b'{"type":"ack",', b'"ok":true}', b"\n"]),
        (b'{"type":"hello","proto":1}\n', b'{"type":"ack","request_id":4,"command":"x","ok":true,"new":1}\n'),
    ],
)
def test_any_json_and_any_chunks_will_do(serve: "Server", path: str, hello: bytes, answer: bytes) -> None:
    requests = serve(answer, hello=hello)
    connected = Wire(path)
    acknowledge(connected.ask(b'{"type":"clear"}\n'))
    connected.close()
    assert requests == [b'{"type":"clear"}\n']


def test_nobody_there_is_one_clear_line(path: str) -> None:
    stopped = _stopped(path)
    assert (stopped.status, stopped.sentence) == (exits.UNAVAILABLE, "the assistant is not running")
    assert stopped.hint == "start it with `hearing up`"


def test_a_dead_socket_is_nobody(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
    assert _stopped(path).sentence == "the assistant is not running"


def test_a_path_that_is_no_socket_is_said(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    assert _stopped(str(plain)).sentence == "the assistant is not running"
    stopped = _stopped(str(plain / "below"))
    assert (stopped.status, stopped.sentence) == (69, "the assistant cannot be reached: not a directory")
    assert "cannot be reached" in _stopped("/" + "x" * 200).sentence


@pytest.mark.parametrize("hello", [b"", b'{"type":"hello"', b'{"type":"hello","proto":1}\n'])
def test_silence_ends_at_the_deadline(serve: "Server", path: str, hello: bytes) -> None:
    serve(hello=hello)
    stopped = _stopped(path)
    assert (stopped.status, stopped.sentence) == (69, "the assistant has not answered within 0.3 s")
    assert stopped.hint == "it may hang: `hearing down`, then `hearing up`"


def test_an_assistant_that_leaves_is_said(serve: "Server", path: str) -> None:
    serve(b"", hang_up=True)
    assert _stopped(path, 5.0).sentence == "the assistant closed the connection unasked"


def test_another_protocol_is_said(serve: "Server", path: str) -> None:
    serve(hello=b'{"type":"hello","proto":12}\n')
    stopped = _stopped(path)
    assert (stopped.status, stopped.hint) == (69, "install the same version of both")
    assert stopped.sentence == "the assistant speaks protocol `12`, this program `1`"


@pytest.mark.parametrize(
    ("hello", "status", "sentence"),
    [
        (
            b'{"type":"error","code":"too_many_clients","message":"64 are here"}\n',
            3,
            "too_many_clients: 64 are here",
        ),
        (b'{"type":"status"}\n', 1, "the assistant answers `status`"),
        (b"SSH-2.0-OpenSSH\n", 1, "the assistant's answer is no JSON object"),
        (b"[1]\n", 1, "the assistant's answer is no JSON object"),
        (b"\xff\xfe\n", 1, "the assistant's answer is no JSON object"),
        (b'{"type":"hello","proto":1} {}\n', 1, "the assistant's answer is no JSON object"),
        (b"[" * 100_000 + b"\n", 1, "the assistant's answer is no JSON object"),
    ],
)
def test_a_greeting_that_is_none_is_said(
    serve: "Server", path: str, hello: bytes, status: int, sentence: str
) -> None:
    serve(hello=hello)
    stopped = _stopped(path, 5.0)
    assert (stopped.status, stopped.sentence) == (status, sentence)


@pytest.mark.parametrize(
    ("answer", "status", "sentence", "hint"),
    [
        (b'{"type":"error","code":"busy","message":"later","hint":"wait"}\n', 3, "busy: later", "wait"),
        (b'{"type":"error","code":"busy","message":"a\\u001b[2Jb"}\n', 3, "busy: a[2Jb", ""),
        (b'{"type":"ack","command":"clear","ok":false}\n', 1, "the assistant did not do it", ""),
        (b'{"type":"status"}\n', 1, "the assistant answers `status`", ""),
        (b'{"type":["ack"]}\n', 1, "the assistant answers `['ack']`", ""),
        (b"{}\n", 1, "the assistant answers `None`", ""),
    ],
)
def test_anything_but_an_ack_is_said(
    serve: "Server", path: str, answer: bytes, status: int, sentence: str, hint: str
) -> None:
    serve(answer)
    stopped = _stopped(path, 5.0)
    assert (stopped.status, stopped.sentence, stopped.hint) == (status, sentence, hint)


def test_an_answer_without_end_is_given_up(serve: "Server", path: str) -> None:
    serve(b"x" * 400_000, hang_up=True)
    assert _stopped(path, 5.0).sentence == "the assistant's answer is over `262144` bytes"
