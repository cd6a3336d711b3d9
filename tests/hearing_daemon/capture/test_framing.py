"""The wire of the capture child, however the pipe cuts it."""

import contextlib
import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing_daemon.capture import framing
from hearing_daemon.capture.framing import Decoder, End, Failure, Frame, Pcm

FRAMES: list[Frame] = [
    CaptureStatus("mic ü", 48_000, 2, xruns=3, warning="odd"),
    Pcm(b"\x01\x02\x03\x04"),
    Pcm(b""),
    Failure("device `x` is not there", "plug it in"),
    End(),
]
WIRE = b"".join(map(framing.encode, FRAMES))


def test_frames_survive_every_split_of_the_pipe() -> None:
    for cut in range(len(WIRE) + 1):
        decoder = Decoder()
        assert [*decoder.feed(WIRE[:cut]), *decoder.feed(WIRE[cut:])] == FRAMES


def test_frames_survive_one_byte_at_a_time() -> None:
    decoder = Decoder()
    assert [frame for byte in WIRE for frame in decoder.feed(bytes([byte]))] == FRAMES


@given(st.binary(max_size=64), st.lists(st.integers(0, 64), max_size=6))
def test_after_raw_everything_is_pcm_in_whole_samples(pcm: bytes, cuts: list[int]) -> None:
    wire = framing.encode(FRAMES[0]) + framing.encode_raw_follows() + pcm
    edges = sorted({0, len(wire), *(min(cut, len(wire)) for cut in cuts)})
    decoder = Decoder()
    parts = [wire[a:b] for a, b in itertools.pairwise(edges)]
    frames = [frame for part in parts for frame in decoder.feed(part)]
    assert frames[0] == FRAMES[0]
    sound = [frame.data for frame in frames[1:] if isinstance(frame, Pcm)]
    assert b"".join(sound) == pcm[: len(pcm) // 2 * 2]
    assert all(len(data) % 2 == 0 for data in sound)


@pytest.mark.parametrize(
    ("wire", "sentence"),
    [
        (b"X\x00\x00\x00\x00", "unknown kind `58`"),
        (b"P" + struct.pack("<I", framing.MAX_PAYLOAD_BYTES + 2), "frame of `1048578` bytes"),
        (b"P\x03\x00\x00\x00abc", "frame of `3` bytes"),
        (b"S\x02\x00\x00\x00{}", "bad `status` frame"),
        (b"E\x03\x00\x00\x00\xff\xff\xff", "bad `error` frame"),
    ],
)
def test_rubbish_is_refused_in_a_sentence(wire: bytes, sentence: str) -> None:
    with pytest.raises(AudioError, match=sentence):
        list(Decoder().feed(wire))


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_anything_else(wire: bytes) -> None:
    with contextlib.suppress(AudioError):
        list(Decoder().feed(wire))
