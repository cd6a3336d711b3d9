"""Bytes become the same messages at any chunking, and nothing a peer sends escapes as another error."""

import itertools
import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearing.errors import ErrorCode, PeerError
from hearing.messages.common import Error, Health, HealthPart, HealthState, Hello
from hearing.messages.control import Ack, StatusGet, TranscriptGet
from hearing.protocol import (
    CONTROL,
    DAEMON,
    INBOUND_LINE_BYTES,
    MAX_DEPTH,
    OUTBOUND_LINE_BYTES,
    REQUESTS,
    Dialect,
    Framer,
    decode,
    encode,
    request_id_of,
)


def refused(line: bytes) -> PeerError:
    with pytest.raises(PeerError) as caught:
        decode(REQUESTS, line)
    return caught.value


# --- framing ---


def test_every_split_of_two_lines_gives_the_same_two_lines() -> None:
    stream = '{"type":"status"}\n{"a":"é\\n"}\n'.encode()
    for first in range(len(stream) + 1):
        for second in range(first, len(stream) + 1):
            framer = Framer()
            lines = framer.feed(stream[:first]) + framer.feed(stream[first:second])
            lines += framer.feed(stream[second:])
            assert lines == stream.split(b"\n")[:-1]
            assert framer.pending_bytes == 0
            assert framer.finished_lines == 2


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8))
def test_any_bytes_at_any_chunking_give_the_same_lines(stream: bytes, cuts: list[int]) -> None:
    """The reference is the whole stream split at once."""
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    framer = Framer()
    lines = [line for a, b in itertools.pairwise(edges) for line in framer.feed(stream[a:b])]
    *expected, tail = stream.split(b"\n")
    assert lines == [line for line in expected if line.strip()]
    assert framer.pending_bytes == len(tail)


@pytest.mark.parametrize("limit", [1, 16, INBOUND_LINE_BYTES, OUTBOUND_LINE_BYTES])
@pytest.mark.parametrize("ended", [True, False])
def test_a_line_of_the_limit_passes_and_one_byte_more_does_not(limit: int, ended: bool) -> None:
    end = b"\n" if ended else b""
    assert Framer(limit).feed(b"x" * limit + end) == ([b"x" * limit] if ended else [])
    with pytest.raises(PeerError) as caught:
        Framer(limit).feed(b"x" * (limit + 1) + end)
    assert caught.value.code is ErrorCode.OVERSIZE
    assert caught.value.closes


def test_an_oversize_line_is_found_byte_by_byte_and_nothing_of_it_is_kept() -> None:
    framer = Framer(8)
    for _ in range(8):
        framer.feed(b"x")
    assert framer.pending_bytes == 8
    with pytest.raises(PeerError):
        framer.feed(b"x")
    assert framer.pending_bytes == 0


def test_blank_lines_are_no_messages() -> None:
    assert Framer().feed(b"\n \r\n\t\n{}\r\n") == [b"{}\r"]


def test_the_repr_says_what_waits() -> None:
    framer = Framer(9)
    framer.feed(b"abc")
    assert repr(framer) == "<Framer pending=3 limit=9>"


# --- decoding ---


def test_unknown_fields_are_ignored_and_the_last_of_two_equal_keys_wins() -> None:
    assert decode(REQUESTS, b'{"type":"status","new":[1,{"x":null}],"request_id":1,"request_id":2}') == (
        StatusGet(request_id=2)
    )


def nested(depth: int, opening: str, closing: str) -> bytes:
    """A status request whose unknown field nests so that the line is `depth` deep."""
    return f'{{"type":"status","x":{opening * (depth - 1)}1{closing * (depth - 1)}}}'.encode()


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_held_to_the_limit_even_inside_an_unknown_field(opening: str, closing: str) -> None:
    assert decode(REQUESTS, nested(MAX_DEPTH, opening, closing)) == StatusGet()
    for depth in (MAX_DEPTH + 1, 1_000, 8_000):
        error = refused(nested(depth, opening, closing))
        assert error.code is ErrorCode.TOO_DEEP
        assert error.closes


def test_brackets_inside_strings_are_no_depth() -> None:
    for text in ("[" * 5_000, '\\"[{' * 500, "\\\\" * 50 + "{" * 50):
        assert decode(REQUESTS, f'{{"type":"status","x":"{text}"}}'.encode()) == StatusGet()


def test_brackets_after_a_string_that_ends_in_a_backslash_pair_are_depth() -> None:
    assert refused(b'{"type":"status","x":"\\\\","y":' + b"[" * 40).code is ErrorCode.TOO_DEEP


@pytest.mark.parametrize("filler", [b'\\"', b'"', b"\\", b'"a', b'\\\\"'])
def test_the_depth_scan_takes_one_pass_over_a_line_made_to_be_slow(filler: bytes) -> None:
    """A line of unclosed quotes once cost seconds; the loop serves everybody, so it must cost none."""
    line = b'{"x":' + b"[" * (MAX_DEPTH + 8) + b'"' + filler * (INBOUND_LINE_BYTES // len(filler) // 2)
    started = time.process_time()
    assert refused(line).closes
    assert time.process_time() - started < 0.2


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"status"',
        b'{"type":"status"} {}',
        b"[]",
        b"null",
        b"17",
        b'"status"',
        b"GET / HTTP/1.1",
        b'\xef\xbb\xbf{"type":"status"}',
        b'{"type":"subscribe","name":"\xff"}',
        b'{"type":"subscribe","name":"\\ud800"}',
        b'{"type":"subscribe","name":"\\udc00\\ud800"}',
        b"\x00" * 100,
        b'{"type":NaN}',
    ],
)
def test_what_is_no_json_object_is_malformed_and_closes(line: bytes) -> None:
    error = refused(line)
    assert error.code is ErrorCode.MALFORMED
    assert error.closes


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (b'{"type":"fly"}', "`fly` is no known type"),
        (b"{}", "`type`"),
        (b'{"type":7}', "`$.type`"),
        (b'{"type":"listen"}', "`on`"),
        (b'{"type":"listen","on":"yes"}', "`$.on`"),
        (b'{"type":"transcript_get","last_ms":' + b"9" * 5_000 + b"}", "`$.last_ms`"),
        (b'{"type":"transcript_get","last_ms":1e400}', "`$.last_ms`"),
        (b'{"type":"transcript_get","format":"doc"}', "`$.format`"),
        (b'{"type":"status","request_id":[]}', "`$.request_id`"),
    ],
)
def test_a_wrong_type_or_field_is_named_and_does_not_close(line: bytes, names: str) -> None:
    error = refused(line)
    assert error.code is ErrorCode.BAD_MESSAGE
    assert not error.closes
    assert names in error.sentence


def test_a_refusal_repeats_only_a_little_of_what_was_sent() -> None:
    """Else a peer's 64 KiB come back as an answer, and text that was spoken could reach a log."""
    for line in (b'{"type":"transcript_get","format":"%s"}', b'{"type":"%s"}'):
        assert len(refused(line % (b"z" * 60_000)).sentence) < 200


CONTROLS = "".join(chr(code) for code in range(0x20)) + "\x7f\x9b\u202e"


def test_controls_pass_the_wire_unchanged() -> None:
    """They are made harmless where text is shown, not where it travels."""
    line = encode(Error(code="x", message=CONTROLS))
    assert line.count(b"\n") == 1
    decoded = decode(CONTROL, line)
    assert isinstance(decoded, Error)
    assert decoded.message == CONTROLS


@given(st.binary(max_size=200))
def test_no_bytes_escape_as_an_undeclared_error(line: bytes) -> None:
    dialects: list[Dialect[Any]] = [REQUESTS, DAEMON, CONTROL]
    for dialect in dialects:
        try:
            decode(dialect, line)
        except PeerError as error:
            assert error.code in {ErrorCode.BAD_MESSAGE, ErrorCode.MALFORMED, ErrorCode.TOO_DEEP}  # noqa: PT017


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(REQUESTS.tags)) | st.text(max_size=8),
    st.dictionaries(
        st.sampled_from(["on", "name", "viewer", "format", "last_ms", "request_id", "from_index"])
        | st.text(max_size=4),
        VALUES,
        max_size=4,
    ),
)
def test_any_json_object_is_a_message_or_a_declared_refusal(kind: str, fields: dict[str, Any]) -> None:
    line = json.dumps({**fields, "type": kind}).encode()
    try:
        assert decode(REQUESTS, line) is not None
    except PeerError as error:
        assert not error.closes or error.code is ErrorCode.MALFORMED  # noqa: PT017 - lone surrogates


# --- the id of a bad request ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"type":"fly","request_id":"a1"}', "a1"),
        (b'{"type":"listen","on":3,"request_id":7}', 7),
        (b'{"type":"listen"}', None),
        (b'{"request_id":[1]}', None),
        (b"no json", None),
        (b'{"x":' + b"[" * 5_000, None),
    ],
)
def test_the_id_of_a_bad_request_is_found_where_there_is_one(line: bytes, expected: str | int | None) -> None:
    assert request_id_of(line) == expected


# --- encoding ---


def hello_of(size_bytes: int) -> Hello:
    """A hello whose line, newline included, has this many bytes."""
    empty = len(encode(Hello(server="", version="", pid=1, boot_id="")))
    return Hello(server="", version="x" * (size_bytes - empty), pid=1, boot_id="")


def test_a_line_of_the_outbound_limit_is_sent_and_one_byte_more_is_a_bug() -> None:
    assert len(encode(hello_of(OUTBOUND_LINE_BYTES))) == OUTBOUND_LINE_BYTES
    with pytest.raises(ValueError, match="`Hello` of 262145 bytes is over `262144`"):
        encode(hello_of(OUTBOUND_LINE_BYTES + 1))


def test_what_we_send_at_the_limit_a_client_reads() -> None:
    line = encode(hello_of(OUTBOUND_LINE_BYTES))
    assert Framer(OUTBOUND_LINE_BYTES).feed(line) == [line[:-1]]


def test_an_encoded_message_is_one_line_of_utf8_json_with_its_type() -> None:
    line = encode(Ack(command="a\nb", request_id=3))
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"type": "ack", "command": "a\nb", "ok": True, "request_id": 3}


def test_a_name_that_is_no_unicode_is_sent_with_question_marks() -> None:
    """A device or file may be named in any bytes; Python holds them as lone surrogates."""
    health = Health(part=HealthPart.MIC, state=HealthState.LISTENING, device="caf\udce9.wav", seq=3)
    sent = decode(DAEMON, encode(health))
    assert sent == msgspec.structs.replace(health, device="caf?.wav")


def test_unset_fields_stay_off_the_wire() -> None:
    assert b"request_id" not in encode(TranscriptGet())
