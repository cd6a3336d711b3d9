"""The daemon's loop: sound of the legs in, events out, through one waist."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from hearing.clock import Clock
from hearing.config import Config
from hearing.interfaces import Vad
from hearing.messages.common import Event, Health, HealthPart, HealthState, Hello, Message, Transcript
from hearing.messages.daemon import Gap, Heartbeat
from hearing.transport.listen import ClaimedSocket
from hearing.transport.publisher import Publisher
from hearing.types import Channel
from hearing_daemon import pace, state
from hearing_daemon.capture.events import LegEvent, LegHealth, Missing, Overflow, Sound
from hearing_daemon.listening import POLL_S, ListeningFile
from hearing_daemon.pace import Pace
from hearing_daemon.recognizer import Recognized, Recognizer, Result
from hearing_daemon.speech import Speech
from hearing_daemon.state import DaemonState
from hearing_daemon.utterance import Utterance

log = logging.getLogger(__name__)

HEARTBEAT_S: Final = 1.0
AUDIENCE_WAIT_S: Final = 5.0
AUDIENCE_STAYS_S: Final = 0.3
"""Who leaves sooner only asked whether we live."""
CLOSE_S: Final = 1.5
_CUT_OFF: Final = (HealthState.REOPENING, HealthState.NO_DEVICE, HealthState.FAILED, HealthState.ENDED)
"""States in which no sound follows on the last one."""


class Leg(Protocol):
    """What the service needs of `hearing_daemon.capture.leg.Leg`."""

    channel: Channel
    pulled: bool
    live: bool

    def events(self) -> AsyncIterator[LegEvent]:
        """Give sound and news until the source ends."""
        ...

    def set_muted(self, muted: bool) -> None:
        """Close or reopen the device."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


class Service:
    """Runs legs and recognizer, and publishes what they make.

    Args:
        claimed: The socket to serve.
        hello: How to greet on it.
        config: All thresholds and limits.
        legs: The sources.
        build_vad: Gives each leg its own detector; may take a while.
        build_recognizer: Gives the recognizer that reads from this service.
        listening: The mute switch.
        clock: Labels and times everything.
    """

    def __init__(
        self,
        claimed: ClaimedSocket,
        hello: Hello,
        *,
        config: Config,
        legs: Sequence[Leg],
        build_vad: Callable[[], Vad],
        build_recognizer: Callable[["Service"], Recognizer],
        listening: ListeningFile,
        clock: Clock,
    ) -> None:
        self._clock = clock
        self._started_ms = clock.monotonic_ms()
        self._legs = tuple(legs)
        self._build_vad = build_vad
        self._listening = listening
        self._recognizer = build_recognizer(self)
        self._speech = Speech(config, self._emit, clock)
        self._state = DaemonState(legs=tuple(leg.channel for leg in legs), muted=not listening.is_on())
        self._pace = Pace()
        self._xruns: dict[Channel, int] = {}
        self._ended: dict[Channel, Health] = {}
        self._audience = asyncio.Event()
        self._work = asyncio.Event()
        self._room = asyncio.Event()
        self._mind_backlog()
        self._stopped = asyncio.Event()
        self._publisher = Publisher(
            claimed,
            hello,
            clock=clock,
            snapshot=self._snapshot,
            keep=lambda message: isinstance(message, Transcript),
            on_subscriber=self._audience.set,
        )

    def stop(self) -> None:
        """End `run`."""
        self._stopped.set()

    async def run(self) -> None:
        """Serve until `stop`; the socket is served before anything slow is done."""
        await self._publisher.start()
        try:
            await self._first_ending_of(
                [self._listen(), self._recognizer.run(), self._beat(), self._watch_switch()]
            )
        finally:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_S):
                    await asyncio.gather(*(leg.close() for leg in self._legs))
            await self._publisher.stop()

    async def _first_ending_of(self, bodies: Sequence[Coroutine[Any, Any, None]]) -> None:
        """Run all until `stop`, or until one fails; sources may end before that."""
        stopping = asyncio.create_task(self._stopped.wait())
        running = {asyncio.create_task(body) for body in bodies}
        try:
            while not stopping.done():
                done, _ = await asyncio.wait({stopping, *running}, return_when=asyncio.FIRST_COMPLETED)
                for task in done - {stopping}:
                    task.result()
                running -= done
        finally:
            for task in (stopping, *running):
                task.cancel()
            await asyncio.gather(stopping, *running, return_exceptions=True)

    # The waist: every event the daemon publishes passes here, and nowhere else.
    def _emit(self, event: Event) -> None:
        self._state = state.apply(self._state, self._publisher.publish(event))

    def _snapshot(self, last_seq: int) -> list[Message]:
        waiting = len(self._speech.backlog.waiting)
        return [state.snapshot(self._state, backlog=waiting, last_seq=last_seq)]

    # --- legs ---

    async def _listen(self) -> None:
        for leg in self._legs:
            self._speech.add_leg(leg.channel, await asyncio.to_thread(self._build_vad), pulled=leg.pulled)
            leg.set_muted(self._state.muted)
        async with asyncio.TaskGroup() as group:
            for leg in self._legs:
                group.create_task(self._follow(leg))

    async def _follow(self, leg: Leg) -> None:
        """Take a leg's events as they come; one that can wait begins when somebody listens."""
        if not leg.live:
            await self._audience_or_time()
        async for event in leg.events():
            self._on_leg_event(event)
            if leg.pulled:
                await asyncio.sleep(0)
                await self._room.wait()

    async def _audience_or_time(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AUDIENCE_WAIT_S):
                while not self._publisher.subscribers:
                    self._audience.clear()
                    await self._audience.wait()
                    await asyncio.sleep(AUDIENCE_STAYS_S)

    def _on_leg_event(self, event: LegEvent) -> None:
        match event:
            case Sound():
                if not self._state.muted:  # what was on its way when the switch fell is not heard
                    self._speech.hear(event)
                    self._mind_backlog()
            case LegHealth():
                self._on_leg_health(event)
            case Missing():
                self._speech.interrupt(event.leg)
                self._mind_backlog()
                self._emit(Gap(leg=event.leg, from_ms=event.from_ms, to_ms=event.to_ms, reason=event.reason))
            case Overflow():
                self._xruns[event.leg] = event.xruns

    def _on_leg_health(self, event: LegHealth) -> None:
        """Publish it; `ended` waits until all that was said is published too.

        Who was cut off in mid-word gets what was heard of it now, and not when the device is back.
        """
        health = Health(
            part=HealthPart(event.leg),
            state=event.state,
            device=event.device,
            detail=event.detail,
            hint=event.hint,
        )
        if event.state in _CUT_OFF:
            self._speech.end(event.leg)
            self._mind_backlog()
        if event.state is HealthState.ENDED:
            self._ended[event.leg] = health
            self._say_who_ended()
        else:
            self._emit(health)

    def _say_who_ended(self) -> None:
        for leg in [leg for leg in self._ended if self._speech.is_settled(leg)]:
            self._emit(self._ended.pop(leg))

    def _mind_backlog(self) -> None:
        """Wake who waits for work, and hold who can wait while there is too much of it."""
        waiting = self._speech.backlog
        (self._work.set if waiting.waiting else self._work.clear)()
        (self._room.set if waiting.has_room else self._room.clear)()

    # --- recognizer: it sees the service as its `Source` ---

    async def next_utterance(self) -> Utterance:
        """Await the oldest utterance that waits."""
        while True:
            await self._work.wait()
            utterance = self._speech.take()
            self._mind_backlog()
            if utterance is not None:
                return utterance

    def on_result(self, utterance: Utterance, result: Result, queue_ms: int) -> None:
        """Publish what became of it."""
        if isinstance(result, Recognized):
            self._pace = pace.recognized(self._pace, took_ms=result.took_ms, audio_ms=utterance.duration_ms)
        self._speech.finish(utterance, result, queue_ms)
        self._say_who_ended()

    def on_health(self, new: HealthState, *, model: str | None, detail: str, hint: str) -> None:
        """Publish the recognizer's state."""
        self._state = replace(self._state, model=model)
        self._emit(Health(part=HealthPart.STT, state=new, device=model or "", detail=detail, hint=hint))

    # --- signs of life, and the switch ---

    async def _beat(self) -> None:
        while True:
            self._publisher.update(self._heartbeat())
            await asyncio.sleep(HEARTBEAT_S)

    def _heartbeat(self) -> Heartbeat:
        waiting = self._speech.backlog
        return Heartbeat(
            backlog=len(waiting.waiting),
            backlog_ms=waiting.queued_ms,
            rtf=None if self._pace.rtf is None else round(self._pace.rtf, 3),
            xruns=sum(self._xruns.values()),
            level_dbfs=self._speech.levels_dbfs(),
            uptime_ms=self._clock.monotonic_ms() - self._started_ms,
        )

    async def _watch_switch(self) -> None:
        while True:
            muted = not self._listening.is_on()
            if muted != self._state.muted:
                self._mute(muted)
            await asyncio.sleep(POLL_S)

    def _mute(self, muted: bool) -> None:
        """Stop or go on listening; what was said before is still recognized."""
        self._state = replace(self._state, muted=muted)
        for leg in self._legs:
            if muted:
                self._speech.end(leg.channel)
            leg.set_muted(muted)
        self._mind_backlog()
        log.info("listening: %s", "off" if muted else "on")
