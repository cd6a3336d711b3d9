"""webrtcvad behind its door."""

import numpy as np

from hearing_daemon.vad.gate import Gate


def test_silence_does_not_pass() -> None:
    gate = Gate(1)
    assert not any(gate.passes(np.zeros(512, dtype=np.int16)) for _ in range(50))


def test_a_voice_like_buzz_passes() -> None:
    phase = np.arange(16_000) / 16_000
    buzz = sum(np.sin(2 * np.pi * 120 * harmonic * phase) / harmonic for harmonic in range(1, 20))
    loud = (8_000 * np.asarray(buzz)).astype(np.int16)
    gate = Gate(1)
    assert any(gate.passes(loud[at : at + 512]) for at in range(0, 16_000, 512))


def test_pieces_of_any_size_are_taken() -> None:
    gate = Gate(3)
    for length in (0, 1, 159, 160, 161, 512, 5_000):
        assert not gate.passes(np.zeros(length, dtype=np.int16))
