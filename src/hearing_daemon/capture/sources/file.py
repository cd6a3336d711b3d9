"""Sound and video files of any format; the one door to PyAV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.container import InputContainer
from av.error import FFmpegError

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing_daemon.capture.sources.convert import Blocks, Converter

if TYPE_CHECKING:
    from hearing.interfaces import FloatSamples, Samples

_HINT = "any file `ffmpeg` plays will do; raw PCM goes through `--source stdin`"

_LOST_MS = 300
"""What may lack at the end of a whole file: containers round to their packets."""


def read(path: Path) -> Iterator[Samples | CaptureStatus]:
    """Give a file's first audio track from its beginning to its end.

    Raises:
        AudioError: It cannot be opened (before any sound), or is cut short or torn (after what is readable).
    """
    try:
        container = av.open(str(path), metadata_errors="ignore")
    except (FFmpegError, OSError) as error:
        raise AudioError(
            f"file `{path.name}` cannot be read as sound: {(error.strerror or '').lower()}",
            hint=_HINT,
        ) from None
    with container:
        assert isinstance(container, InputContainer)
        yield from _Reading(path, container).blocks()


def stated_ms(path: Path) -> int | None:
    """Give the length that a file's headers state, None where they do not or it cannot be opened."""
    try:
        container = av.open(str(path), metadata_errors="ignore")
    except (FFmpegError, OSError):
        return None
    with container:
        assert isinstance(container, InputContainer)
        if not container.streams.audio:
            return None
        return round(1_000 * _Reading(path, container).promised_s()) or None


class _Reading:
    """One file from beginning to end, and what was wrong with it."""

    def __init__(self, path: Path, container: InputContainer) -> None:
        self._path = path
        self._container = container
        self._torn_packets = 0
        self._broke_off = False
        self._heard_s = 0.0
        self._reached_s = 0.0  # where the last frame says that it ends

    def blocks(self) -> Iterator[Samples | CaptureStatus]:
        if not self._container.streams.audio:
            raise AudioError(f"file `{self._path.name}` holds no audio track", hint=_HINT)
        stream = self._container.streams.audio[0]
        yield CaptureStatus(str(self._path.name), stream.rate, stream.channels)
        blocks = Blocks()
        for samples in self._converted():
            yield from blocks.take(samples)
        yield from blocks.finish()
        self._judge()

    def _converted(self) -> Iterator[Samples]:
        """Convert frame by frame; a rate that changes on the way starts a new filter."""
        converter, rate_hz = None, 0
        for rate, frames in self._frames():
            if rate != rate_hz or converter is None:
                if converter:
                    yield converter.finish()
                converter, rate_hz = Converter(rate), rate
            yield converter.take(frames)
        if converter:
            yield converter.finish()

    def _frames(self) -> Iterator[tuple[int, FloatSamples]]:
        """Give `(rate_hz, (n_frames, n_channels) float32)` of every packet that can be decoded."""
        for frame in self._decoded():
            if frame.time is not None:
                self._reached_s = frame.time - self._begins_s() + frame.samples / frame.sample_rate
            # a resampler is bound to its first frame's layout, so each frame has its own: it only
            # changes the sample format here
            packed = AudioResampler(format="flt", layout=frame.layout, rate=frame.sample_rate).resample(frame)
            for piece in packed:
                self._heard_s += piece.samples / piece.sample_rate
                array = piece.to_ndarray().reshape(-1, piece.layout.nb_channels)
                yield piece.sample_rate, np.asarray(array, np.float32)

    def _decoded(self) -> Iterator[AudioFrame]:
        packets = self._container.demux(self._container.streams.audio[0])
        while True:
            try:
                packet = next(packets, None)
            except (FFmpegError, OSError):
                self._broke_off = True
                return
            if packet is None:
                return
            try:
                yield from packet.decode()
            except (FFmpegError, OSError):
                self._torn_packets += 1

    def _begins_s(self) -> float:
        stream = self._container.streams.audio[0]
        return float((stream.start_time or 0) * (stream.time_base or 0))

    def promised_s(self) -> float:
        """Give the length the headers state, or 0; beside a picture the file's own length says nothing."""
        stream = self._container.streams.audio[0]
        if stream.duration:
            return float(stream.duration * (stream.time_base or 0))
        alone = len(self._container.streams) == 1
        return (self._container.duration or 0) / av.time_base if alone else 0.0

    def _judge(self) -> None:
        """Say what was missing, once everything readable has been given."""
        name = self._path.name
        if self._heard_s == 0.0:
            raise AudioError(f"file `{name}` holds no sound that can be decoded")
        promised_s = self.promised_s()
        reached_s = max(self._reached_s, self._heard_s)
        if self._broke_off or promised_s - reached_s > _LOST_MS / 1_000 or _riff_cut(self._path):
            raise AudioError(f"file `{name}` is cut short after {reached_s:.1f} s")
        if self._torn_packets or reached_s - self._heard_s > _LOST_MS / 1_000:
            raise AudioError(
                f"file `{name}` is damaged: {self._heard_s:.1f} of {reached_s:.1f} s are readable"
            )


def _riff_cut(path: Path) -> bool:
    """Say whether a WAV file is shorter than its header says; a streamed one says 2 GiB or more."""
    with path.open("rb") as file:
        head = file.read(12)
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
        return False
    promised = int.from_bytes(head[4:8], "little")
    return 0 < promised < 0x7FFF_0000 and path.stat().st_size < promised
