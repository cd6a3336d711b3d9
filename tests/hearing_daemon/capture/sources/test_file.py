"""Files of every format come out as the same tone, 16 kHz and mono, and as long as they were."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing_daemon.capture.sources import file

Tone = Callable[..., NDArray[np.float32]]
Hz = Callable[[NDArray[np.int16]], float]
WriteWav = Callable[..., Path]


def read(path: Path) -> tuple[CaptureStatus, NDArray[np.int16]]:
    status, *blocks = file.read(path)
    assert isinstance(status, CaptureStatus)
    sound: list[Any] = blocks
    return status, np.concatenate(sound)


def read_until_it_breaks(path: Path) -> tuple[int, AudioError]:
    samples = 0
    try:
        for item in file.read(path):
            samples += 0 if isinstance(item, CaptureStatus) else len(item)
    except AudioError as error:
        return samples, error
    pytest.fail("it was read to its end")


def encode(path: Path, frames: NDArray[np.float32], rate_hz: int, codec: str, layout: str) -> Path:
    """Write a tone with ffmpeg's own encoder."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate_hz)
        stream.layout = layout
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(frames.reshape(1, -1)), format="flt", layout=layout
        )
        frame.sample_rate, frame.pts, frame.time_base = rate_hz, 0, Fraction(1, rate_hz)
        resampler = av.AudioResampler(stream.format, layout, rate_hz, frame_size=stream.frame_size or 0)
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(piece))
        container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize("encoding", ["u8", "s16", "s24", "s32", "f32"])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_every_encoding_and_number_of_channels(
    tmp_path: Path, tone: Tone, write_wav: WriteWav, frequency: Hz, encoding: str, channels: int
) -> None:
    path = write_wav(tmp_path / "tone.wav", tone(440, 1.0, 16_000, channels), 16_000, encoding)
    status, sound = read(path)
    assert status == CaptureStatus("tone.wav", 16_000, channels)
    assert len(sound) == 16_000
    assert frequency(sound) == pytest.approx(440, abs=1)
    assert np.abs(sound).max() == pytest.approx(16_384, rel=0.02), "half of full scale stays half of it"


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000])
def test_every_rate(tmp_path: Path, tone: Tone, write_wav: WriteWav, frequency: Hz, rate_hz: int) -> None:
    path = write_wav(tmp_path / "tone.wav", tone(1_000, 2.0, rate_hz), rate_hz)
    status, sound = read(path)
    assert status.rate_hz == rate_hz
    assert len(sound) == pytest.approx(32_000, abs=1), "the filter's tail is given too"
    assert frequency(sound) == pytest.approx(1_000, abs=1)


def test_resampling_lets_nothing_fold_back(tmp_path: Path, tone: Tone, write_wav: WriteWav) -> None:
    path = write_wav(tmp_path / "whistle.wav", tone(15_000, 1.0, 48_000), 48_000)
    _, sound = read(path)
    middle = sound[1_000:-1_000].astype(np.float64)
    assert np.sqrt(np.mean(middle**2)) < 3, "15 kHz is no sound at a rate of 16 kHz"


@pytest.mark.parametrize(
    ("name", "codec", "layout", "rate_hz"),
    [
        ("x.flac", "flac", "mono", 44_100),
        ("x.flac", "flac", "5.1", 48_000),
        ("x.opus", "libopus", "stereo", 48_000),
        ("x.m4a", "aac", "stereo", 44_100),
        ("x.mkv", "flac", "stereo", 22_050),
    ],
)
def test_every_container(
    tmp_path: Path, tone: Tone, frequency: Hz, name: str, codec: str, layout: str, rate_hz: int
) -> None:
    channels = {"mono": 1, "stereo": 2, "5.1": 6}[layout]
    path = encode(tmp_path / name, tone(440, 2.0, rate_hz, channels), rate_hz, codec, layout)
    _, sound = read(path)
    assert len(sound) == pytest.approx(32_000, abs=1_600), "codecs pad by a packet"
    assert frequency(sound) == pytest.approx(440, abs=2)


def test_the_sound_of_a_video_is_taken(tmp_path: Path, tone: Tone, frequency: Hz) -> None:
    path = tmp_path / "x.mkv"
    with av.open(str(path), "w") as container:
        picture: Any = container.add_stream("mpeg4", rate=5)
        picture.width = picture.height = 16
        picture.pix_fmt = "yuv420p"
        sound_stream: Any = container.add_stream("flac", rate=16_000)
        sound_stream.layout = "mono"
        for _ in range(5):
            container.mux(picture.encode(av.VideoFrame(16, 16, "yuv420p")))
        samples = np.rint(tone(440, 1.0, 16_000).T * 32_767).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 16_000, 0, Fraction(1, 16_000)
        fifo = av.AudioFifo()
        fifo.write(frame)
        for piece in fifo.read_many(sound_stream.frame_size or 1_024, partial=True):
            container.mux(sound_stream.encode(piece))
        container.mux(sound_stream.encode(None))
        container.mux(picture.encode(None))
    _, sound = read(path)
    assert len(sound) == 16_000
    assert frequency(sound) == pytest.approx(440, abs=1)


def test_channels_that_disagree_are_mixed(
    tmp_path: Path, tone: Tone, write_wav: WriteWav, frequency: Hz
) -> None:
    left = tone(440, 1.0, 16_000)
    path = write_wav(tmp_path / "x.wav", np.hstack([left, np.zeros_like(left)]), 16_000)
    _, sound = read(path)
    assert frequency(sound) == pytest.approx(440, abs=1)
    assert np.abs(sound).max() == pytest.approx(8_192, rel=0.02)


def test_sound_beyond_full_scale_is_clipped_and_no_number_is_no_sound(
    tmp_path: Path, write_wav: WriteWav
) -> None:
    frames = np.array([2.0, -2.0, np.nan, np.inf, -np.inf, 0.0], np.float32)[:, None]
    _, sound = read(write_wav(tmp_path / "x.wav", frames, 16_000, "f32"))
    assert sound.tolist() == [32_767, -32_768, 0, 32_767, -32_768, 0]


def test_a_file_of_thirty_milliseconds_is_given_whole(
    tmp_path: Path, tone: Tone, write_wav: WriteWav
) -> None:
    _, sound = read(write_wav(tmp_path / "x.wav", tone(440, 0.03, 16_000), 16_000))
    assert len(sound) == 480


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "cannot be read as sound"),
        (b"certainly not audio\n" * 500, "cannot be read as sound"),
        (bytes(range(256)) * 64, "cannot be read as sound"),
        (b"RIFF\x24\x00\x00\x00WAVE", "cannot be read as sound"),
        (b"fLaC" + bytes(100), "cannot be read as sound|holds no sound|no audio track"),
    ],
)
def test_garbage_is_refused_in_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(content)
    samples, error = read_until_it_breaks(path)
    assert samples == 0
    assert "`x.wav`" in error.sentence
    assert any(part in error.sentence for part in sentence.split("|"))


def test_a_file_that_has_gone_is_refused_in_a_sentence(tmp_path: Path) -> None:
    _, error = read_until_it_breaks(tmp_path / "gone.wav")
    assert error.sentence == "file `gone.wav` cannot be read as sound: no such file or directory"


def test_a_video_without_sound_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.mkv"
    with av.open(str(path), "w") as container:
        picture: Any = container.add_stream("mpeg4", rate=5)
        picture.width = picture.height = 16
        picture.pix_fmt = "yuv420p"
        container.mux(picture.encode(av.VideoFrame(16, 16, "yuv420p")))
        container.mux(picture.encode(None))
    _, error = read_until_it_breaks(path)
    assert error.sentence == "file `x.mkv` holds no audio track"


def test_a_header_without_sound_says_so(tmp_path: Path, write_wav: WriteWav) -> None:
    path = write_wav(tmp_path / "x.wav", np.zeros((0, 1), np.float32), 16_000)
    samples, error = read_until_it_breaks(path)
    assert samples == 0
    assert "`x.wav`" in error.sentence


@pytest.mark.parametrize("rate_hz", [1, 500, 4_000_000])
def test_a_rate_that_is_no_rate_is_refused(tmp_path: Path, write_wav: WriteWav, rate_hz: int) -> None:
    path = write_wav(tmp_path / "x.wav", np.zeros((1_000, 1), np.float32), rate_hz)
    samples, error = read_until_it_breaks(path)
    assert samples == 0
    assert error.sentence == f"a rate of `{rate_hz}` Hz is no sound"


@pytest.mark.parametrize("name", ["x.wav", "x.flac"])
def test_a_truncated_file_is_given_as_far_as_it_goes_and_then_said_to_be_cut(
    tmp_path: Path, tone: Tone, write_wav: WriteWav, name: str
) -> None:
    frames, path = tone(440, 4.0, 16_000), tmp_path / name
    if name == "x.wav":
        write_wav(path, frames, 16_000)
    else:
        encode(path, frames, 16_000, "flac", "mono")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    samples, error = read_until_it_breaks(path)
    assert 16_000 < samples <= 32_100
    assert error.sentence == f"file `{name}` is cut short after {samples / 16_000:.1f} s"


def test_a_hole_is_stepped_over_and_said(tmp_path: Path, tone: Tone) -> None:
    path = encode(tmp_path / "x.flac", tone(440, 8.0, 16_000), 16_000, "flac", "mono")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + len(content) // 8] = bytes(len(content) // 8)
    path.write_bytes(content)
    samples, error = read_until_it_breaks(path)
    assert 5 * 16_000 < samples < 7.5 * 16_000
    assert error.sentence == f"file `x.flac` is damaged: {samples / 16_000:.1f} of 8.0 s are readable"


def test_a_streamed_wav_of_unknown_length_is_whole(tmp_path: Path, tone: Tone, write_wav: WriteWav) -> None:
    path = write_wav(tmp_path / "x.wav", tone(440, 1.0, 16_000), 16_000)
    content = bytearray(path.read_bytes())
    content[4:8] = content[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    _, sound = read(path)
    assert len(sound) == 16_000
