"""A whole stack, run from here until it has ended: signals, children, and whoever watches them."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from hearing.clock import SystemClock
from hearing.errors import ExitCode
from hearing_cli.up.children import Children
from hearing_cli.up.console import Console
from hearing_cli.up.events import Event, Role, Stop
from hearing_cli.up.loop import Supervisor
from hearing_cli.up.plan import new_stack
from hearing_cli.up.policy import Policy
from hearing_cli.up.programs import Program
from hearing_cli.up.terminal import Terminal

_REASONS: Final = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "asked to",
    signal.SIGHUP: "the terminal is gone",
    signal.SIGQUIT: "quit",
}

Companion = Callable[[Callable[[Event], None]], Awaitable[None]]
"""Something that runs beside the stack, given the supervisor's `post`; cancelled when the stack ends."""


async def run_stack(
    programs: Mapping[Role, Program],
    *,
    console: Console,
    terminal: Terminal | None = None,
    companion: Companion | None = None,
    policy: Policy | None = None,
) -> int:
    """Start the programs in order, keep them alive, stop them in reverse; give the exit status.

    INT, TERM, HUP and QUIT stop the stack, a second INT kills it. However this ends, no child is left and
    the terminal is as it was.
    """
    supervisor = Supervisor(new_stack(*programs), clock=SystemClock(), policy=policy)
    loop = asyncio.get_running_loop()
    for signum, reason in _REASONS.items():  # before the first child: none is ever started unwatched
        loop.add_signal_handler(signum, supervisor.post, Stop(reason, hurries=signum == signal.SIGINT))
    children = Children(programs, supervisor.post, console, terminal)
    beside = asyncio.ensure_future(_beside(companion, supervisor.post))
    exit_code: int = ExitCode.INTERNAL
    try:
        exit_code = await supervisor.run(children)
    finally:
        beside.cancel()
        await children.close()
        console.finish(exit_code)
        for signum in _REASONS:
            loop.remove_signal_handler(signum)
    with contextlib.suppress(asyncio.CancelledError):
        await beside  # a fault of its own, which stopped the stack, is raised here
    return exit_code


async def _beside(companion: Companion | None, post: Callable[[Event], None]) -> None:
    if companion is None:
        return
    try:
        await companion(post)
    except BaseException:  # also when it is cancelled, but then nobody listens any more
        post(Stop("internal fault"))
        raise
