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
        stdout = child._process.stdout
        while not getattr(stdout, "_paused", True):  # noqa: ASYNC110 - asyncio has no event for full buffers
            await asyncio.sleep(0.01)
        await child.kill()
    assert child.exit.done()
