"""One leg: a source kept open through failures and mutes, its sound placed in stream time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hearing.clock import Clock
from hearing.errors import AudioError
from hearing.interfaces import CaptureSource, CaptureStatus
from hearing.messages.common import HealthState
from hearing.types import Channel
from hearing_daemon.capture import reopen
from hearing_daemon.capture.events import LegEvent, LegHealth
from hearing_daemon.capture.ledger import Ledger
from hearing_daemon.capture.reopen import Effect, Event, State
from hearing_daemon.capture.spec import MAX_SPEED, Source, WhenMuted
from hearing_daemon.capture.take import Sign, Take

if TYPE_CHECKING:
    from hearing.interfaces import Samples
    from hearing_daemon.capture.take import Item

_log = logging.getLogger(__name__)

_FINAL = (State.ENDED, State.FAILED)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a live source may give no data (silence is data) before its child is killed."""

    opening_ms: int = 10_000
    stalled_ms: int = 2_000
    wait_ms: Callable[[int], int] = reopen.wait_ms


class Leg:
    """A source as a stream of `LegEvent`s that ends when the source has ended, or after `close`.

    One reader at a time. Nothing runs between two events: a pipe's back-pressure holds a file.

    Attributes:
        channel: Which leg it is.
        live: Whether it is a device, which neither waits nor ends.
        pulled: Whether it gives sound as fast as it is asked for.
    """

    def __init__(
        self,
        channel: Channel,
        source: Source,
        opener: Callable[[], CaptureSource],
        clock: Clock,
        started_ms: int,
        patience: Patience = Patience(),
    ) -> None:
        self.channel = channel
        self.live = source.live
        self.pulled = source.speed == MAX_SPEED
        self.live = source.live
        self._source = source
        self._opener = opener
        self._clock = clock
        self._started_ms = started_ms
        self._patience = patience
        self._state = State.CLOSED
        self._mute_wanted = False
        self._closing = False
        self._nudge = asyncio.Event()  # a wish has changed: look before waiting on
        self._take: Take | None = None
        self._failures = 0  # in a row
        self._ledger = Ledger(channel)
        self._health = LegHealth(channel, HealthState.STARTING, device=source.name)
        self._warning = ""  # of a source that still gives sound
        self._told: LegHealth | None = None

    def __repr__(self) -> str:
        """Show the state, for tests and logs."""
        return f"<Leg {self.channel} {self._state}>"

    def set_muted(self, muted: bool) -> None:
        """Close or reopen the device; whoever waits in `events` sees it at once."""
        self._mute_wanted = muted
        self._nudge.set()

    async def close(self) -> None:
        """End the stream and let go of the device; safe to call twice."""
        self._closing = True
        self._nudge.set()
        await self._release()

    async def events(self) -> AsyncIterator[LegEvent]:
        """Give what happens, from a live source for ever."""
        try:
            while not self._closing and self._state not in _FINAL:
                for event in await self._next():
                    yield event
        finally:
            await self._release()

    async def _next(self) -> list[LegEvent]:
        """The waist: wait for one thing to happen and give what the service is told of it."""
        self._nudge.clear()
        told: list[LegEvent] = []
        if self._mute_wanted != (self._state is State.MUTED):
            await self._happen(Event.MUTE if self._mute_wanted else Event.UNMUTE)
        elif self._state is State.CLOSED:
            await self._happen(Event.START)
        elif self._take is None or self._is_held():
            await self._wait()
        else:
            told = await self._read(self._take)
        return [*self._news(), *told]

    async def _happen(self, event: Event, why: AudioError | None = None) -> None:
        """Step through the table and do what it says."""
        self._state, effects = reopen.step(self._state, event)
        _log.debug("leg %s: %s, so %s", self.channel, event, self._state)
        detail, hint = (why.sentence, why.hint) if why else ("", "")
        if event is not Event.RETRY:  # what was wrong stays wrong until something else is known
            self._health = replace(self._health, detail=detail, hint=hint)
        self._health = replace(self._health, state=reopen.HEALTH[self._state])
        for effect in effects:
            await self._do(effect)

    async def _do(self, effect: Effect) -> None:
        match effect:
            case Effect.OPEN:
                self._warning = ""
                self._take = Take(self._opener())
            case Effect.CLOSE:
                self._ledger.break_off("reopened")
                await self._release()
            case Effect.MUTE:
                if self._source.when_muted is not WhenMuted.HOLD:
                    self._ledger.break_off("muted")
                if self._source.when_muted is WhenMuted.CLOSE:
                    await self._release()
            case Effect.UNMUTE:
                self._take = self._take or Take(self._opener())

    async def _release(self) -> None:
        take, self._take = self._take, None
        if take is not None:
            await take.close()

    def _is_held(self) -> bool:
        return self._state is State.MUTED and self._source.when_muted is WhenMuted.HOLD

    async def _wait(self) -> None:
        """Wait for the next try, or for a nudge; muted, only for that."""
        muted = self._state is State.MUTED
        with suppress(TimeoutError):
            async with asyncio.timeout(None if muted else self._patience.wait_ms(self._failures) / 1_000):
                await self._nudge.wait()
                return
        await self._happen(Event.RETRY)

    async def _read(self, take: Take) -> list[LegEvent]:
        """Wait for what the source gives next; a failure is an event like any other."""
        try:
            return await self._took(await take.next(self._nudge, self._patience_s()))
        except AudioError as error:
            await self._broke(error)
            return []

    def _patience_s(self) -> float | None:
        if not self._source.live:
            return None
        listening = self._state is State.LISTENING
        return (self._patience.stalled_ms if listening else self._patience.opening_ms) / 1_000

    async def _took(self, item: Item) -> list[LegEvent]:
        if isinstance(item, CaptureStatus):
            return self._noted(item)
        if not isinstance(item, Sign):
            return await self._heard(item)
        if item is Sign.ENDED and self._source.live:
            raise AudioError(f"`{self._health.device}` has ended")
        if item is Sign.ENDED:
            await self._happen(Event.END)
        return []

    async def _broke(self, error: AudioError) -> None:
        self._failures += 1
        await self._happen(Event.BROKE if self._source.live else Event.CUT, error)

    async def _heard(self, samples: Samples) -> list[LegEvent]:
        if self._state is State.MUTED:
            self._ledger.skip(len(samples))
            return []
        if self._state is not State.LISTENING:
            self._failures = 0
            await self._happen(Event.SOUND)
        now_ms = self._clock.monotonic_ms() - self._started_ms if self._source.live else None
        return self._ledger.sound(samples, now_ms)

    def _noted(self, status: CaptureStatus) -> list[LegEvent]:
        """Take a status: the device's name, a warning, a count of dropped samples."""
        self._health = replace(self._health, device=status.device)
        self._warning = status.warning
        return self._ledger.xruns(status.xruns)

    def _news(self) -> list[LegEvent]:
        """Give the health if it changed since it was last told."""
        health = self._health
        if self._warning and health.state is HealthState.LISTENING:
            health = replace(health, state=HealthState.DEGRADED, detail=self._warning)
        if health == self._told:
            return []
        self._told = health
        return [health]
