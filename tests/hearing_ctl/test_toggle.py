"""`toggle` asks first."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hearing import paths
from hearing_ctl import exits, toggle
from hearing_ctl.command_line import parse
from hearing_ctl.wire import Wire

if TYPE_CHECKING:
    from tests.hearing_ctl.conftest import Server

ACK = b'{"type":"ack","command":"listen","ok":true}\n'


def _toggle(runtime_dir: Path) -> int:
    call = parse(["listen", "toggle"])
    assert call.verb is not None
    wire = Wire(str(runtime_dir / paths.ASSISTANT_SOCKET))
    try:
        return toggle.ask(wire, call, call.verb)
    finally:
        wire.close()


@pytest.mark.parametrize(
    ("muted", "asked", "said"), [("true", "true", "listening"), ("false", "false", "muted")]
)
def test_the_opposite_of_what_is_now_is_asked_for(
    serve: "Server", runtime_dir: Path, capfd: pytest.CaptureFixture[str], muted: str, asked: str, said: str
) -> None:
    requests = serve(f'{{"type":"status","stt":{{"muted":{muted}}}}}\n'.encode(), ACK)
    assert _toggle(runtime_dir) == exits.OK
    assert requests == [b'{"type":"status"}\n', f'{{"type":"listen","on":{asked}}}\n'.encode()]
    assert capfd.readouterr().out == f"{said}\n"


@pytest.mark.parametrize("stt", ["null", "{}", "[]", '{"muted":1}'])
def test_a_status_that_does_not_say_changes_nothing(serve: "Server", runtime_dir: Path, stt: str) -> None:
    requests = serve(f'{{"type":"status","stt":{stt}}}\n'.encode())
    with pytest.raises(exits.StopError, match="does not say whether it is muted"):
        _toggle(runtime_dir)
    assert len(requests) == 1
