"""The child's loop."""

import io

import numpy as np

from hearing.testing.stt import Act, FakeSpeechToText, Refuse, Say
from hearing_daemon.worker.serve import serve
from hearing_daemon.worker.wire import LENGTH, Answer, Done, Fault, Job, packed, unpacked_answer


def answers(*script: Act) -> list[Answer]:
    """Serve a job of one second for each act."""
    audio = np.zeros(16_000, dtype=np.int16).tobytes()
    source = io.BytesIO(b"".join(packed(Job(seg_id, audio)) for seg_id in range(1, len(script) + 1)))
    sink = io.BytesIO()
    serve(FakeSpeechToText(script), source, sink)
    written, found = sink.getvalue(), []
    while written:
        (length,) = LENGTH.unpack(written[: LENGTH.size])
        found.append(unpacked_answer(written[LENGTH.size : LENGTH.size + length]))
        written = written[LENGTH.size + length :]
    return found


def test_jobs_are_answered_in_order() -> None:
    first, second = answers(Say("one"), Say("two"))
    assert isinstance(first, Done)
    assert isinstance(second, Done)
    assert [first.seg_id, second.seg_id] == [1, 2]
    assert [piece.text for piece in first.pieces + second.pieces] == ["one", "two"]
    assert first.pieces[0].end_ms == 1_000


def test_a_refused_job_is_a_fault_without_a_word_and_the_next_is_served() -> None:
    fault, done = answers(Refuse(), Say("two"))
    assert fault == Fault(1, "RuntimeError")
    assert isinstance(done, Done)


def test_sound_arrives_scaled_to_one() -> None:
    heard = []

    class Listening(FakeSpeechToText):
        def transcribe(self, audio: np.ndarray) -> list:  # type: ignore[type-arg]
            heard.append((audio.dtype, float(audio.min()), float(audio.max())))
            return []

    audio = np.array([-32_768, 16_384], dtype=np.int16).tobytes()
    serve(Listening(), io.BytesIO(packed(Job(1, audio))), io.BytesIO())
    assert heard == [(np.dtype(np.float32), -1.0, 0.5)]
