"""What a client hears of a recording, and when that is all of it: pure."""

from dataclasses import dataclass, field

from hearing.messages import control, daemon
from hearing.messages.common import Health, HealthPart, HealthState, SpeechStart, Transcript


@dataclass(slots=True)
class Heard:
    """Takes the assistant's messages one by one.

    Attributes:
        transcripts: All words so far.
        trouble: Why no words can come as things stand, or ""; it may pass.
    """

    transcripts: list[Transcript] = field(default_factory=list)
    trouble: str = ""
    _open: set[int] = field(default_factory=set)
    _source_ended: bool = False
    _backlog_empty: bool = False

    @property
    def complete(self) -> bool:
        """Say whether the recording is over, every segment of it is done, and nothing waits."""
        return self._source_ended and not self._open and self._backlog_empty

    @property
    def text(self) -> str:
        """Give all words in the order they were spoken."""
        return " ".join(piece.text for piece in sorted(self.transcripts, key=lambda piece: piece.start_ms))

    def take(self, message: object) -> None:
        """Note what a message says."""
        match message:
            case Transcript():
                self.transcripts.append(message)
            case SpeechStart(seg_id=seg_id):
                self._open.add(seg_id)
            case daemon.SegmentDone(seg_id=seg_id):
                self._open.discard(seg_id)
            case Health():
                self._take_health(message)
            case control.Snapshot(health=health):
                for part in health:
                    self._take_health(part)
            case control.Heartbeat(seg=seg):
                self._backlog_empty = self._source_ended and seg == 0

    def _take_health(self, health: Health) -> None:
        if health.part is HealthPart.STT:
            failed = health.state in (HealthState.FAILED, HealthState.NO_MODEL)
            self.trouble = f"recognition: {health.detail or health.state}" if failed else ""
        else:
            self._source_ended = health.state is HealthState.ENDED
