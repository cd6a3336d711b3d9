"""The parent's handle on one worker process: spawn, ask, kill. It never outlives its owner."""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Sequence
from typing import Final

import msgspec

from hearing.process import PARENT_PID_VARIABLE
from hearing_daemon.worker.wire import LENGTH, MAX_BYTES, Answer, Job, packed, unpacked_answer

STDERR_LINES: Final = 20
_STDERR_LINE_CHARS: Final = 300
_READ_BYTES: Final = 1 << 16
THREADING: Final = {"OPENBLAS_NUM_THREADS": "1"}
"""numpy's helper threads spin for as long as a short decode takes: `docs/studies/short-window.md`."""


class WorkerDiedError(Exception):
    """The worker ended, hung or spoke nonsense; the text says which."""


class Child:
    """One running worker.

    Attributes:
        pid: Its process id.
        last_words: Its newest lines on stderr, drained so that it never blocks on them.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid
        self.last_words: deque[str] = deque(maxlen=STDERR_LINES)
        self._drain = asyncio.create_task(self._drain_stderr())
        self._exit = asyncio.create_task(process.wait())

    @classmethod
    async def spawn(cls, argv: Sequence[str]) -> "Child":
        """Start a worker that dies with us.

        Raises:
            WorkerDiedError: It cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**THREADING, **os.environ, PARENT_PID_VARIABLE: str(os.getpid())},
            )
        except OSError as error:
            raise WorkerDiedError(f"cannot be started: {error.strerror}") from None
        return cls(process)

    @property
    def exit(self) -> "asyncio.Task[int]":
        """Give the task that ends with the process; shield it."""
        return self._exit

    async def ask(self, job: Job, timeout_s: float) -> Answer:
        """Send a job and await its answer.

        Raises:
            WorkerDiedError: None came in time.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(packed(job))
            async with asyncio.timeout(timeout_s):
                await self._process.stdin.drain()
                return await self._read()
        except (BrokenPipeError, ConnectionResetError):
            raise WorkerDiedError(await self._how_it_ended()) from None
        except TimeoutError:
            raise WorkerDiedError(f"gave no answer for {timeout_s:.0f} s") from None

    async def greeting(self, timeout_s: float) -> Answer:
        """Await the first message.

        Raises:
            WorkerDiedError: None came in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await self._read()
        except TimeoutError:
            raise WorkerDiedError(f"was not ready after {timeout_s:.0f} s") from None

    async def kill(self) -> None:
        """End it, whatever it does, and give its pipes back."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        while await self._process.stdout.read(_READ_BYTES):
            pass  # asyncio tells of its end only after its last byte, which a full pipe holds back
        await self._exit
        self._process.stdin.close()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            await self._process.stdin.wait_closed()
        await self._drain

    async def _read(self) -> Answer:
        assert self._process.stdout is not None
        try:
            (length,) = LENGTH.unpack(await self._process.stdout.readexactly(LENGTH.size))
            if length > MAX_BYTES:
                raise WorkerDiedError("spoke nonsense")
            return unpacked_answer(await self._process.stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            raise WorkerDiedError(await self._how_it_ended()) from None
        except msgspec.MsgspecError:
            raise WorkerDiedError("spoke nonsense") from None

    async def _how_it_ended(self) -> str:
        """Wait for a process that closed its pipes; one that stays is killed by whoever hears of it."""
        try:
            async with asyncio.timeout(1.0):
                code = await asyncio.shield(self._exit)
        except TimeoutError:
            return "closed its pipes"
        return f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"

    async def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(4_096):
            for line in chunk.decode("utf-8", "replace").splitlines():
                self.last_words.append(line[:_STDERR_LINE_CHARS])
