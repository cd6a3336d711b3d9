"""The transcript is asked for until it is whole."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hearing import paths
from hearing_ctl import exits, transcript_pages
from hearing_ctl.wire import Wire

if TYPE_CHECKING:
    from tests.hearing_ctl.conftest import Server


def _page(text: str, next_index: object) -> bytes:
    body = {"type": "transcript_text", "format": "md", "text": text, "segments": 1, "next_index": next_index}
    return json.dumps(body).encode() + b"\n"


@pytest.fixture
def path(runtime_dir: Path) -> str:
    return str(runtime_dir / paths.ASSISTANT_SOCKET)


def _show(path: str, fields: dict[str, str]) -> int:
    wire = Wire(path)
    try:
        return transcript_pages.show(wire, fields)
    finally:
        wire.close()


def test_pages_are_asked_for_one_by_one_and_printed_joined(
    serve: "Server", path: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    requests = serve(_page("é one\n", 1), _page("\x1b[2Jtwo\n", 7), _page("three\n", None))
    assert _show(path, {"format": '"md"', "last_ms": "60000"}) == exits.OK
    assert capfdbinary.readouterr().out == "é one\n\x1b[2Jtwo\nthree\n".encode()
    assert [json.loads(line) for line in requests] == [
        {"type": "transcript_get", "format": "md", "last_ms": 60_000, "from_index": index}
        for index in (0, 1, 7)
    ]


@pytest.mark.parametrize("next_index", [0, -1, "1", True, 1.5])
def test_pages_that_go_in_circles_end(serve: "Server", path: str, next_index: object) -> None:
    serve(_page("one", next_index))
    with pytest.raises(exits.StopError, match="do not lead on") as stopped:
        _show(path, {})
    assert stopped.value.status == exits.FAILED
