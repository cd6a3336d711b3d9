"""What crosses the pipes between daemon and worker: four bytes of length, then one msgpack message."""

import struct
from collections.abc import Iterator
from typing import BinaryIO, Final, TypeVar

import msgspec

from hearing.interfaces import Recognition

LENGTH: Final = struct.Struct("<I")
MAX_BYTES: Final = 8 * 1024 * 1024
"""More than twice the longest utterance; a longer message means that the other side has gone mad."""

M = TypeVar("M")


class Message(msgspec.Struct, frozen=True, tag_field="type"):
    """Anything that crosses."""


class Job(Message, frozen=True, tag="job"):
    """One utterance to recognize: `audio` is int16, 16 kHz, native byte order."""

    seg_id: int
    audio: bytes


class Ready(Message, frozen=True, tag="ready"):
    """The model is loaded and has decoded a second of sound; `device` is `cpu` or `cuda`."""

    model: str
    device: str
    detail: str = ""


class Unusable(Message, frozen=True, tag="unusable"):
    """The model cannot be loaded; the worker ends."""

    sentence: str
    hint: str = ""


class Done(Message, frozen=True, tag="done"):
    """The answer to a job; `took_ms` is wall time in the engine."""

    seg_id: int
    pieces: list[Recognition]
    took_ms: int


class Fault(Message, frozen=True, tag="fault"):
    """The engine refused a job; the worker lives on. `kind` is a class name: messages may quote speech."""

    seg_id: int
    kind: str


Answer = Ready | Unusable | Done | Fault

_ANSWERS: Final[msgspec.msgpack.Decoder[Answer]] = msgspec.msgpack.Decoder(Answer)
_JOBS: Final = msgspec.msgpack.Decoder(Job)


def packed(message: Message) -> bytes:
    """Give the message as it crosses."""
    body = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(body)) + body


def unpacked_answer(body: bytes) -> Answer:
    """Read a message of the worker.

    Raises:
        msgspec.MsgspecError: It is none.
    """
    return _ANSWERS.decode(body)


def jobs(stream: BinaryIO) -> Iterator[Job]:
    """Read jobs until the stream ends; a torn one ends it too, since its sender is dead."""
    while len(head := stream.read(LENGTH.size)) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        body = stream.read(length)
        if len(body) < length:
            return
        yield _JOBS.decode(body)
