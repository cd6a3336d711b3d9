"""The way to the daemon: reconnects for ever and says when its heartbeat stays away."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hearing import paths
from hearing.messages import daemon
from hearing.protocol import DAEMON
from hearing.transport.client import Down, Link, Silent, Up
from hearing_assistant.hearing_facts import Gone, Hung, Incoming, Rebooted

HEARTBEAT_S: Final = 5.0


class DaemonLink:
    """Turns one daemon's socket into messages and facts, each given to `take`.

    Args:
        runtime_dir: The folder of the sockets.
        take: Called with each, in order, from the loop.
        heartbeat_s: After how long without a heartbeat the daemon counts as hung.
    """

    def __init__(
        self, runtime_dir: str | Path, take: Callable[[Incoming], None], *, heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        # not the link's own watch: that one is content with any byte
        self._link: Link[daemon.DaemonMessage] = Link(
            Path(runtime_dir) / paths.DAEMON_SOCKET, DAEMON, silence_s=None
        )
        self._take = take
        self._heartbeat_s = heartbeat_s
        self._watch: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Stay connected until cancelled."""
        try:
            async for item in self._link.stream():
                self._on_item(item)
        finally:
            self._unwatch()

    def _on_item(self, item: daemon.DaemonMessage | Up | Down | Silent) -> None:
        if isinstance(item, Up):
            self._rewatch()
            if item.new_boot:
                self._take(Rebooted())
        elif isinstance(item, Down):
            self._unwatch()
            self._take(Gone(item.reason))
        elif not isinstance(item, Silent):
            if isinstance(item, daemon.Heartbeat):
                self._rewatch()
            self._take(item)

    def _rewatch(self) -> None:
        self._unwatch()
        self._watch = asyncio.get_running_loop().call_later(self._heartbeat_s, self._hung)

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _hung(self) -> None:
        self._watch = None
        self._take(Hung(self._heartbeat_s))
