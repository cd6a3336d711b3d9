"""Keeps one worker alive and feeds it: every utterance gets its text, or is given up after two tries."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from hearing.clock import Clock
from hearing.errors import ModelError
from hearing.interfaces import Recognition
from hearing.messages.common import HealthState
from hearing_daemon.restarts import Deaths, delay_ms, died
from hearing_daemon.utterance import Utterance
from hearing_daemon.worker.child import Child, WorkerDiedError
from hearing_daemon.worker.wire import Done, Job, Ready, Unusable

log = logging.getLogger(__name__)

TRIES: Final = 2
LOOK_AGAIN_S: Final = 2.0
LOAD_DEADLINE_S: Final = 120.0
UNUSABLE_WAIT_S: Final = 10.0


class _UnusableModelError(Exception):
    """The worker is well, its model is not."""


@dataclass(frozen=True, slots=True)
class Recognized:
    """The engine's answer, and the milliseconds it took."""

    recognitions: tuple[Recognition, ...]
    took_ms: int


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The worker died, hung or refused at every try."""

    reason: str


Result = Recognized | GivenUp


class Source(Protocol):
    """Where utterances come from, and where their results go."""

    async def next_utterance(self) -> Utterance:
        """Await the oldest one that waits; cancelling takes none."""
        ...

    def on_result(self, utterance: Utterance, result: Result, queue_ms: int) -> None:
        """Take a result; `queue_ms` is how long the utterance waited before its last try."""
        ...

    def on_health(self, state: HealthState, *, model: str | None, detail: str, hint: str) -> None:
        """Take the recognizer's new state."""
        ...


def patience_s(utterance: Utterance) -> float:
    """Give how long one utterance may take: 30 s and four times its length."""
    return 30.0 + 4.0 * utterance.duration_ms / 1_000


class Recognizer:
    """Runs a worker for ever.

    Args:
        source: Gives utterances, takes results and health.
        locate: Finds the model's folder, or raises `ModelError`.
        command: Gives the worker's argv for that folder.
        clock: Times deaths and waits.
        sleep: Waits between starts; injected by tests.
        deadline_s: Gives how long one utterance may take before the worker counts as hung.
    """

    def __init__(
        self,
        source: Source,
        *,
        locate: Callable[[], Path],
        command: Callable[[Path], Sequence[str]],
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        deadline_s: Callable[[Utterance], float] = patience_s,
    ) -> None:
        self._source = source
        self._locate = locate
        self._command = command
        self._clock = clock
        self._sleep = sleep
        self._deadline_s = deadline_s
        self._child: Child | None = None
        self._current: Utterance | None = None
        self._tries = 0
        self._deaths = Deaths()
        self._told: tuple[HealthState, str] | None = None

    @property
    def worker_pid(self) -> int | None:
        """Give the living worker's process id."""
        return self._child.pid if self._child else None

    async def run(self) -> None:
        """Serve until cancelled; the worker ends with it."""
        try:
            while True:
                await self._one_life()
        finally:
            await self._bury()

    async def _one_life(self) -> None:
        """Start a worker, feed it until it dies, and wait as long as its deaths call for."""
        weights = await self._weights()
        try:
            self._child = await Child.spawn(self._command(weights))
            await self._greet(self._child)
            while True:
                await self._recognize_next(self._child)
        except _UnusableModelError:
            await self._bury()
            await self._sleep(UNUSABLE_WAIT_S)  # somebody may mend it
        except WorkerDiedError as death:
            await self._mourn(str(death))

    async def _weights(self) -> Path:
        """Look for the model until it is there."""
        while True:
            try:
                weights = self._locate()
            except ModelError as error:
                self._report(HealthState.NO_MODEL, detail=error.sentence, hint=error.hint)
                await self._sleep(LOOK_AGAIN_S)
            else:
                if self._told is None or self._told[0] is not HealthState.FAILED:  # until it is mended
                    self._report(HealthState.RESTARTING if self._deaths.at_ms else HealthState.LOADING)
                return weights

    async def _greet(self, child: Child) -> None:
        greeting = await child.greeting(LOAD_DEADLINE_S)
        if isinstance(greeting, Unusable):
            self._report(HealthState.FAILED, detail=greeting.sentence, hint=greeting.hint)
            raise _UnusableModelError
        if not isinstance(greeting, Ready):
            raise WorkerDiedError("spoke nonsense")
        log.info("recognizer ready: model %s on %s, pid %d", greeting.model, greeting.device, child.pid)
        self._report(HealthState.READY, model=greeting.model, detail=greeting.detail)

    async def _recognize_next(self, child: Child) -> None:
        utterance = self._current or await self._next(child)
        self._current = utterance
        self._tries += 1
        queue_ms = self._clock.monotonic_ms() - utterance.closed_at_ms
        job = Job(utterance.seg_id, utterance.samples.tobytes())
        answer = await child.ask(job, self._deadline_s(utterance))
        if isinstance(answer, Done) and answer.seg_id == utterance.seg_id:
            self._finish(Recognized(tuple(answer.pieces), answer.took_ms), queue_ms)
        elif self._tries >= TRIES:
            self._finish(GivenUp("the engine refused it"), queue_ms)

    async def _next(self, child: Child) -> Utterance:
        """Await work, and notice a worker that dies idle."""
        taking = asyncio.ensure_future(self._source.next_utterance())
        try:
            await asyncio.wait({taking, child.exit}, return_when=asyncio.FIRST_COMPLETED)
            if taking.done():
                return taking.result()
            raise WorkerDiedError("ended while idle")
        finally:
            taking.cancel()

    async def _mourn(self, how: str) -> None:
        last_words = self._child.last_words if self._child else ()
        await self._bury()
        now_ms = self._clock.monotonic_ms()
        self._deaths = died(self._deaths, now_ms)
        log.warning("worker %s (%d deaths in a minute)", how, len(self._deaths.at_ms))
        for line in last_words:
            log.info("worker said: %s", line)
        if self._current is not None and self._tries >= TRIES:
            self._finish(GivenUp(how), now_ms - self._current.closed_at_ms)
        if self._deaths.is_hopeless:
            self._report(
                HealthState.FAILED,
                detail=f"the worker {how} {len(self._deaths.at_ms)} times in a minute",
                hint="`hearing doctor` checks the model",
            )
        await self._sleep(delay_ms(self._deaths) / 1_000)

    def _finish(self, result: Result, queue_ms: int) -> None:
        assert self._current is not None
        utterance, self._current, self._tries = self._current, None, 0
        self._source.on_result(utterance, result, queue_ms)

    def _report(
        self, state: HealthState, *, model: str | None = None, detail: str = "", hint: str = ""
    ) -> None:
        """Tell the source what is new."""
        if self._told != (state, detail):
            self._told = (state, detail)
            self._source.on_health(state, model=model, detail=detail, hint=hint)

    async def _bury(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.kill()
