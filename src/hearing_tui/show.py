"""Running the app so that the terminal is always given back: signals, crashes, the parent's death."""

import asyncio
import signal
from pathlib import Path
from typing import Final

from hearing.errors import ExitCode
from hearing.process import on_parent_death
from hearing_tui.app import HearingApp
from hearing_tui.driver import SteadyDriver
from hearing_tui.link import control_link

_LEAVE: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def show(runtime_dir: Path, theme: str) -> int:
    """Draw what the assistant behind `runtime_dir` tells, until the user leaves; give the exit status.

    Raises:
        ConfigError: There is no such theme.
        Exception: What crashed the app, after the terminal was restored.
    """
    return asyncio.run(run(HearingApp(control_link(runtime_dir, viewer=True, name="tui"), theme=theme)))


async def run(app: HearingApp) -> int:
    """Run an app until the user leaves or a signal asks for it."""
    loop = asyncio.get_running_loop()
    for signum in _LEAVE:  # before the terminal is touched: Textual restores it on SIGINT alone
        loop.add_signal_handler(signum, app.exit)
    on_parent_death(loop, app.exit)
    app.driver_class = SteadyDriver
    await app.run_async()
    if app.crash is not None:
        raise app.crash
    return ExitCode.OK if not app.return_code else ExitCode.INTERNAL
