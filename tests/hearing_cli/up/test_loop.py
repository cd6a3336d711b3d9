"""The waist: one queue, and histories replayed through it."""

import pytest

from hearing.testing.clock import FakeClock
from hearing_cli.up import events as ev
from hearing_cli.up.events import Effect, Event, Role
from hearing_cli.up.loop import Supervisor
from hearing_cli.up.plan import new_stack

D, A = Role.DAEMON, Role.ASSISTANT


class ScriptedWorld:
    """Answers each effect with the events a script has for it."""

    def __init__(self, answers: dict[Effect, list[Event]]) -> None:
        self.answers = answers
        self.done: list[Effect] = []
        self.supervisor = Supervisor(new_stack(D, A), clock=FakeClock(), jitter=lambda: 0.5)

    def do(self, effect: Effect) -> None:
        self.done.append(effect)
        for event in self.answers.get(effect, []):
            self.supervisor.post(event)


async def test_a_history_runs_from_begin_to_finish_in_the_order_of_its_events() -> None:
    world = ScriptedWorld(
        {
            ev.Look(D, 1): [ev.Absent(D, 1)],
            ev.Spawn(D, 1): [ev.Ready(D, 1, 11)],
            ev.Look(A, 1): [ev.Absent(A, 1)],
            ev.Spawn(A, 1): [ev.Ready(A, 1, 12), ev.Stop("asked to")],
            ev.Terminate(A, 1): [ev.Exited(A, 1, 0)],
            ev.Terminate(D, 1): [ev.Exited(D, 1, 0)],
        }
    )
    assert await world.supervisor.run(world) == 0
    assert [effect for effect in world.done if isinstance(effect, ev.Terminate)] == [
        ev.Terminate(A, 1),
        ev.Terminate(D, 1),
    ]
    said = [effect.line for effect in world.done if isinstance(effect, ev.Tell)]
    assert said == [
        "daemon ready (pid 11)",
        "assistant ready (pid 12)",
        "stopping: asked to",
        "assistant stopped",
        "daemon stopped",
    ]


async def test_the_exit_status_of_a_failure_is_the_supervisors_own() -> None:
    world = ScriptedWorld({ev.Look(D, 1): [ev.Absent(D, 1)], ev.Spawn(D, 1): [ev.Exited(D, 1, 78)]})
    assert await world.supervisor.run(world) == 78


async def test_an_impossible_event_is_an_error_that_names_it() -> None:
    world = ScriptedWorld({ev.Look(D, 1): [ev.Exited(D, 1, 0)]})
    with pytest.raises(LookupError, match="`daemon` in `looking` has no cell for `Exited`"):
        await world.supervisor.run(world)
