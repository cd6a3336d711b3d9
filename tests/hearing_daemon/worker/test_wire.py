"""What crosses the pipes."""

import io

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.interfaces import Recognition
from hearing_daemon.worker.wire import (
    LENGTH,
    Answer,
    Done,
    Fault,
    Job,
    Ready,
    Unusable,
    jobs,
    packed,
    unpacked_answer,
)

PIECE = Recognition("hello", 0, 900, "en", 0.8, no_speech=0.1, mean_logprob=-0.2)


@pytest.mark.parametrize(
    "answer",
    [Ready("tiny.en", "cpu"), Unusable("torn", "mend it"), Done(7, [PIECE], 120), Fault(7, "RuntimeError")],
)
def test_answers_come_back_as_they_were_sent(answer: Answer) -> None:
    whole = packed(answer)
    assert LENGTH.unpack(whole[: LENGTH.size]) == (len(whole) - LENGTH.size,)
    assert unpacked_answer(whole[LENGTH.size :]) == answer


def test_nonsense_is_refused() -> None:
    with pytest.raises(msgspec.MsgspecError):
        unpacked_answer(b"\xc1nonsense")


@given(st.lists(st.tuples(st.integers(0, 1_000), st.binary(max_size=200)), max_size=5), st.data())
def test_a_torn_job_ends_the_stream_after_the_whole_ones(
    sent: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    written = [packed(Job(seg_id, audio)) for seg_id, audio in sent]
    whole = b"".join(written)
    kept = data.draw(st.integers(0, len(whole)))
    ends = [sum(map(len, written[: count + 1])) for count in range(len(written))]
    expected = [Job(*job) for job, end in zip(sent, ends, strict=True) if end <= kept]
    assert list(jobs(io.BytesIO(whole[:kept]))) == expected
