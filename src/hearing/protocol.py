r"""Bytes to messages and back, without I/O: one JSON object a line, within limits, at any chunking.

    framer = Framer(); lines = framer.feed(b'{"type":"sta'); lines += framer.feed(b'tus"}\n')
    request = decode(REQUESTS, lines[0])

Malformed, oversize and closed are three different outcomes: `PeerError(MALFORMED)`,
`PeerError(OVERSIZE)`, and the transport's own end of stream.
"""

import re
from typing import Any, Final, Generic, TypeVar

import msgspec

from hearing.errors import ErrorCode, PeerError
from hearing.messages import control, daemon
from hearing.messages.common import Message

INBOUND_LINE_BYTES: Final = 64 * 1024
OUTBOUND_LINE_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 32
_ECHO_CHARS: Final = 80  # of a peer's own words in a refusal of them

# Possessive, and an unclosed string runs to the end: one pass over the line, whatever is in it.
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET: Final = re.compile(rb"[\[\]{}]")

T = TypeVar("T")


class Framer:
    """Cuts a byte stream into lines; holds at most one unfinished line.

    Attributes:
        finished_lines: How many lines have ended so far, so that a deadline can follow one line.
    """

    def __init__(self, limit_bytes: int = INBOUND_LINE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._tail = bytearray()
        self.finished_lines = 0

    def __repr__(self) -> str:
        return f"<Framer pending={self.pending_bytes} limit={self._limit_bytes}>"

    @property
    def pending_bytes(self) -> int:
        """Count the bytes of a line that has no end yet."""
        return len(self._tail)

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take bytes, give the finished lines without their newline, blank ones left out.

        Lines finished before an oversize one are lost with it: the connection ends there anyway.

        Raises:
            PeerError: OVERSIZE when a line, finished or not, is longer than the limit.
        """
        *finished, tail = chunk.split(b"\n")
        self.finished_lines += len(finished)
        if finished and self._tail:
            finished[0] = bytes(self._tail) + finished[0]
            self._tail.clear()
        if tail:
            self._tail += tail
        if len(self._tail) > self._limit_bytes or max(map(len, finished), default=0) > self._limit_bytes:
            self._tail.clear()
            raise PeerError(
                ErrorCode.OVERSIZE, f"a line is longer than `{self._limit_bytes}` bytes", closes=True
            )
        return [line for line in finished if line.strip()]


class Dialect(Generic[T]):
    """The messages one side may read: a union of tagged Structs and its typed decoder."""

    def __init__(self, union: Any) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(union)
        self.tags: frozenset[str] = frozenset(str(struct.__struct_config__.tag) for struct in union.__args__)


class _Typed(msgspec.Struct):
    type: object = None
    request_id: object = None


_PEEK = msgspec.json.Decoder(_Typed)

DAEMON: Final[Dialect[daemon.DaemonMessage]] = Dialect(daemon.DaemonMessage)
REQUESTS: Final[Dialect[control.ControlRequest]] = Dialect(control.ControlRequest)
CONTROL: Final[Dialect[control.ControlMessage]] = Dialect(control.ControlMessage)


def decode(dialect: Dialect[T], line: bytes) -> T:
    """Read one line as a message of the dialect.

    Raises:
        PeerError: TOO_DEEP or MALFORMED, which close the connection; BAD_MESSAGE for an unknown type or a
            bad field, which does not.
    """
    if _deeper_than(line, MAX_DEPTH):
        raise PeerError(ErrorCode.TOO_DEEP, f"a line nests deeper than `{MAX_DEPTH}`", closes=True)
    if not line.lstrip().startswith(b"{"):
        raise PeerError(ErrorCode.MALFORMED, "a line is not a JSON object", closes=True)
    try:
        return dialect._decoder.decode(line)
    except msgspec.ValidationError as error:
        raise _bad_message(dialect, line, error) from None
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise PeerError(ErrorCode.MALFORMED, "a line is not a JSON object", closes=True) from None


def request_id_of(line: bytes) -> str | int | None:
    """Find the `request_id` of a line that may be a bad request, so that its refusal can be matched."""
    try:
        found = _PEEK.decode(line).request_id
    except (msgspec.MsgspecError, RecursionError):
        return None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def encode(message: Message) -> bytes:
    """Write a message as one line with its newline; what is no Unicode in it becomes `?`.

    Raises:
        ValueError: It is longer than the outbound limit: a bug of ours, not of a peer.
    """
    try:
        line = msgspec.json.encode(message) + b"\n"
    except UnicodeEncodeError:  # a device or file named in other bytes, held as lone surrogates
        line = msgspec.json.encode(_without_surrogates(msgspec.to_builtins(message))) + b"\n"
    if len(line) > OUTBOUND_LINE_BYTES:
        raise ValueError(f"a `{type(message).__name__}` of {len(line)} bytes is over `{OUTBOUND_LINE_BYTES}`")
    return line


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(inner) for inner in value]
    return value


def _bad_message(dialect: Dialect[Any], line: bytes, error: msgspec.ValidationError) -> PeerError:
    """Tell an unknown type from a bad field: msgspec raises the same error for both."""
    try:
        kind = _PEEK.decode(line).type
    except (msgspec.MsgspecError, RecursionError):
        kind = None
    if isinstance(kind, str) and kind not in dialect.tags:
        return PeerError(ErrorCode.BAD_MESSAGE, f"`{kind[:_ECHO_CHARS]}` is no known type", closes=False)
    what, _, where = str(error).partition(" - at ")
    place = f" - at {where[-_ECHO_CHARS:]}" if where else ""
    return PeerError(ErrorCode.BAD_MESSAGE, what[:_ECHO_CHARS].lower() + place, closes=False)


def _deeper_than(line: bytes, limit: int) -> bool:
    """Count brackets outside strings before any parser recurses; broken JSON is left to the parser."""
    if line.count(b"{") + line.count(b"[") <= limit:
        return False
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", line)):
        depth += 1 if bracket in b"{[" else -1
        deepest = max(deepest, depth)
    return deepest > limit
