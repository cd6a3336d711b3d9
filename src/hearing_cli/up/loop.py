"""The supervisor's waist: one queue, one loop, every event through one function."""

import asyncio
import random
from collections.abc import Callable
from typing import Protocol

from hearing.clock import Clock
from hearing_cli.up.events import Begin, Effect, Event, Finish
from hearing_cli.up.plan import Moment, Stack, step
from hearing_cli.up.policy import Policy


class World(Protocol):
    """Whoever carries decisions out; what happens then comes back as events."""

    def do(self, effect: Effect) -> None:
        """Start what the effect asks for; never waits for it."""
        ...


class Supervisor:
    """Takes events in order, decides by the plan, hands the effects to the world.

    Attributes:
        stack: The state the last event left.
    """

    def __init__(
        self,
        stack: Stack,
        *,
        clock: Clock,
        policy: Policy | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.stack = stack
        self._clock = clock
        self._policy = policy or Policy()
        self._jitter = jitter
        # Unbounded, but what fills it is: each child has one process, one question and three timers at most.
        self._queue: asyncio.Queue[Event] = asyncio.Queue()

    def post(self, event: Event) -> None:
        """Queue an event."""
        self._queue.put_nowait(event)

    async def run(self, world: World) -> int:
        """Begin, and take events until the stack has ended; give the exit status."""
        self.post(Begin())
        while True:
            exit_code = self.take(await self._queue.get(), world)
            if exit_code is not None:
                return exit_code

    def take(self, event: Event, world: World) -> int | None:
        """Let one event happen (the waist: all pass here); give the exit status if it was the last."""
        moment = Moment(self._clock.monotonic_ms(), self._jitter(), self._policy)
        self.stack, effects = step(self.stack, event, moment)
        for effect in effects:
            if isinstance(effect, Finish):
                return effect.exit_code
            world.do(effect)
        return None
