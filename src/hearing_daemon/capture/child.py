"""The daemon's end of a capture child: starts it, reads its frames, and makes sure that it dies."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hearing.errors import AudioError
from hearing.interfaces import CaptureStatus
from hearing.process import PARENT_PID_VARIABLE
from hearing.types import Channel
from hearing_daemon.capture import framing, options, parec_talk
from hearing_daemon.capture.spec import Source, StdinSource

if TYPE_CHECKING:
    from hearing.interfaces import Samples

_READ_BYTES = 1 << 14
_LAST_WORDS = 5  # lines of stderr kept to explain a death


def argv(source: Source, leg: Channel) -> list[str]:
    """Write the command of the capture child of a leg."""
    own = [sys.executable, "-m", "hearing_daemon.capture", "--leg", leg]
    return own + options.child_arguments(source)


class ChildSource:
    """A `CaptureSource` that lives in a process of its own, killed without asking when it is closed."""

    def __init__(self, source: Source, leg: Channel, *, command: Sequence[str] | None = None) -> None:
        self._source = source
        self._argv = list(command or argv(source, leg))
        self._process: asyncio.subprocess.Process | None = None
        self._errors: asyncio.Task[None] | None = None
        self._complaint: AudioError | None = None
        self._reads = False  # somebody waits for the child's next bytes
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)

    @property
    def pid(self) -> int | None:
        """Give the child's process id while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process and running else None

    def describe(self) -> str:
        """Name what it listens to."""
        return self._source.name

    async def blocks(self) -> AsyncGenerator[Samples | CaptureStatus]:
        """Start the child and give its sound until it says `end`; its pipe is the only buffer.

        Raises:
            AudioError: It said why it gives up, or died without a word.
        """
        child = await self._start()
        assert child.stdout is not None
        decoder = framing.Decoder()
        while (data := await self._read(child.stdout)) and self._complaint is None:
            for frame in decoder.feed(data):
                match frame:
                    case framing.Pcm(pcm):
                        yield np.frombuffer(pcm, "<i2").astype(np.int16, copy=False)
                    case CaptureStatus():
                        yield frame
                    case framing.Failure(sentence, hint):
                        raise AudioError(sentence, hint=hint)
                    case framing.End():
                        return
        raise await self._why_it_died(child)

    async def close(self) -> None:
        """Kill the child and wait until it is gone; safe to call twice."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
        if self._process is not None:
            await self._gone(self._process)
        if self._errors is not None:
            await self._errors

    async def _read(self, stdout: asyncio.StreamReader) -> bytes:
        self._reads = True
        try:
            return await stdout.read(_READ_BYTES)
        finally:
            self._reads = False

    async def _gone(self, child: asyncio.subprocess.Process) -> int:
        """Wait until it has ended; asyncio says so only after its last byte, which a full pipe holds back."""
        assert child.stdout is not None
        while not self._reads and await self._read(child.stdout):
            pass
        return await child.wait()

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv,
                stdin=None if isinstance(self._source, StdinSource) else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is the daemon's to handle
                env={**os.environ, PARENT_PID_VARIABLE: str(os.getpid())},
            )
        except OSError as error:
            raise AudioError(f"capture child cannot be started: {error.strerror}") from None
        self._errors = asyncio.create_task(self._drain(self._process))
        return self._process

    async def _drain(self, child: asyncio.subprocess.Process) -> None:
        """Keep the child's stderr from filling up, and its last lines."""
        assert child.stderr is not None
        lines = parec_talk.Lines()
        while data := await child.stderr.read(_READ_BYTES):
            for line in lines.feed(data):
                if complaint := parec_talk.complaint(line):
                    self._complaint = complaint
                    child.kill()
                elif not parec_talk.is_chatter(line):
                    self._last_words.append(line)

    async def _why_it_died(self, child: asyncio.subprocess.Process) -> AudioError:
        status = await self._gone(child)
        if self._errors is not None:
            await self._errors
        said = f": {self._last_words[-1]}" if self._last_words else ""
        how = f"was killed by signal {-status}" if status < 0 else f"exited with status {status}"
        return self._complaint or AudioError(f"capture child {how}{said}")
