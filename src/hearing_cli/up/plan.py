"""The supervisor's decisions as a table: `(stack, event) -> (stack, effects)`, no clock, no process.

Children start one after another, each when the one before is ready; from then on each lives for itself.
They are stopped one after another in reverse.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from hearing.errors import ExitCode
from hearing_cli.up import events as ev
from hearing_cli.up.events import Effect, Event, Role, Timer
from hearing_cli.up.policy import GiveUp, History, Life, Policy, judge


class Phase(StrEnum):
    """Where one child stands."""

    IDLE = "idle"  # its turn has not come
    LOOKING = "looking"  # asking whether somebody serves its socket already
    STARTING = "starting"  # its process runs and does not answer yet
    READY = "ready"
    ATTACHED = "attached"  # a server that was running before: not ours to stop
    BACKING_OFF = "backing_off"  # ended, will be started again
    STOPPING = "stopping"  # asked to end
    KILLING = "killing"  # not asked any more
    GONE = "gone"  # for good


class Goal(StrEnum):
    """What the stack is after."""

    RUN = "run"
    STOP = "stop"


ALIVE: Final = (Phase.STARTING, Phase.READY, Phase.STOPPING, Phase.KILLING)
"""Phases in which a process of ours lives."""


@dataclass(frozen=True, slots=True)
class Child:
    """One child: `life` counts its starts, `since_ms` is when this one began."""

    role: Role
    phase: Phase = Phase.IDLE
    life: int = 0
    pid: int | None = None
    since_ms: int = 0
    history: History = field(default_factory=History)


@dataclass(frozen=True, slots=True)
class Stack:
    """All children in starting order, the goal, and the exit status when it is reached."""

    children: tuple[Child, ...]
    goal: Goal = Goal.RUN
    exit_code: int = ExitCode.OK

    def __repr__(self) -> str:
        return f"<Stack {self.goal}: {', '.join(f'{child.role} {child.phase}' for child in self.children)}>"

    def child(self, role: Role) -> Child:
        """Give the child of that role."""
        return next(child for child in self.children if child.role is role)

    def put(self, changed: Child) -> "Stack":
        """Replace the child of the same role."""
        return replace(
            self, children=tuple(changed if old.role is changed.role else old for old in self.children)
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """What a decision may depend on beside state and event; `jitter` is in [0, 1)."""

    now_ms: int
    jitter: float
    policy: Policy


Outcome = tuple[Stack, list[Effect]]
Handler = Callable[[Stack, Child, Any, Moment], Outcome]


def new_stack(*roles: Role) -> Stack:
    """Give a stack that has not begun."""
    return Stack(tuple(Child(role) for role in roles))


def step(stack: Stack, event: Event, moment: Moment) -> Outcome:
    """Take one event; a child's event of an earlier life changes nothing.

    Raises:
        LookupError: The table has no cell for it: a bug of ours.
    """
    match event:
        case ev.Begin():
            return _start_next(stack, moment)
        case ev.Stop():
            return _on_stop(stack, event, moment)
    child = stack.child(event.role)
    if event.life != child.life:
        return stack, []
    handler = TABLE[child.phase].get(type(event))
    if handler is None:
        raise LookupError(f"`{child.role}` in `{child.phase}` has no cell for `{type(event).__name__}`")
    return handler(stack, child, event, moment)


# --- starting ---


def _start_next(stack: Stack, moment: Moment) -> Outcome:
    waiting = [child for child in stack.children if child.phase is Phase.IDLE]
    if stack.goal is not Goal.RUN or not waiting:
        return stack, []
    return _begin(stack, waiting[0], None, moment)


def _begin(stack: Stack, child: Child, _event: object, moment: Moment) -> Outcome:
    """Start a life: a server's begins with the question whether another one serves already."""
    phase = Phase.LOOKING if child.role.is_server else Phase.STARTING
    child = replace(child, phase=phase, life=child.life + 1, since_ms=moment.now_ms, pid=None)
    effect = ev.Look if child.role.is_server else ev.Spawn
    return stack.put(child), [effect(child.role, child.life)]


def _on_absent(stack: Stack, child: Child, _event: ev.Absent, moment: Moment) -> Outcome:
    child = replace(child, phase=Phase.STARTING, since_ms=moment.now_ms)
    late = ev.SetTimer(child.role, child.life, Timer.READY, moment.policy.ready_ms)
    return stack.put(child), [ev.Spawn(child.role, child.life), late]


def _on_found(stack: Stack, child: Child, event: ev.Found, moment: Moment) -> Outcome:
    stack = stack.put(replace(child, phase=Phase.ATTACHED, pid=event.pid))
    stack, more = _start_next(stack, moment)
    said = ev.Tell(f"{child.role} runs already (pid {event.pid}): using it")
    return stack, [said, ev.Watch(child.role, child.life, event.pid), *more]


def _on_occupied(stack: Stack, child: Child, event: ev.Occupied, moment: Moment) -> Outcome:
    stack = stack.put(replace(child, phase=Phase.GONE))
    stack, more = _stop(stack, ExitCode.TEMPORARY, moment)
    return stack, [ev.Tell(f"{child.role} cannot start: {event.reason}"), *more]


def _on_ready(stack: Stack, child: Child, event: ev.Ready, moment: Moment) -> Outcome:
    stack, more = _start_next(stack.put(replace(child, phase=Phase.READY, pid=event.pid)), moment)
    return stack, [ev.Tell(f"{child.role} ready (pid {event.pid})"), *more]


def _on_late(stack: Stack, child: Child, _event: ev.Late, moment: Moment) -> Outcome:
    said = f"{child.role} does not answer after {moment.policy.ready_ms / 1000:g} s: killed"
    return _kill(stack, child, None, moment, said=[ev.Tell(said)])


# --- failing ---


def _on_exited(stack: Stack, child: Child, event: ev.Exited, moment: Moment) -> Outcome:
    """Decide what an end means: wanted, the user leaving the TUI, or a failure."""
    if stack.goal is Goal.STOP:
        return _on_gone(stack, child, event, moment)
    if child.role is Role.TUI and event.code == ExitCode.OK:
        return _stop(stack.put(replace(child, phase=Phase.GONE)), ExitCode.OK, moment)
    life = Life(event.code, moment.now_ms - child.since_ms, moment.now_ms)
    history, verdict = judge(moment.policy, child.history, life, moment.jitter)
    how = describe_end(event.code)
    last_lines = ev.ShowLastLines(child.role, child.life)
    if isinstance(verdict, GiveUp):
        stack, more = _stop(stack.put(replace(child, phase=Phase.GONE)), verdict.exit_code, moment)
        return stack, [last_lines, ev.Tell(f"{child.role} {how}: {verdict.reason}; stopping"), *more]
    stack = stack.put(replace(child, phase=Phase.BACKING_OFF, history=history))
    said = ev.Tell(f"{child.role} {how}: starting it again in {verdict.delay_ms / 1000:.1f} s")
    return stack, [last_lines, said, ev.SetTimer(child.role, child.life, Timer.RETRY, verdict.delay_ms)]


def _on_vanished(stack: Stack, child: Child, _event: ev.Vanished, moment: Moment) -> Outcome:
    stack, effects = _begin(stack, child, None, moment)
    return stack, [ev.Tell(f"{child.role} (pid {child.pid}) has ended: starting one of our own"), *effects]


def describe_end(code: int) -> str:
    """Say an exit status in words."""
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit status {code}"


# --- stopping ---


def _on_stop(stack: Stack, event: ev.Stop, moment: Moment) -> Outcome:
    if stack.goal is Goal.STOP:
        return _kill_all(stack, moment) if event.hurries else (stack, [])
    stack, effects = _stop(stack, ExitCode.OK, moment)
    return stack, [ev.Tell(f"stopping: {event.reason}"), *effects]


def _stop(stack: Stack, exit_code: int, moment: Moment) -> Outcome:
    """Turn to stopping: nothing is started from here on."""
    stack = replace(stack, goal=Goal.STOP, exit_code=exit_code)
    said: list[Effect] = []
    for child in stack.children:
        if child.phase is Phase.ATTACHED:
            said.append(ev.Tell(f"{child.role} (pid {child.pid}) was running before: left running"))
        if child.phase not in ALIVE:
            stack = stack.put(replace(child, phase=Phase.GONE))
    stack, effects = _stop_last(stack, moment)
    return stack, [*said, *effects]


def _stop_last(stack: Stack, moment: Moment) -> Outcome:
    """Ask the last living child to end, or finish when none is left."""
    living = [child for child in stack.children if child.phase in ALIVE]
    if not living:
        return stack, [ev.Finish(stack.exit_code)]
    last = living[-1]
    if last.phase in (Phase.STOPPING, Phase.KILLING):
        return stack, []
    grace = ev.SetTimer(last.role, last.life, Timer.GRACE, moment.policy.grace_ms)
    stack = stack.put(replace(last, phase=Phase.STOPPING))
    return stack, [ev.Terminate(last.role, last.life), grace]


def _on_gone(stack: Stack, child: Child, _event: ev.Exited, moment: Moment) -> Outcome:
    stack, effects = _stop_last(stack.put(replace(child, phase=Phase.GONE)), moment)
    return stack, [ev.Tell(f"{child.role} stopped"), *effects]


def _on_grace_over(stack: Stack, child: Child, _event: ev.GraceOver, moment: Moment) -> Outcome:
    said = f"{child.role} does not end within {moment.policy.grace_ms / 1000:g} s: killed"
    return _kill(stack, child, None, moment, said=[ev.Tell(said)])


def _kill(stack: Stack, child: Child, _event: object, _moment: Moment, said: list[Effect]) -> Outcome:
    stack = stack.put(replace(child, phase=Phase.KILLING))
    return stack, [*said, ev.Kill(child.role, child.life)]


def _kill_all(stack: Stack, moment: Moment) -> Outcome:
    effects: list[Effect] = []
    for child in reversed(stack.children):
        if child.phase in ALIVE:
            stack, more = _kill(stack, child, None, moment, said=[])
            effects += more
    return stack, effects


def _ignore(stack: Stack, _child: Child, _event: object, _moment: Moment) -> Outcome:
    return stack, []


TABLE: Final[dict[Phase, dict[type[ev.ChildEvent], Handler]]] = {
    Phase.IDLE: {},
    Phase.LOOKING: {ev.Absent: _on_absent, ev.Found: _on_found, ev.Occupied: _on_occupied},
    Phase.STARTING: {ev.Ready: _on_ready, ev.Exited: _on_exited, ev.Late: _on_late},
    Phase.READY: {ev.Exited: _on_exited, ev.Late: _ignore},
    Phase.ATTACHED: {ev.Vanished: _on_vanished},
    Phase.BACKING_OFF: {ev.Retry: _begin, ev.Ready: _ignore, ev.Late: _ignore},
    Phase.STOPPING: {
        ev.Exited: _on_gone,
        ev.GraceOver: _on_grace_over,
        ev.Ready: _ignore,
        ev.Late: _ignore,
    },
    Phase.KILLING: {ev.Exited: _on_exited, ev.GraceOver: _ignore, ev.Ready: _ignore, ev.Late: _ignore},
    Phase.GONE: dict.fromkeys(
        (ev.Absent, ev.Found, ev.Occupied, ev.Ready, ev.Late, ev.Vanished, ev.Retry, ev.GraceOver), _ignore
    ),
}
"""What each event means in each phase; an event a phase has no cell for cannot happen there."""
