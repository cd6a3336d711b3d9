"""A message as one line for people."""

import pytest

from hearing.messages.common import Error, Health, HealthPart, HealthState, Lost, Partial, Transcript
from hearing.messages.control import Cleared, Notice, NoticeLevel, SttChanged, SttStatus
from hearing.messages.daemon import Dropped, Gap, SegmentDone
from hearing.types import Channel
from hearing_tui.as_text import as_text

AT = "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            Transcript(
                seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=2400, text="hi", language="en", speaker="Ada",
                speaker_status="matched", ts=AT,
            ),
            "03:04:02  me  en  Ada  2.4 s  hi",
        ),
        (Gap(leg=Channel.SYSTEM, from_ms=0, to_ms=900, reason="xrun"), "· them: 0.9 s missing: xrun"),
        (Lost(from_seq=1, count=2), "· 2 events lost: this terminal was too slow"),
        (SegmentDone(seg_id=1, pieces=0, dropped=Dropped.NOISE, ts=AT), "· 03:04:05  noise, no words"),
        (SegmentDone(seg_id=1, pieces=1), None),
        (Health(part=HealthPart.MIC, state=HealthState.QUIET, hint="speak up"), "mic: quiet (speak up)"),
        (SttChanged(stt=SttStatus(connected=True, healthy=True, model="tiny.en")), "stt: healthy (tiny.en)"),
        (SttChanged(stt=SttStatus(connected=True, healthy=False, muted=True)), "stt: not healthy (muted)"),
        (SttChanged(stt=SttStatus(connected=False, healthy=False)), "stt: no daemon"),
        (Notice(level=NoticeLevel.WARNING, text="tea", source="timer"), "warning: tea"),
        (Error(code="x", message="no"), "error: no"),
        (Partial(seg_id=1, leg=Channel.MIC, stable="a", unstable="b"), None),
        (Cleared(), None),
    ],
)  # fmt: skip
def test_lines(message: object, line: str | None) -> None:
    assert as_text(message) == line
