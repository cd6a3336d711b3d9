"""Where speech begins and ends on one leg: a table over VAD frames. No clock, no sound, no I/O.

    state = State()
    for frame in frames:
        state, effects = step(limits, state, frame)
    state, effects = flush(state)

All positions are samples at 16 kHz of stream time. Every `Opened` is followed by exactly one `Closed` or
`Discarded` before the next `Opened`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hearing.config import VadConfig
from hearing.types import SAMPLE_RATE_HZ

RELEASE_BELOW_THRESHOLD: Final = 0.15
"""Speech goes on until it is this much less likely than it had to be to begin; Silero's own figure."""
SEARCH_MS: Final = 6_000
"""How far back a forced cut looks for a pause."""
DIP_FRAMES: Final = 3
"""A pause to cut in is at least this many frames long: a plosive's closure is shorter."""


def samples(ms: int) -> int:
    """Turn milliseconds into samples."""
    return ms * SAMPLE_RATE_HZ // 1_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The configured thresholds; lengths in samples."""

    threshold: float
    release: float
    onset: int
    hang_over: int
    pre_roll: int
    min_speech: int
    max_segment: int
    overlap: int
    search: int

    @classmethod
    def of(cls, vad: VadConfig) -> "Limits":
        """Take them from the configuration; overlap and search never exceed half a segment."""
        longest = samples(vad.max_segment_ms)
        return cls(
            threshold=vad.threshold,
            release=max(0.0, vad.threshold - RELEASE_BELOW_THRESHOLD),
            onset=samples(vad.onset_ms),
            hang_over=samples(vad.hang_over_ms),
            pre_roll=samples(vad.pre_roll_ms),
            min_speech=samples(vad.min_speech_ms),
            max_segment=longest,
            overlap=min(samples(vad.overlap_ms), longest // 2),
            search=min(samples(SEARCH_MS), longest // 2),
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """What the VAD said of `[start, end)`."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class Opened:
    """A segment begins at `at`, pre-roll included; its first `repeats` samples closed the one before too."""

    at: int
    repeats: int = 0


@dataclass(frozen=True, slots=True)
class Closed:
    """The open segment ends: recognize `[start, end)`; the last speech in it ended at `speech_end`.

    `forced` says that speech went on beyond the end.
    """

    start: int
    end: int
    speech_end: int
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Discarded:
    """The open segment ends at `end` with too little speech in it to be any."""

    end: int


Effect = Opened | Closed | Discarded


class Phase(StrEnum):
    """Where a leg is."""

    SILENCE = "silence"
    ONSET = "onset"  # speech, not yet long enough to be believed
    SPEECH = "speech"
    HANG_OVER = "hang_over"  # a pause, not yet long enough to end the segment


class Heard(StrEnum):
    """What a frame holds, judged with the hysteresis of the phase it falls into."""

    VOICED = "voiced"
    UNVOICED = "unvoiced"


@dataclass(frozen=True, slots=True)
class State:
    """A leg's segmenter between two frames.

    `floor` is where the last segment or take ended: no pre-roll goes behind it. `first` is the first voiced
    sample of the candidate, `start` that of the segment with its pre-roll, `voiced` counts speech in it,
    `last_voiced` ends the last voiced frame, `recent` holds the open segment's newest frames.
    """

    phase: Phase = Phase.SILENCE
    floor: int = 0
    first: int = 0
    start: int = 0
    voiced: int = 0
    last_voiced: int = 0
    end: int = 0
    recent: tuple[Frame, ...] = ()


Outcome = tuple[State, tuple[Effect, ...]]


def restart(at: int) -> State:
    """Begin a new take at sample `at`."""
    return State(floor=at, end=at)


def step(limits: Limits, state: State, frame: Frame) -> Outcome:
    """Take the next frame; frames follow one another without a hole."""
    bar = limits.threshold if state.phase in (Phase.SILENCE, Phase.ONSET) else limits.release
    heard = Heard.VOICED if frame.probability >= bar else Heard.UNVOICED
    return _TABLE[state.phase, heard](limits, replace(state, end=frame.end), frame)


def flush(limits: Limits, state: State) -> Outcome:
    """End whatever is open: the source ended, was muted, or lost sound."""
    if state.phase in (Phase.SILENCE, Phase.ONSET):
        return restart(state.end), ()
    return _close(limits, state)


def _stay(limits: Limits, state: State, frame: Frame) -> Outcome:
    return state, ()


def _begin(limits: Limits, state: State, frame: Frame) -> Outcome:
    return _confirm(limits, replace(state, phase=Phase.ONSET, first=frame.start, voiced=0), frame)


def _confirm(limits: Limits, state: State, frame: Frame) -> Outcome:
    """Open once there has been enough speech in a row."""
    state = replace(state, voiced=state.voiced + frame.end - frame.start, last_voiced=frame.end)
    if state.voiced < limits.onset:
        return state, ()
    start = max(state.floor, state.first - limits.pre_roll)
    return replace(state, phase=Phase.SPEECH, start=start, recent=(frame,)), (Opened(start),)


def _false_start(limits: Limits, state: State, frame: Frame) -> Outcome:
    return replace(state, phase=Phase.SILENCE, voiced=0), ()


def _speak(limits: Limits, state: State, frame: Frame) -> Outcome:
    state = replace(
        _remember(limits, state, frame),
        phase=Phase.SPEECH,
        voiced=state.voiced + frame.end - frame.start,
        last_voiced=frame.end,
    )
    return _cut(limits, state) if _is_full(limits, state) else (state, ())


def _pause(limits: Limits, state: State, frame: Frame) -> Outcome:
    state = replace(_remember(limits, state, frame), phase=Phase.HANG_OVER)
    if frame.end - state.last_voiced >= limits.hang_over:
        return _close(limits, state)
    return _cut(limits, state) if _is_full(limits, state) else (state, ())


_TABLE: Final[dict[tuple[Phase, Heard], Callable[[Limits, State, Frame], Outcome]]] = {
    (Phase.SILENCE, Heard.VOICED): _begin,
    (Phase.SILENCE, Heard.UNVOICED): _stay,
    (Phase.ONSET, Heard.VOICED): _confirm,
    (Phase.ONSET, Heard.UNVOICED): _false_start,
    (Phase.SPEECH, Heard.VOICED): _speak,
    (Phase.SPEECH, Heard.UNVOICED): _pause,
    (Phase.HANG_OVER, Heard.VOICED): _speak,
    (Phase.HANG_OVER, Heard.UNVOICED): _pause,
}


def _remember(limits: Limits, state: State, frame: Frame) -> State:
    """Keep the frames that a forced cut may look at."""
    oldest = frame.end - limits.search
    kept = state.recent[1:] if state.recent and state.recent[0].start < oldest else state.recent
    return replace(state, recent=(*kept, frame))


def _is_full(limits: Limits, state: State) -> bool:
    return state.end - state.start >= limits.max_segment


def _close(limits: Limits, state: State) -> Outcome:
    if state.voiced < limits.min_speech:
        return restart(state.end), (Discarded(state.end),)
    return restart(state.end), (Closed(state.start, state.end, state.last_voiced),)


def _cut(limits: Limits, state: State) -> Outcome:
    """End a segment that has become too long: in a pause without overlap, else in mid-word with overlap."""
    pause = _pause_in(limits, state.recent)
    if pause is None:
        return _continue(limits, state, end=state.end, start=state.end - limits.overlap)
    if state.last_voiced <= pause:
        return _close(limits, state)
    return _continue(limits, state, end=pause, start=pause)


def _continue(limits: Limits, state: State, *, end: int, start: int) -> Outcome:
    """Close at `end` and go on in a new segment from `start` on."""
    kept = tuple(frame for frame in state.recent if frame.start >= start)
    voiced = [frame for frame in kept if frame.probability >= limits.release]
    before = [frame for frame in state.recent if frame.end <= end and frame.probability >= limits.release]
    closed = Closed(state.start, end, before[-1].end if before else end, forced=True)
    following = replace(
        state,
        floor=end,
        first=start,
        start=start,
        voiced=sum(frame.end - frame.start for frame in voiced),
        recent=kept,
    )
    return following, (closed, Opened(start, repeats=end - start))


def _pause_in(limits: Limits, frames: tuple[Frame, ...]) -> int | None:
    """Find the middle of the least likely speech, or None where nothing is below the release threshold."""
    runs = [frames[at : at + DIP_FRAMES] for at in range(len(frames) - DIP_FRAMES + 1)]
    silent = [run for run in runs if all(frame.probability < limits.release for frame in run)]
    if not silent:
        return None
    quietest = min(silent, key=lambda run: sum(frame.probability for frame in run))
    return quietest[DIP_FRAMES // 2].start
