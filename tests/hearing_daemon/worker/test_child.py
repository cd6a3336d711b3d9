"""The parent's handle on a worker that has gone mad."""

import asyncio
import sys

import pytest

from hearing_daemon.worker.child import Child, WorkerDiedError

DEADLINE_S = 20.0


async def test_a_worker_that_floods_its_pipe_with_nonsense_is_killed_at_once() -> None:
    code = "import sys\nwhile True: sys.stdout.buffer.write(b'\\xff' * 65_536)"
    async with asyncio.timeout(DEADLINE_S):
        child = await Child.spawn([sys.executable, "-c", code])
        with pytest.raises(WorkerDiedError, match="spoke nonsense"):
            await child.greeting(DEADLINE_S)
        while not getattr(child._process.stdout, "_paused", True):  # its buffers are full
            await asyncio.sleep(0.01)
        await child.kill()
    assert child.exit.done()
