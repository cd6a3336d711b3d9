"""A meeting that never was, made of real messages: what `--sample` shows and the README's picture is of."""

from collections.abc import Iterator
from typing import Final

from hearing.messages.common import (
    Health,
    HealthPart,
    HealthState,
    Message,
    Partial,
    Speaker,
    SpeechStart,
    SpeechStop,
    Transcript,
)
from hearing.messages.control import Heartbeat, Mode, QueueDepth, Snapshot, SttStatus
from hearing.messages.daemon import Dropped, SegmentDone
from hearing.types import Channel
from hearing_tui.view_state import LinkUp, ViewState, update

_MIC, _SYSTEM = Channel.MIC, Channel.SYSTEM

_SAID: Final = (
    (
        _MIC,
        62,
        4.1,
        "Ada",
        "matched",
        "Good morning. Can you all hear me? Then let us look at the plan.",
    ),
    (_SYSTEM, 67, 2.3, "Grace", "matched", "Loud and clear."),
    (
        _SYSTEM,
        71,
        9.6,
        "Grace",
        "matched",
        "The importer is done and the tests are green on both machines. What is left is the "
        "documentation, and I would like somebody else to read it before Thursday.",
    ),
    (
        _SYSTEM,
        83,
        5.2,
        None,
        "unknown",
        "I can do that. Send me the branch; I will comment by noon.",
    ),
    (
        _MIC,
        90,
        6.8,
        "Ada",
        "matched",
        "Perfect, thank you. Who talks to the customer in Lisbon?",
    ),
)


def sample_state() -> ViewState:
    """Give the state after the sample's messages, always the same."""
    state = update(ViewState(), LinkUp(new_boot=True))
    for message in _messages():
        state = update(state, message)
    return state


def _messages() -> Iterator[Message]:
    yield _snapshot()
    for seg_id, (leg, second, seconds, speaker, status, text) in enumerate(_SAID, start=1):
        yield _transcript(seg_id, leg, second, seconds, speaker, status, text)
        yield SegmentDone(seg_id=seg_id, pieces=1)
    yield SpeechStart(seg_id=6, leg=_MIC, at_ms=97_000, ts=_at(97))
    yield SegmentDone(seg_id=6, pieces=0, dropped=Dropped.NOISE, ts=_at(98))
    yield SpeechStart(seg_id=7, leg=_SYSTEM, at_ms=99_000, ts=_at(99))
    yield Partial(
        seg_id=7,
        leg=_SYSTEM,
        stable="That would be me. I wrote to them on Monday and",
        unstable="they want to see",
        ts=_at(102),
    )
    yield SpeechStart(seg_id=8, leg=_MIC, at_ms=102_000, ts=_at(102))
    yield SpeechStop(seg_id=8, leg=_MIC, at_ms=103_000, ts=_at(103))
    yield Heartbeat(seg=1, inf=0, busy=False, level_dbfs={_MIC: -41.0, _SYSTEM: -17.0})


def _snapshot() -> Snapshot:
    return Snapshot(
        mode=Mode.IDLE,
        command_text="",
        queue=QueueDepth(),
        chat_capture=False,
        triage_chat=False,
        health=[
            Health(part=HealthPart.MIC, state=HealthState.LISTENING, device="Built-in microphone"),
            Health(part=HealthPart.SYSTEM, state=HealthState.LISTENING, device="Monitor of speakers"),
            Health(part=HealthPart.STT, state=HealthState.READY),
        ],
        speakers=[
            Speaker(
                id=voice, name=name, status="confirmed", cumulative_s=60, sample_path=None, created_at=_at(0)
            )
            for voice, name in (("spk_0001", "Ada"), ("spk_0002", "Grace"))
        ],
        last_seq=0,
        stt=SttStatus(connected=True, healthy=True, model="tiny.en"),
    )


def _transcript(
    seg_id: int, leg: Channel, second: int, seconds: float, speaker: str | None, status: str, text: str
) -> Transcript:
    return Transcript(
        seg_id=seg_id,
        leg=leg,
        start_ms=second * 1000,
        end_ms=round((second + seconds) * 1000),
        text=text,
        language="en",
        confidence=0.93,
        speaker=speaker or "Unknown",
        speaker_status=status,
        ts=_at(second + seconds),
    )


def _at(second: float) -> str:
    minutes, seconds = divmod(second, 60)
    return f"2026-03-04T10:{int(minutes):02}:{seconds:06.3f}+01:00"
