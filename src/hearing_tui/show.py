"""Running the app so that the terminal is always given back: signals, crashes, the parent's death."""

import asyncio
import signal
from typing import Final

from hearing.errors import ExitCode
from hearing.process import on_parent_death
from hearing_tui.app import HearingApp

_LEAVE: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def show(app: HearingApp) -> int:
    """Run until the user leaves or a signal asks for it; give the exit status.

    Raises:
        Exception: What crashed the app, after the terminal was restored.
    """
    return asyncio.run(_show(app))


async def _show(app: HearingApp) -> int:
    loop = asyncio.get_running_loop()
    for signum in _LEAVE:  # before the terminal is touched: Textual restores it on SIGINT alone
        loop.add_signal_handler(signum, app.exit)
    on_parent_death(loop, app.exit)
    await app.run_async()
    if app.crash is not None:
        raise app.crash
    return ExitCode.OK if not app.return_code else ExitCode.INTERNAL
