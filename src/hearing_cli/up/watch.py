"""The daemon's state in a line each, for `hearing up` without a screen."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, TextIO

from hearing import paths
from hearing.messages import daemon
from hearing.messages.common import Health, HealthPart, HealthState
from hearing.protocol import DAEMON
from hearing.safe_text import safe_line
from hearing.transport.client import Link
from hearing_cli.up.events import Event

_POLL_S: Final = 0.25

_SENTENCES: Final = {
    HealthState.STARTING: "{part}: opening {device}",
    HealthState.LISTENING: "{part}: listening on {device}",
    HealthState.QUIET: "{part}: quiet on {device}",
    HealthState.NO_SIGNAL: "{part}: {device} gives only silence",
    HealthState.NO_DEVICE: "{part}: no device",
    HealthState.DEGRADED: "{part}: sound is being lost on {device}",
    HealthState.REOPENING: "{part}: opening {device} again",
    HealthState.MUTED: "{part}: muted, the device is closed",
    HealthState.ENDED: "{part}: {device} has ended",
    HealthState.LOADING: "model loading",
    HealthState.READY: "model ready",
    HealthState.RESTARTING: "model restarting",
    HealthState.NO_MODEL: "no model",
    HealthState.FAILED: "{part}: {device} failed",
    HealthState.REMOTE: "recognition by a server",
}

_NAMELESS: Final = {
    HealthPart.MIC: "the device",
    HealthPart.SYSTEM: "the device",
    HealthPart.STT: "the recognizer",
}


async def watch_daemon(runtime_dir: Path, stream: TextIO, _post: Callable[[Event], None]) -> None:
    """Print the daemon's health as it changes, for ever; cancel to stop."""
    link: Link[daemon.DaemonMessage] = Link(runtime_dir / paths.DAEMON_SOCKET, DAEMON, sleep=_soon)
    said: dict[HealthPart, str] = {}
    async with contextlib.aclosing(link.stream()) as messages:
        async for message in messages:
            for health in _healths(message):
                line = sentence(health)
                if said.get(health.part) != line:
                    said[health.part] = line
                    with contextlib.suppress(OSError):
                        print(line, file=stream, flush=True)


def sentence(health: Health) -> str:
    """Say a state in a line, with what is wrong and what to do about it."""
    device = safe_line(health.device) or _NAMELESS[health.part]
    line = "hearing: " + _SENTENCES[health.state].format(part=health.part, device=device)
    if health.detail:
        line += f" ({safe_line(health.detail)})"
    return f"{line}; hint: {safe_line(health.hint)}" if health.hint else line


def _healths(message: object) -> list[Health]:
    match message:
        case daemon.Snapshot(health=health):
            return list(health)
        case Health():
            return [message]
        case _:
            return []


async def _soon(_delay_s: float) -> None:
    await asyncio.sleep(_POLL_S)
