"""Speech of all legs from its first sample to its `segment_done`, of which every segment gets one."""

from collections.abc import Callable
from dataclasses import dataclass

from hearing.clock import Clock
from hearing.config import Config
from hearing.interfaces import Vad
from hearing.messages.common import Event, SpeechStart, SpeechStop, Transcript
from hearing.messages.daemon import Dropped, Gap, SegmentDone, Timing, TurnBy, TurnEnd
from hearing.types import SAMPLE_RATE_HZ, Channel, TimeSpan
from hearing_daemon import backlog, turns
from hearing_daemon.backlog import Backlog
from hearing_daemon.capture.events import Sound
from hearing_daemon.recognizer import GivenUp, Result
from hearing_daemon.segmenter import Closed, Discarded, Effect, Limits, Opened
from hearing_daemon.track import Track
from hearing_daemon.turns import Turns
from hearing_daemon.utterance import Utterance
from hearing_daemon.verdict import Piece, Verdict, judge


@dataclass
class Voice:
    """One leg: its track and turns, its open segment, and its newest text, whose end may be repeated."""

    leg: Channel
    pulled: bool
    track: Track
    turns: Turns
    open_seg: int = 0
    repeats: bool = False
    undone: int = 0
    newest_text: str = ""


class Speech:
    """Turns sound and results into events; holds what waits for the recognizer.

    Args:
        config: Thresholds and limits.
        emit: Takes every event in order.
        clock: Stamps what enters the backlog.
    """

    def __init__(self, config: Config, emit: Callable[[Event], None], clock: Clock) -> None:
        self._limits = Limits.of(config.vad)
        self._turn_silence_ms = config.vad.turn_silence_ms
        self._emit = emit
        self._clock = clock
        self._voices: dict[Channel, Voice] = {}
        self._last_seg_id = 0
        self.backlog = Backlog(config.stt.backlog_s * 1_000)

    def add_leg(self, leg: Channel, vad: Vad, *, pulled: bool) -> None:
        """Be ready for a leg's sound; of a `pulled` one nothing is ever dropped from the backlog."""
        self._voices[leg] = Voice(leg, pulled, Track(vad, self._limits), Turns(self._turn_silence_ms))

    def hear(self, sound: Sound) -> None:
        """Take a block of a leg."""
        voice = self._voices[sound.leg]
        for effect in voice.track.hear(sound.start_ms, sound.samples):
            self._apply(voice, effect)
        self._turn(voice, turns.Passed(voice.track.now_ms))

    def interrupt(self, leg: Channel) -> None:
        """End what is open: sound is missing from here on."""
        if leg not in self._voices:  # its detector is still being loaded
            return
        voice = self._voices[leg]
        for effect in voice.track.flush():
            self._apply(voice, effect)

    def end(self, leg: Channel) -> None:
        """End what is open, and the turn: nothing more will come, or not for long."""
        self.interrupt(leg)
        if leg in self._voices:
            self._turn(self._voices[leg], turns.SourceEnded())

    def is_settled(self, leg: Channel) -> bool:
        """Say whether everything that was said on a leg is published."""
        return leg not in self._voices or not self._voices[leg].undone

    def levels_dbfs(self) -> dict[Channel, float | None]:
        """Read each leg's level since the last reading; None where nothing came."""
        return {leg: voice.track.level.read_dbfs() for leg, voice in self._voices.items()}

    def take(self) -> Utterance | None:
        """Take the oldest utterance that waits."""
        self.backlog, utterance = backlog.take(self.backlog)
        return utterance

    def finish(self, utterance: Utterance, result: Result, queue_ms: int) -> None:
        """Publish what became of an utterance."""
        voice = self._voices[utterance.leg]
        if isinstance(result, GivenUp):
            self._lose(utterance, Dropped.WORKER_CRASH, queue_ms)
            return
        said_before = voice.newest_text if utterance.repeats else ""
        verdict = judge(utterance.span, result.recognitions, said_before)
        for piece in verdict.pieces:
            self._emit(_transcript(utterance, piece))
        timing = Timing(
            endpoint_ms=utterance.span.end_ms - utterance.speech_end_ms,
            queue_ms=queue_ms,
            recognise_ms=result.took_ms,
        )
        self._done(voice, utterance.seg_id, verdict, timing)

    def _apply(self, voice: Voice, effect: Effect) -> None:
        match effect:
            case Opened():
                self._open(voice, effect)
            case Closed():
                self._stop(voice, effect.end)
                self._turn(voice, turns.Closed(voice.open_seg, _ms(effect.speech_end)))
                self._queue(self._utterance(voice, effect))
            case Discarded():
                self._stop(voice, effect.end)
                self._turn(voice, turns.Closed(voice.open_seg, _ms(effect.end)))
                self._done(voice, voice.open_seg, Verdict((), Dropped.NOISE), Timing())

    def _open(self, voice: Voice, opened: Opened) -> None:
        self._last_seg_id += 1
        voice.open_seg, voice.repeats = self._last_seg_id, opened.repeats > 0
        voice.undone += 1
        self._turn(voice, turns.Opened(voice.open_seg))
        self._emit(SpeechStart(seg_id=voice.open_seg, leg=voice.leg, at_ms=_ms(opened.at)))

    def _stop(self, voice: Voice, at: int) -> None:
        self._emit(SpeechStop(seg_id=voice.open_seg, leg=voice.leg, at_ms=_ms(at)))

    def _utterance(self, voice: Voice, closed: Closed) -> Utterance:
        return Utterance(
            seg_id=voice.open_seg,
            leg=voice.leg,
            span=TimeSpan(_ms(closed.start), _ms(closed.end)),
            speech_end_ms=_ms(closed.speech_end),
            samples=voice.track.audio(closed.start, closed.end),
            repeats=voice.repeats,
            pulled=voice.pulled,
            closed_at_ms=self._clock.monotonic_ms(),
        )

    def _queue(self, utterance: Utterance) -> None:
        self.backlog, dropped = backlog.put(self.backlog, utterance)
        for lost in dropped:
            self._lose(lost, Dropped.BACKLOG, self._clock.monotonic_ms() - lost.closed_at_ms)

    def _lose(self, utterance: Utterance, why: Dropped, queue_ms: int) -> None:
        """Say whose text nobody will ever have."""
        span = utterance.span
        self._emit(Gap(leg=utterance.leg, from_ms=span.start_ms, to_ms=span.end_ms, reason=why.value))
        timing = Timing(endpoint_ms=span.end_ms - utterance.speech_end_ms, queue_ms=queue_ms)
        self._done(self._voices[utterance.leg], utterance.seg_id, Verdict((), why), timing)

    def _done(self, voice: Voice, seg_id: int, verdict: Verdict, timing: Timing) -> None:
        voice.newest_text = " ".join(piece.text for piece in verdict.pieces)
        voice.undone -= 1
        pieces = len(verdict.pieces)
        self._emit(SegmentDone(seg_id=seg_id, pieces=pieces, dropped=verdict.dropped, timing=timing))
        self._turn(voice, turns.Done(seg_id, has_text=pieces > 0))

    def _turn(self, voice: Voice, event: turns.Event) -> None:
        voice.turns, ended = turns.step(voice.turns, event)
        for seg_ids in ended:
            self._emit(TurnEnd(leg=voice.leg, seg_ids=list(seg_ids), by=TurnBy.SILENCE))


def _transcript(utterance: Utterance, piece: Piece) -> Transcript:
    return Transcript(
        seg_id=utterance.seg_id,
        leg=utterance.leg,
        start_ms=piece.span.start_ms,
        end_ms=piece.span.end_ms,
        text=piece.text,
        language=piece.language,
        confidence=piece.confidence,
    )


def _ms(position: int) -> int:
    return position * 1_000 // SAMPLE_RATE_HZ
