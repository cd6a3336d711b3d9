"""Raw PCM from a pipe, in the layout the command line says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing_daemon.capture.sources.convert import Blocks, Converter
from hearing_daemon.capture.spec import RawFormat, RawLayout

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples, Samples

_DTYPES = {RawFormat.S16LE: "<i2", RawFormat.S32LE: "<i4", RawFormat.F32LE: "<f4", RawFormat.U8: "u1"}
_READ_MS = 40


def read(layout: RawLayout, fd: int = 0) -> Iterator[Samples | CaptureStatus]:
    """Give what comes on descriptor `fd` until it ends.

    Raises:
        AudioError: The layout is nonsense, or it ends in the middle of a frame (after all whole ones).
    """
    yield CaptureStatus("stdin", layout.rate_hz, layout.channels)
    converter, blocks = Converter(layout.rate_hz), Blocks()
    frame_bytes = np.dtype(_DTYPES[layout.sample]).itemsize * layout.channels
    held = b""
    while data := os.read(fd, max(1, layout.rate_hz * _READ_MS // 1_000) * frame_bytes):
        held += data
        whole = len(held) // frame_bytes * frame_bytes
        yield from blocks.take(converter.take(to_float(held[:whole], layout)))
        held = held[whole:]
    yield from blocks.take(converter.finish())
    yield from blocks.finish()
    if held:
        raise AudioError(
            f"stdin ended in the middle of a frame of `{frame_bytes}` bytes",
            hint="check `--rate`, `--channels` and `--format`",
        )


def to_float(data: bytes, layout: RawLayout) -> FloatSamples:
    """Read whole frames as `(n_frames, n_channels) float32` in [-1, 1]."""
    raw = np.frombuffer(data, _DTYPES[layout.sample]).reshape(-1, layout.channels)
    match layout.sample:
        case RawFormat.S16LE:
            return raw.astype(np.float32) / np.float32(32_768)
        case RawFormat.S32LE:
            return raw.astype(np.float32) / np.float32(2_147_483_648)
        case RawFormat.U8:
            return (raw.astype(np.float32) - np.float32(128)) / np.float32(128)
        case RawFormat.F32LE:
            return raw.astype(np.float32)
