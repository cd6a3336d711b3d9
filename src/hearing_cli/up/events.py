"""What happens to the stack, and what is to be done about it: the supervisor's whole vocabulary."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """A child by what it does, in starting order."""

    DAEMON = "daemon"
    ASSISTANT = "assistant"
    TUI = "tui"

    @property
    def is_server(self) -> bool:
        """Say whether it serves a socket, and so can be found running and asked whether it is ready."""
        return self is not Role.TUI


# --- events of one child; `life` counts its starts, and one of an earlier life is stale ---


@dataclass(frozen=True, slots=True)
class ChildEvent:
    """Anything that happened to one life of one child."""

    role: Role
    life: int


@dataclass(frozen=True, slots=True)
class Found(ChildEvent):
    """A server that is not ours answers already; `pid` is its process."""

    pid: int


@dataclass(frozen=True, slots=True)
class Absent(ChildEvent):
    """Nobody answers: ours may start."""


@dataclass(frozen=True, slots=True)
class Occupied(ChildEvent):
    """Something holds the socket and does not greet."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ready(ChildEvent):
    """It can be used: its socket answers, or, without one, it was started."""

    pid: int


@dataclass(frozen=True, slots=True)
class Exited(ChildEvent):
    """Its process ended; a negative `code` is the signal that killed it."""

    code: int


@dataclass(frozen=True, slots=True)
class Vanished(ChildEvent):
    """The server that was found running has ended."""


class Timer(StrEnum):
    """What a child may wait for."""

    READY = "ready"  # it should answer by now
    RETRY = "retry"  # the delay before its next start is over
    GRACE = "grace"  # it should have ended by now


@dataclass(frozen=True, slots=True)
class Late(ChildEvent):
    """It did not become ready in time."""


@dataclass(frozen=True, slots=True)
class Retry(ChildEvent):
    """Its back-off is over."""


@dataclass(frozen=True, slots=True)
class GraceOver(ChildEvent):
    """It was asked to end and has not."""


# --- events of the stack ---


@dataclass(frozen=True, slots=True)
class Begin:
    """Start the first child."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Somebody wants the stack to end; one that `hurries` (Ctrl-C) kills when it comes a second time."""

    reason: str
    hurries: bool = False


Event = ChildEvent | Begin | Stop


# --- effects ---


@dataclass(frozen=True, slots=True)
class ChildEffect:
    """Anything to be done with one life of one child."""

    role: Role
    life: int


@dataclass(frozen=True, slots=True)
class Look(ChildEffect):
    """Ask its socket who serves it: `Found`, `Absent` or `Occupied` follows."""


@dataclass(frozen=True, slots=True)
class Spawn(ChildEffect):
    """Start its process: `Ready` or `Exited` follows."""


@dataclass(frozen=True, slots=True)
class Watch(ChildEffect):
    """Say `Vanished` when that process, which is not ours, has ended."""

    pid: int


@dataclass(frozen=True, slots=True)
class Terminate(ChildEffect):
    """Ask it to end."""


@dataclass(frozen=True, slots=True)
class Kill(ChildEffect):
    """End it and all of its process group."""


@dataclass(frozen=True, slots=True)
class SetTimer(ChildEffect):
    """Send the event of that timer after the delay."""

    timer: Timer
    delay_ms: int


@dataclass(frozen=True, slots=True)
class Tell:
    """Say a line to the user."""

    line: str


@dataclass(frozen=True, slots=True)
class ShowLastLines(ChildEffect):
    """Show the end of its output: it failed."""


@dataclass(frozen=True, slots=True)
class Finish:
    """All is stopped: leave the loop."""

    exit_code: int


Effect = ChildEffect | Tell | Finish
