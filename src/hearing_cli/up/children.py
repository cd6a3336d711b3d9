"""The processes of the stack: started, asked, drained, killed and reaped; what happens becomes events."""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hearing.errors import AlreadyRunningError
from hearing.messages.common import Hello
from hearing.transport.listen import read_hello
from hearing_cli.up import events as ev
from hearing_cli.up.console import LAST_LINES, Console
from hearing_cli.up.events import Effect, Event, Role, Timer
from hearing_cli.up.programs import Program, start
from hearing_cli.up.ring import Ring
from hearing_cli.up.terminal import Terminal

_log = logging.getLogger(__name__)

_FIRST_POLL_S: Final = 0.02
_LONGEST_POLL_S: Final = 0.25
_WATCH_S: Final = 1.0
_PIPE_BYTES: Final = 64 * 1024
_CANNOT_START: Final = 127  # what a shell says of a program it cannot start


@dataclass(slots=True)
class _Alive:
    process: "subprocess.Popen[bytes]"
    life: int
    asking: "asyncio.Task[None] | None" = None  # until it is ready


_TIMER_EVENTS: Final[dict[Timer, type[ev.ChildEvent]]] = {
    Timer.READY: ev.Late,
    Timer.RETRY: ev.Retry,
    Timer.GRACE: ev.GraceOver,
}


class Children:
    """Carries the plan's effects out; must be made inside the running loop, on the main thread.

    Args:
        programs: What there is to start.
        post: Takes what happened.
        console: Hears what the children write.
        terminal: Where a child without a socket draws.
    """

    def __init__(
        self,
        programs: Mapping[Role, Program],
        post: Callable[[Event], None],
        console: Console,
        terminal: Terminal | None = None,
    ) -> None:
        self._programs = programs
        self._post = post
        self._console = console
        self._terminal = terminal
        self._alive: dict[Role, _Alive] = {}
        self._rings: dict[Role, Ring] = {role: Ring() for role in programs}
        self._tasks: set[asyncio.Task[None]] = set()
        self._timers: list[asyncio.TimerHandle] = []
        self._loop = asyncio.get_running_loop()
        self._lifetime_fd, self._held_fd = os.pipe()  # our end closes when we die, however we die
        self._loop.add_signal_handler(signal.SIGCHLD, self._reap)
        self._doers: dict[type[Effect], Callable[[Any], None]] = {
            ev.Look: self._look,
            ev.Spawn: self._spawn,
            ev.Watch: self._watch,
            ev.Terminate: lambda child: self._signal(child.role, signal.SIGTERM),
            ev.Kill: lambda child: self._signal(child.role, signal.SIGKILL),
            ev.SetTimer: self._set_timer,
            ev.Tell: lambda tell: console.tell(tell.line),
            ev.ShowLastLines: lambda child: console.last_lines(
                child.role, self._rings[child.role].last(LAST_LINES)
            ),
        }

    def do(self, effect: Effect) -> None:
        """Start what the effect asks for."""
        self._doers[type(effect)](effect)

    async def close(self) -> None:
        """Kill whatever still lives, and let go of everything; after a clean stop nothing lives."""
        self._loop.remove_signal_handler(signal.SIGCHLD)
        for role in reversed(tuple(self._alive)):
            self._signal(role, signal.SIGKILL)
            self._bury(role, self._alive[role].process.wait())
        for timer in self._timers:
            timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        os.close(self._lifetime_fd)
        os.close(self._held_fd)

    # --- starting ---

    def _look(self, look: ev.Look) -> None:
        self._start_task(self._ask(look))

    async def _ask(self, look: ev.Look) -> None:
        try:
            hello = await self._hello(look.role)
        except AlreadyRunningError as error:
            self._post(ev.Occupied(look.role, look.life, error.sentence))
            return
        if hello is None:
            self._post(ev.Absent(look.role, look.life))
        else:
            self._post(ev.Found(look.role, look.life, hello.pid))

    async def _hello(self, role: Role) -> Hello | None:
        socket = self._programs[role].socket
        assert socket is not None, f"`{role}` has no socket"
        return await asyncio.to_thread(read_hello, socket)

    def _spawn(self, spawn: ev.Spawn) -> None:
        role, program = spawn.role, self._programs[spawn.role]
        self._rings[role] = Ring()
        try:
            process = self._start(program)
        except OSError as error:
            self._heard(role, self._rings[role].feed(f"cannot start: {error.strerror}\n".encode()))
            self._post(ev.Exited(role, spawn.life, _CANNOT_START))
            return
        self._alive[role] = _Alive(process, spawn.life)
        if process.stdout is not None:
            os.set_blocking(process.stdout.fileno(), False)
            self._loop.add_reader(process.stdout.fileno(), self._drain, role)
        if program.socket is None:
            self._post(ev.Ready(role, spawn.life, process.pid))
        else:
            self._alive[role].asking = self._start_task(self._await_ready(role, spawn.life, process.pid))

    def _start(self, program: Program) -> "subprocess.Popen[bytes]":
        if program.socket is None:
            self._console.take_screen()
        terminal_fd = self._terminal.fd if self._terminal is not None else None
        return start(program, lifetime_fd=self._lifetime_fd, terminal_fd=terminal_fd)

    async def _await_ready(self, role: Role, life: int, pid: int) -> None:
        """Ask until our own process answers; whoever else answers makes ours end by itself."""
        pause_s = _FIRST_POLL_S
        while True:
            with contextlib.suppress(AlreadyRunningError):  # it accepts and does not greet yet
                hello = await self._hello(role)
                if hello is not None and hello.pid == pid:
                    break
            await asyncio.sleep(pause_s)
            pause_s = min(_LONGEST_POLL_S, pause_s * 1.5)
        self._post(ev.Ready(role, life, pid))

    def _watch(self, watch: ev.Watch) -> None:
        try:
            os.kill(watch.pid, 0)
        except ProcessLookupError:
            self._post(ev.Vanished(watch.role, watch.life))
        else:
            self._later(_WATCH_S, self._watch, watch)

    # --- ending ---

    def _signal(self, role: Role, signum: int) -> None:
        """Signal a child; SIGKILL goes to its whole group, where it has one of its own."""
        alive = self._alive.get(role)
        if alive is None or alive.process.poll() is not None:
            return  # it has ended; `_reap` says so
        if signum == signal.SIGKILL and self._programs[role].socket is not None:
            _kill_group(alive.process.pid)
        else:
            alive.process.send_signal(signum)

    def _reap(self) -> None:
        """See who has ended; one SIGCHLD may stand for several."""
        for role, alive in tuple(self._alive.items()):
            code = alive.process.poll()
            if code is not None:
                self._bury(role, code)
                self._post(ev.Exited(role, alive.life, code))

    def _bury(self, role: Role, code: int) -> None:
        """Clear up after a child: its group, its last words, the screen it drew on."""
        alive = self._alive[role]
        if self._programs[role].socket is not None:
            _kill_group(alive.process.pid)  # what it started and did not end
        if alive.process.stdout is not None:
            self._drain(role)
            self._heard(role, self._rings[role].end())
            self._loop.remove_reader(alive.process.stdout.fileno())
            alive.process.stdout.close()
        else:
            if self._terminal is not None:
                self._terminal.restore(killed=code < 0)
            self._console.give_screen_back()
        if alive.asking is not None:
            alive.asking.cancel()
        del self._alive[role]

    # --- the rest ---

    def _drain(self, role: Role) -> None:
        process = self._alive[role].process
        assert process.stdout is not None
        try:
            data = os.read(process.stdout.fileno(), _PIPE_BYTES)
        except BlockingIOError:
            return
        if not data:  # it closed its output and may live on
            self._loop.remove_reader(process.stdout.fileno())
        self._heard(role, self._rings[role].feed(data))

    def _heard(self, role: Role, lines: list[str]) -> None:
        for line in lines:
            self._console.child_line(role, line)

    def _set_timer(self, timer: ev.SetTimer) -> None:
        event = _TIMER_EVENTS[timer.timer](timer.role, timer.life)
        self._later(timer.delay_ms / 1000, self._post, event)

    def _later(self, delay_s: float, call: Callable[..., None], *args: object) -> None:
        now = self._loop.time()
        self._timers = [timer for timer in self._timers if timer.when() > now and not timer.cancelled()]
        self._timers.append(self._loop.call_later(delay_s, call, *args))

    def _start_task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)
        return task

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("unforeseen", exc_info=task.exception())
            self._post(ev.Stop("internal fault"))


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says EPERM of a dead group
        os.killpg(pid, signal.SIGKILL)
