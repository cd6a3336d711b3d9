"""What waits for the recognizer, bounded in seconds of audio. No clock, no I/O."""

from dataclasses import dataclass

from hearing_daemon.utterance import Utterance


@dataclass(frozen=True, slots=True)
class Backlog:
    """Utterances, oldest first, of at most `limit_ms` of audio; one alone is always kept."""

    limit_ms: int
    waiting: tuple[Utterance, ...] = ()

    @property
    def queued_ms(self) -> int:
        """Sum up the audio that waits."""
        return sum(utterance.duration_ms for utterance in self.waiting)

    @property
    def has_room(self) -> bool:
        """Say whether a source that can wait may go on."""
        return self.queued_ms < self.limit_ms


def put(backlog: Backlog, utterance: Utterance) -> tuple[Backlog, tuple[Utterance, ...]]:
    """Add the newest; give also the oldest ones that had to go for it, never one whose source can wait."""
    waiting, dropped = [*backlog.waiting, utterance], []
    excess_ms = backlog.queued_ms + utterance.duration_ms - backlog.limit_ms
    for candidate in backlog.waiting:
        if excess_ms <= 0:
            break
        if not candidate.pulled:
            waiting.remove(candidate)
            dropped.append(candidate)
            excess_ms -= candidate.duration_ms
    return Backlog(backlog.limit_ms, tuple(waiting)), tuple(dropped)


def take(backlog: Backlog) -> tuple[Backlog, Utterance | None]:
    """Take the oldest out, or None."""
    if not backlog.waiting:
        return backlog, None
    oldest, *rest = backlog.waiting
    return Backlog(backlog.limit_ms, tuple(rest)), oldest
