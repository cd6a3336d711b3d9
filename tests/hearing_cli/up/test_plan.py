"""The plan, by histories: events in, effects out, no process anywhere."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing_cli.up import events as ev
from hearing_cli.up.events import Effect, Event, Role, Timer
from hearing_cli.up.plan import ALIVE, TABLE, Goal, Moment, Phase, Stack, describe_end, new_stack, step
from hearing_cli.up.policy import Policy

D, A, T = Role.DAEMON, Role.ASSISTANT, Role.TUI
CTRL_C = ev.Stop("interrupted", hurries=True)


def replay(events: Iterable[Event], *roles: Role) -> tuple[Stack, list[Effect]]:
    """Let a history happen, a second apart; give the end and all effects but what is only said."""
    stack = new_stack(*(roles or (D, A, T)))
    done: list[Effect] = []
    for second, event in enumerate(events):
        stack, effects = step(stack, event, Moment(second * 1000, 0.5, Policy()))
        done += [effect for effect in effects if not isinstance(effect, ev.Tell)]
    return stack, done


def acts(effects: Iterable[Effect]) -> list[str]:
    """Name what was done to processes, in order."""
    named: dict[type[Effect], str] = {ev.Spawn: "start", ev.Terminate: "stop", ev.Kill: "kill"}
    return [
        f"{named[type(effect)]} {effect.role}"
        for effect in effects
        if isinstance(effect, ev.ChildEffect) and type(effect) in named
    ]


STARTED: list[Event] = [
    ev.Begin(),
    ev.Absent(D, 1),
    ev.Ready(D, 1, 11),
    ev.Absent(A, 1),
    ev.Ready(A, 1, 12),
    ev.Ready(T, 1, 13),
]


def test_each_child_starts_when_the_one_before_is_ready() -> None:
    for count, expected in enumerate(
        ([], ["start daemon"], ["start daemon"], ["start daemon", "start assistant"]), start=1
    ):
        assert acts(replay(STARTED[:count])[1]) == expected
    stack, effects = replay(STARTED)
    assert acts(effects) == ["start daemon", "start assistant", "start tui"]
    assert [child.phase for child in stack.children] == [Phase.READY] * 3


def test_stopping_is_the_reverse_each_after_the_last_has_gone() -> None:
    history = [*STARTED, CTRL_C, ev.Exited(T, 1, 0), ev.Exited(A, 1, 0), ev.Exited(D, 1, 0)]
    _, effects = replay(history)
    assert acts(effects)[3:] == ["stop tui", "stop assistant", "stop daemon"]
    assert effects[-1] == ev.Finish(0)
    assert acts(replay(history[:-2])[1])[3:] == ["stop tui", "stop assistant"]


def test_leaving_the_tui_stops_everything() -> None:
    stack, effects = replay([*STARTED, ev.Exited(T, 1, 0), ev.Exited(A, 1, 0), ev.Exited(D, 1, 0)])
    assert acts(effects)[3:] == ["stop assistant", "stop daemon"]
    assert stack.goal is Goal.STOP
    assert effects[-1] == ev.Finish(0)


@pytest.mark.parametrize("code", [1, 70, -9, -11])
def test_a_crashed_tui_is_started_again_and_nobody_else_is_touched(code: int) -> None:
    stack, effects = replay([*STARTED, ev.Exited(T, 1, code), ev.Retry(T, 1), ev.Ready(T, 2, 14)])
    assert acts(effects)[3:] == ["start tui"]
    assert [child.phase for child in stack.children] == [Phase.READY] * 3


def test_a_crashed_server_is_looked_for_and_started_again() -> None:
    _, effects = replay([*STARTED, ev.Exited(D, 1, -9), ev.Retry(D, 1), ev.Absent(D, 2), ev.Ready(D, 2, 21)])
    assert acts(effects)[3:] == ["start daemon"]
    assert ev.SetTimer(D, 1, Timer.RETRY, 500) in effects
    assert ev.ShowLastLines(D, 1) in effects


def test_a_crash_loop_ends_the_stack_with_status_1_and_the_reason() -> None:
    history: list[Event] = [ev.Begin()]
    for life in range(1, 7):
        history += [ev.Absent(D, life), ev.Exited(D, life, 3), ev.Retry(D, life)]
    stack, said = new_stack(D, A), []
    for at, event in enumerate(history):
        stack, effects = step(stack, event, Moment(at * 100, 0.5, Policy()))
        said += effects
    assert said[-1] == ev.Finish(1)
    assert (
        ev.Tell(
            "daemon ended with exit status 3: it was restarted 5 times within 60 s and ended again; stopping"
        )
        in said
    )


def test_bad_configuration_of_a_child_is_the_end() -> None:
    _, effects = replay([ev.Begin(), ev.Absent(D, 1), ev.Exited(D, 1, 78)])
    assert effects[-1] == ev.Finish(78)


def test_a_running_server_is_used_and_left_running() -> None:
    stack, effects = replay(
        [
            ev.Begin(),
            ev.Found(D, 1, 99),
            ev.Absent(A, 1),
            ev.Ready(A, 1, 12),
            ev.Ready(T, 1, 13),
            ev.Exited(T, 1, 0),
            ev.Exited(A, 1, 0),
        ]
    )
    assert acts(effects) == ["start assistant", "start tui", "stop assistant"]
    assert ev.Watch(D, 1, 99) in effects
    assert effects[-1] == ev.Finish(0)
    assert stack.child(D).phase is Phase.GONE


def test_a_used_server_that_ends_is_replaced_by_our_own() -> None:
    _, effects = replay([ev.Begin(), ev.Found(D, 1, 99), ev.Vanished(D, 1), ev.Absent(D, 2)], D)
    assert acts(effects) == ["start daemon"]


def test_a_socket_held_by_a_stranger_ends_the_start() -> None:
    _, effects = replay([ev.Begin(), ev.Occupied(D, 1, "no greeting")])
    assert effects[-1] == ev.Finish(75)


def test_one_that_is_never_ready_is_killed_and_tried_again() -> None:
    _, effects = replay([ev.Begin(), ev.Absent(D, 1), ev.Late(D, 1), ev.Exited(D, 1, -9), ev.Retry(D, 1)])
    assert acts(effects) == ["start daemon", "kill daemon"]
    assert effects[-1] == ev.Look(D, 2)


def test_one_that_does_not_end_is_killed_after_its_grace() -> None:
    _, effects = replay([*STARTED, ev.Stop("asked to"), ev.GraceOver(T, 1), ev.Exited(T, 1, -9)])
    assert ev.SetTimer(T, 1, Timer.GRACE, 5_000) in effects
    assert acts(effects)[3:] == ["stop tui", "kill tui", "stop assistant"]


def test_a_second_ctrl_c_kills_all_at_once() -> None:
    _, effects = replay([*STARTED, CTRL_C, CTRL_C])
    assert acts(effects)[3:] == ["stop tui", "kill tui", "kill assistant", "kill daemon"]


def test_a_second_hangup_changes_nothing() -> None:
    hang_up = ev.Stop("the terminal is gone")
    assert acts(replay([*STARTED, hang_up, hang_up])[1])[3:] == ["stop tui"]


@pytest.mark.parametrize("at", range(len(STARTED) + 1))
def test_stop_during_any_step_of_the_start_starts_nothing_more(at: int) -> None:
    stack, before = replay(STARTED[:at])
    stack, effects = step(stack, CTRL_C, Moment(0, 0.5, Policy()))
    for event in STARTED[max(1, at) :]:  # answers that were on their way
        if stack.child(event.role).life == event.life and not isinstance(event, ev.Ready):  # type: ignore[union-attr]
            stack, more = step(stack, event, Moment(0, 0.5, Policy()))
            effects += more
    assert not [effect for effect in effects if isinstance(effect, ev.Spawn | ev.Look)]
    assert len(acts(before)) or effects[-1] == ev.Finish(0)


def test_stop_during_back_off_never_starts_it_again() -> None:
    stack, effects = replay([*STARTED, ev.Exited(D, 1, -9), CTRL_C, ev.Retry(D, 1), ev.Exited(T, 1, 0)])
    assert acts(effects)[3:] == ["stop tui", "stop assistant"]
    assert stack.child(D).phase is Phase.GONE


def test_one_that_ends_by_itself_while_others_are_stopped_is_not_started_again() -> None:
    _, effects = replay([*STARTED, CTRL_C, ev.Exited(D, 1, -9), ev.Exited(T, 1, 0), ev.Exited(A, 1, 0)])
    assert acts(effects)[3:] == ["stop tui", "stop assistant"]
    assert effects[-1] == ev.Finish(0)


def test_an_event_of_an_earlier_life_changes_nothing() -> None:
    stack, _ = replay([*STARTED, ev.Exited(D, 1, -9), ev.Retry(D, 1), ev.Absent(D, 2)])
    for stale in (ev.Late(D, 1), ev.Ready(D, 1, 11), ev.Retry(D, 1)):
        assert step(stack, stale, Moment(0, 0.5, Policy())) == (stack, [])


def test_every_phase_has_a_row_and_a_missing_cell_names_phase_and_event() -> None:
    assert set(TABLE) == set(Phase)
    stack, _ = replay(STARTED)
    with pytest.raises(LookupError, match="`daemon` in `ready` has no cell for `Retry`"):
        step(stack, ev.Retry(D, 1), Moment(0, 0.5, Policy()))


def test_the_end_of_a_process_is_said_in_words() -> None:
    assert describe_end(-9) == "was killed by signal 9"
    assert describe_end(3) == "ended with exit status 3"


class FakeWorld:
    """Keeps what an honest operating system would: processes and timers, and which events may come next."""

    def __init__(self) -> None:
        self.possible: list[Event] = [ev.Begin()]
        self.living: list[Role] = []
        self.spawned: list[Role] = []
        self.ended: list[Role] = []
        self.finished: ev.Finish | None = None

    def do(self, effect: Effect) -> None:
        match effect:
            case ev.Look(role, life):
                self.possible += [ev.Absent(role, life)]
            case ev.Spawn(role, life):
                assert role not in self.living, "started twice"
                self.living.append(role)
                self.spawned.append(role)
                self.possible += [ev.Ready(role, life, 1), ev.Exited(role, life, 1)]
            case ev.SetTimer(role, life, timer):
                kinds = {Timer.READY: ev.Late, Timer.RETRY: ev.Retry, Timer.GRACE: ev.GraceOver}
                self.possible.append(kinds[timer](role, life))
            case ev.Finish():
                self.finished = effect

    def happens(self, event: Event) -> None:
        """Take an event out of the possible ones."""
        self.possible.remove(event)
        if isinstance(event, ev.Exited):
            self.living.remove(event.role)
            self.ended.append(event.role)
            self.possible = [
                other
                for other in self.possible
                if not (isinstance(other, ev.Ready) and other.role is event.role)
            ]


@given(st.lists(st.integers(0, 1000), max_size=120), st.integers(0, 119))
def test_whatever_happens_in_whatever_order_it_ends_with_nothing_alive(
    choices: list[int], stop_at: int
) -> None:
    world, stack, now_ms = FakeWorld(), new_stack(D, A, T), 0
    stopped_at: int | None = None
    for number, choice in enumerate([*choices, *[0] * 400]):
        if world.finished:
            break
        if number == min(stop_at, len(choices)) and stack.goal is Goal.RUN:
            event: Event = CTRL_C
        else:
            event = world.possible[choice % len(world.possible)] if world.possible else CTRL_C
            if event in world.possible:
                world.happens(event)
        now_ms += 50
        stack, effects = step(stack, event, Moment(now_ms, 0.5, Policy()))
        if stack.goal is Goal.STOP and stopped_at is None:
            stopped_at = len(world.spawned)
        for effect in effects:
            world.do(effect)
        assert {child.role for child in stack.children if child.phase in ALIVE} >= set(world.living)
    assert world.finished is not None
    assert not world.living
    assert stopped_at == len(world.spawned), "started after the stop"


def test_stop_order_is_reverse_for_every_subset_of_children() -> None:
    order = [D, A, T]
    for roles in ([D], [D, A], order):
        _, effects = replay(
            [event for event in STARTED if isinstance(event, ev.Begin) or event.role in roles]  # type: ignore[union-attr]
            + [CTRL_C]
            + [ev.Exited(role, 1, 0) for role in reversed(roles)],
            *roles,
        )
        stops = [effect.role for effect in effects if isinstance(effect, ev.Terminate)]
        assert stops == list(reversed(roles))
        assert all(order.index(a) > order.index(b) for a, b in pairwise(stops))
