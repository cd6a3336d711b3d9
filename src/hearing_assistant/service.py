"""The assistant's loop: whatever happens passes `take`, is decided by pure files, and is acted on here."""

import asyncio
import logging
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearing import __version__, paths
from hearing.clock import Clock, SystemClock
from hearing.config import AssistantConfig
from hearing.messages import control
from hearing.messages.common import Event, Hello, Transcript, Update
from hearing.protocol import REQUESTS
from hearing.transport.connection import Limits
from hearing.transport.listen import claim
from hearing.transport.server import Client, RequestServer
from hearing_assistant.daemon_link import HEARTBEAT_S, DaemonLink
from hearing_assistant.hearing_facts import Effect, Heard, HearingState, Incoming, Muted, NewTimeline
from hearing_assistant.hearing_state import step
from hearing_assistant.listening import ListeningFile
from hearing_assistant.requests import reply_to
from hearing_assistant.transcripts import Transcripts

BEAT_S: Final = 1.0
_NAME_CHARS: Final = 80

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A client asks; the answer is owed."""

    client: Client
    request: control.ControlRequest


@dataclass(frozen=True, slots=True)
class Beat:
    """About a second has passed."""


Happening = Incoming | Asked | Beat


class Service:
    """One assistant on one runtime folder.

    Args:
        runtime_dir: The folder of the sockets.
        config: What to keep.
        clock: Stamps and ages; injected by tests.
        heartbeat_s: After how long without a heartbeat the daemon counts as hung.
        limits: What one client may cost.

    Raises:
        AlreadyRunningError: Another assistant serves the folder.
        RuntimeDirError: The socket cannot be made.
    """

    def __init__(
        self,
        runtime_dir: str | Path,
        config: AssistantConfig,
        *,
        clock: Clock | None = None,
        heartbeat_s: float = HEARTBEAT_S,
        limits: Limits | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._started_ms = self._clock.monotonic_ms()
        self._listening = ListeningFile(runtime_dir)
        self._link = DaemonLink(runtime_dir, self.take, heartbeat_s=heartbeat_s)
        self.hearing = HearingState(muted=self._listening.muted())
        self.transcripts = Transcripts(config.transcript_segments)
        self._server: RequestServer[control.ControlRequest] = RequestServer(
            claim(Path(runtime_dir) / paths.ASSISTANT_SOCKET),
            Hello(
                server="hearing-assistant",
                version=__version__,
                pid=os.getpid(),
                boot_id=secrets.token_hex(8),
            ),
            clock=self._clock,
            dialect=REQUESTS,
            handle=lambda client, request: self.take(Asked(client, request)),
            keep=lambda message: isinstance(message, Transcript),
            limits=limits,
        )

    async def run(self, stop: asyncio.Event) -> None:
        """Serve until `stop` is set."""
        await self._server.start()
        _log.info("serving, pid %d", os.getpid())
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(self._link.run()), tasks.create_task(self._beat())]
                await stop.wait()
                for task in running:
                    task.cancel()
        finally:
            await self._server.stop()

    def take(self, happening: Happening) -> None:
        """Take anything that happens: the one waist of this process."""
        if isinstance(happening, Asked):
            self._answer(happening.client, happening.request)
        elif isinstance(happening, Beat):
            self._hear(Muted(self._listening.muted()))
            self._server.update(self._heartbeat())
        else:
            self._hear(happening)

    # --- what handlers may look at ---

    @property
    def last_seq(self) -> int:
        """Give the number of the newest event."""
        return self._server.last_seq

    @property
    def viewers(self) -> int:
        """Count the clients through which a person watches."""
        return self._server.viewers

    @property
    def uptime_ms(self) -> int:
        """Say how long this process serves."""
        return self._clock.monotonic_ms() - self._started_ms

    def set_listening(self, *, on: bool) -> None:
        """Write down what was asked; the daemon reads it within half a second.

        Raises:
            OSError: It could not be written.
        """
        self._listening.write(on=on)

    # --- acting ---

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            self.take(Beat())

    def _answer(self, client: Client, request: control.ControlRequest) -> None:
        reply = reply_to(self, request)
        client.answer(request, reply.answer)
        if isinstance(request, control.Subscribe):
            client.viewer, client.name = request.viewer, request.name[:_NAME_CHARS]
            client.subscribe(reply.greeting)
            self._server.update(control.Queue(depth=0, busy=False))
        for event in reply.events:
            self._server.publish(event)
        if isinstance(request, control.Listen):
            self._hear(Muted(self._listening.muted()))

    def _hear(self, incoming: Incoming) -> None:
        before = self.hearing.contact
        self.hearing, effects = step(self.hearing, incoming)
        if self.hearing.contact is not before:
            _log.info("daemon: %s, was %s", self.hearing.contact, before)
        self._act(effects)

    def _act(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Heard):
                self.transcripts.add(self._server.publish(effect.transcript))
            elif isinstance(effect, NewTimeline):
                self.transcripts.new_timeline()
            elif isinstance(effect, Event):
                self._server.publish(effect)
            elif isinstance(effect, Update):
                self._server.update(effect)

    def _heartbeat(self) -> control.Heartbeat:
        return control.Heartbeat(
            seg=self.hearing.backlog, inf=0, busy=False, level_dbfs=self.hearing.level_dbfs
        )
