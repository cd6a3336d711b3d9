"""A scripted assistant: the real request server on a real socket with canned answers.

async with FakeAssistant(runtime_dir) as assistant:
    assistant.answers[Listen] = Error(code="write_failed", message="disk full")
    ...
    await assistant.asked(Subscribe)
    assistant.play(said("hello"))
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType

from hearing import __version__, paths
from hearing.clock import Clock, SystemClock
from hearing.messages import control
from hearing.messages.common import PROTO, Error, Event, Health, Hello, Message, Transcript, Update
from hearing.protocol import REQUESTS
from hearing.testing.daemon import LISTENING, READY
from hearing.transport.connection import Limits
from hearing.transport.listen import claim
from hearing.transport.server import Client, RequestServer
from hearing.types import Channel

Canned = control.Answer | Error | Callable[[control.ControlRequest], "control.Answer | Error"]

HEALTHY = control.SttStatus(connected=True, healthy=True, model="tiny.en")
NO_DAEMON = control.SttStatus(
    connected=False, healthy=False, detail="no daemon is running", hint="start it with `hearing up`"
)


class FakeAssistant:
    """An assistant without a daemon.

    Attributes:
        requests: What it was asked, oldest first.
        answers: What it says to each kind of request; a function may look at the request. None: no word.
        stt: The daemon as its snapshot and status show it.
        health: The health its snapshot and status show.
    """

    def __init__(
        self,
        runtime_dir: str | Path,
        *,
        boot_id: str = "assistant-1",
        clock: Clock | None = None,
        stt: control.SttStatus = HEALTHY,
        health: Sequence[Health] = (LISTENING, READY),
        proto: int = PROTO,
        limits: Limits | None = None,
    ) -> None:
        self.requests: list[control.ControlRequest] = []
        self.stt = stt
        self.health = list(health)
        self.answers: dict[type[control.Request], Canned | None] = {
            control.Subscribe: control.Ack(command="subscribe"),
            control.StatusGet: lambda _request: self.status(),
            control.Listen: control.Ack(command="listen"),
            control.TranscriptGet: lambda request: control.TranscriptText(
                format=getattr(request, "format", control.TranscriptFormat.TXT), text="", segments=0
            ),
            control.Clear: control.Ack(command="clear"),
            control.SpeakerListGet: control.SpeakerList(speakers=[]),
        }
        self._path = Path(runtime_dir) / paths.ASSISTANT_SOCKET
        self._hello = Hello(
            server="hearing-assistant", version=__version__, pid=os.getpid(), boot_id=boot_id, proto=proto
        )
        self._clock = clock or SystemClock()
        self._limits = limits
        self._server: RequestServer[control.ControlRequest] | None = None
        self._news = asyncio.Condition()
        self._telling: set[asyncio.Task[None]] = set()

    @property
    def server(self) -> RequestServer[control.ControlRequest]:
        """Give the real server; only while started."""
        assert self._server is not None, "the fake assistant is not started"
        return self._server

    async def start(self) -> None:
        """Claim the socket and accept."""
        self._server = RequestServer(
            claim(self._path),
            self._hello,
            clock=self._clock,
            dialect=REQUESTS,
            handle=self._handle,
            keep=lambda message: isinstance(message, Transcript),
            limits=self._limits,
        )
        await self._server.start()

    async def stop(self) -> None:
        """Close every connection and remove the socket."""
        await self.server.stop()
        self._server = None
        await asyncio.gather(*self._telling)

    async def __aenter__(self) -> "FakeAssistant":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            await self.stop()

    async def asked(
        self, kind: type[control.Request], *, times: int = 1, timeout_s: float = 10.0
    ) -> control.ControlRequest:
        """Wait until a request of this kind has come, `times` of them in all, and give the newest."""
        async with asyncio.timeout(timeout_s), self._news:
            await self._news.wait_for(lambda: len(self._of(kind)) >= times)
        return self._of(kind)[-1]

    def play(self, messages: Iterable[Message]) -> None:
        """Send each message to every subscriber at once: events numbered, updates conflated."""
        for message in messages:
            if isinstance(message, Event):
                self.server.publish(message)
            elif isinstance(message, Update):
                self.server.update(message)
            else:
                raise TypeError(f"an assistant never broadcasts a `{type(message).__name__}`")

    def heartbeat(
        self, *, seg: int = 0, inf: int = 0, busy: bool = False, level_dbfs: float | None = -42.0
    ) -> None:
        """Send one sign of life."""
        self.server.update(
            control.Heartbeat(seg=seg, inf=inf, busy=busy, level_dbfs={Channel.MIC: level_dbfs})
        )

    @contextlib.asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Send a sign of life a second, as a living assistant does; without one a viewer calls it silent."""
        beat = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)

    def status(self) -> control.Status:
        """Give the state as `status` answers it."""
        return control.Status(
            mode=control.Mode.IDLE,
            stt=self.stt,
            llm=None,
            queue=control.QueueDepth(),
            chat_capture=False,
            triage_chat=False,
            viewers=self.server.viewers,
            session=None,
            uptime_ms=61_000,
            health=self.health,
        )

    def snapshot(self) -> control.Snapshot:
        """Give the state as a new subscriber is sent it."""
        return control.Snapshot(
            mode=control.Mode.IDLE,
            command_text="",
            queue=control.QueueDepth(),
            chat_capture=False,
            triage_chat=False,
            health=self.health,
            speakers=[],
            last_seq=self.server.last_seq,
            stt=self.stt,
        )

    def _of(self, kind: type[control.Request]) -> list[control.ControlRequest]:
        return [request for request in self.requests if isinstance(request, kind)]

    def _handle(self, client: Client, request: control.ControlRequest) -> None:
        self.requests.append(request)
        task = asyncio.ensure_future(self._tell())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        canned = self.answers[type(request)]
        if canned is None:
            return
        answer = canned(request) if callable(canned) else canned
        client.answer(request, answer)
        if isinstance(answer, control.Ack):
            self._follow(client, request)

    def _follow(self, client: Client, request: control.ControlRequest) -> None:
        """Do what comes after an `ack`."""
        if isinstance(request, control.Subscribe):
            client.viewer, client.name = request.viewer, request.name
            client.subscribe([self.snapshot()])
        elif isinstance(request, control.Clear):
            self.server.publish(control.Cleared())

    async def _beat(self) -> None:
        while True:
            self.heartbeat()
            await asyncio.sleep(1.0)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()
