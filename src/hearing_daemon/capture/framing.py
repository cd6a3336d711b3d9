"""What a capture child writes on stdout: frames of kind, length and payload, until it says `raw`.

A frame is one kind byte, the payload's length (4 bytes, little-endian) and the payload. After a `raw`
frame everything until the end is PCM: there `parec` has taken the child's place. PCM is s16le, 16 kHz, mono.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import msgspec

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus

_HEADER = struct.Struct("<cI")
MAX_PAYLOAD_BYTES = 1 << 20
"""Thirty seconds of sound; a longer frame means that the child is not speaking this protocol."""


class Kind(Enum):
    """The first byte of a frame."""

    PCM = b"P"
    STATUS = b"S"
    ERROR = b"E"
    END = b"Z"
    RAW = b"R"


@dataclass(frozen=True, slots=True)
class Pcm:
    """Whole samples, s16le."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the child gives up, with the way out where it knows one."""

    sentence: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """The source has ended as it should."""


Frame = Pcm | CaptureStatus | Failure | End


def encode(frame: Frame) -> bytes:
    """Write one frame."""
    match frame:
        case Pcm(data):
            return _frame(Kind.PCM, data)
        case CaptureStatus():
            return _frame(Kind.STATUS, msgspec.json.encode(frame))
        case Failure():
            return _frame(Kind.ERROR, msgspec.json.encode(frame))
        case End():
            return _frame(Kind.END, b"")


def encode_raw_follows() -> bytes:
    """Write the frame after which everything is PCM."""
    return _frame(Kind.RAW, b"")


def _frame(kind: Kind, payload: bytes) -> bytes:
    return _HEADER.pack(kind.value, len(payload)) + payload


class Decoder:
    """Frames out of bytes, the same ones however the bytes were cut."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._raw = False

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take bytes and give what is whole.

        Raises:
            AudioError: The bytes are no frames.
        """
        self._held += data
        while not self._raw and len(self._held) >= _HEADER.size:
            kind, size = self._header()
            if len(self._held) < _HEADER.size + size:
                return
            payload = bytes(self._held[_HEADER.size : _HEADER.size + size])
            del self._held[: _HEADER.size + size]
            if kind is Kind.RAW:
                self._raw = True
            else:
                yield _decode(kind, payload)
        if self._raw and len(self._held) >= 2:
            whole = len(self._held) & ~1
            yield Pcm(bytes(self._held[:whole]))
            del self._held[:whole]

    def _header(self) -> tuple[Kind, int]:
        first, size = _HEADER.unpack_from(self._held)
        try:
            kind = Kind(first)
        except ValueError:
            raise AudioError(f"capture child sent a frame of unknown kind `{first.hex()}`") from None
        if size > MAX_PAYLOAD_BYTES or (kind is Kind.PCM and size % 2):
            raise AudioError(f"capture child sent a frame of `{size}` bytes")
        return kind, size


def _decode(kind: Kind, payload: bytes) -> Frame:
    try:
        match kind:
            case Kind.STATUS:
                return msgspec.json.decode(payload, type=CaptureStatus)
            case Kind.ERROR:
                return msgspec.json.decode(payload, type=Failure)
            case Kind.END:
                return End()
            case _:
                return Pcm(payload)
    except msgspec.MsgspecError as error:
        raise AudioError(f"capture child sent a bad `{kind.name.lower()}` frame: {error}") from None
