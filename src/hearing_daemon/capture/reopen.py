"""When a leg opens, closes, tries again and gives up: one table, `(state, event) -> (state, effects)`."""

from enum import StrEnum

from hearing.messages.common import HealthState


class State(StrEnum):
    """Where a leg is."""

    CLOSED = "closed"  # not begun
    OPENING = "opening"  # begun or unmuted: no sound yet
    LISTENING = "listening"
    LOST = "lost"  # it broke while listening: waiting to reopen
    REOPENING = "reopening"  # the first try after that
    ABSENT = "absent"  # it could not be opened: waiting
    SEEKING = "seeking"  # one more try
    MUTED = "muted"
    ENDED = "ended"
    FAILED = "failed"


class Event(StrEnum):
    """What happens to a leg."""

    START = "start"
    SOUND = "sound"  # the first real samples of a take
    BROKE = "broke"  # a device failed, hung, or its child died
    CUT = "cut"  # a file or a pipe failed: another try would fail the same way
    END = "end"  # a file or a pipe has ended
    RETRY = "retry"  # the wait is over
    MUTE = "mute"
    UNMUTE = "unmute"


class Effect(StrEnum):
    """What the leg then does."""

    OPEN = "open"
    CLOSE = "close"
    MUTE = "mute"  # close, hold or discard: what muting means for this source
    UNMUTE = "unmute"  # open it unless it still is


Step = tuple[State, tuple[Effect, ...]]

_MUTE: Step = (State.MUTED, (Effect.MUTE,))
_AGAIN: Step = (State.ABSENT, (Effect.CLOSE,))

TABLE: dict[State, dict[Event, Step]] = {
    State.CLOSED: {
        Event.START: (State.OPENING, (Effect.OPEN,)),
        Event.MUTE: (State.MUTED, ()),
    },
    State.OPENING: {
        Event.SOUND: (State.LISTENING, ()),
        Event.BROKE: _AGAIN,
        Event.CUT: (State.FAILED, (Effect.CLOSE,)),
        Event.END: (State.ENDED, (Effect.CLOSE,)),
        Event.MUTE: _MUTE,
    },
    State.LISTENING: {
        Event.BROKE: (State.LOST, (Effect.CLOSE,)),
        Event.CUT: (State.ENDED, (Effect.CLOSE,)),
        Event.END: (State.ENDED, (Effect.CLOSE,)),
        Event.MUTE: _MUTE,
    },
    State.LOST: {
        Event.RETRY: (State.REOPENING, (Effect.OPEN,)),
        Event.MUTE: (State.MUTED, ()),
    },
    State.REOPENING: {
        Event.SOUND: (State.LISTENING, ()),
        Event.BROKE: _AGAIN,
        Event.MUTE: _MUTE,
    },
    State.ABSENT: {
        Event.RETRY: (State.SEEKING, (Effect.OPEN,)),
        Event.MUTE: (State.MUTED, ()),
    },
    State.SEEKING: {
        Event.SOUND: (State.LISTENING, ()),
        Event.BROKE: _AGAIN,
        Event.MUTE: _MUTE,
    },
    State.MUTED: {
        Event.UNMUTE: (State.OPENING, (Effect.UNMUTE,)),
        Event.CUT: (State.ENDED, (Effect.CLOSE,)),
        Event.END: (State.ENDED, (Effect.CLOSE,)),
    },
    State.ENDED: {},
    State.FAILED: {},
}

HEALTH: dict[State, HealthState] = {
    State.CLOSED: HealthState.STARTING,
    State.OPENING: HealthState.STARTING,
    State.LISTENING: HealthState.LISTENING,
    State.LOST: HealthState.REOPENING,
    State.REOPENING: HealthState.REOPENING,
    State.ABSENT: HealthState.NO_DEVICE,
    State.SEEKING: HealthState.NO_DEVICE,
    State.MUTED: HealthState.MUTED,
    State.ENDED: HealthState.ENDED,
    State.FAILED: HealthState.FAILED,
}

FIRST_WAIT_MS = 500
LONGEST_WAIT_MS = 10_000


class ImpossibleStepError(RuntimeError):
    """The table has no such cell: a fault in the leg, not in the world."""

    def __init__(self, state: State, event: Event) -> None:
        super().__init__(f"leg is `{state}`: `{event}` cannot happen")


def step(state: State, event: Event) -> Step:
    """Look a cell up.

    Raises:
        ImpossibleStepError: There is none.
    """
    try:
        return TABLE[state][event]
    except KeyError:
        raise ImpossibleStepError(state, event) from None


def wait_ms(failures: int) -> int:
    """Give the wait after so many failures in a row (1 or more): it doubles from 0.5 s up to 10 s."""
    return min(LONGEST_WAIT_MS, FIRST_WAIT_MS << min(failures - 1, 10))


def markdown() -> str:
    """Write the table as the docs have it; a test holds them to it."""
    lines = ["| state | health | event | next state | effects |", "|---|---|---|---|---|"]
    for state, row in TABLE.items():
        for event, (after, effects) in row.items():
            done = ", ".join(effects) or "-"
            lines.append(f"| {state} | `{HEALTH[state]}` | {event} | {after} | {done} |")
        if not row:
            lines.append(f"| {state} | `{HEALTH[state]}` | - | - | - |")
    return "\n".join(lines)
