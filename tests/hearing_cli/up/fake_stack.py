"""`hearing up` with fake children, as a process of its own: it can be killed, and the rest must follow.

python fake_stack.py [--tui] [--delay-ms N] [--daemon="OPTIONS"] [--assistant="OPTIONS"] [--fault KIND] LOG
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hearing import paths, program
from hearing.transport.listen import hold_lock
from hearing_cli.up.console import Console
from hearing_cli.up.events import Event, Retry, Role
from hearing_cli.up.policy import Policy
from hearing_cli.up.programs import Program
from hearing_cli.up.stack import run_stack
from hearing_cli.up.terminal import Terminal

_HERE = Path(__file__).parent
_FAULTS = ("companion", "loop")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("--tui", action="store_true")
    parser.add_argument("--delay-ms", type=int, default=10)
    parser.add_argument("--ready-ms", type=int, default=30_000)
    parser.add_argument("--grace-ms", type=int, default=5_000)
    parser.add_argument("--daemon", default="")
    parser.add_argument("--assistant", default="")
    parser.add_argument("--fault", choices=_FAULTS, help="what fails within, once the TUI draws")
    args = parser.parse_args()
    return program.run("hearing", lambda: _supervise(args))


def _supervise(args: argparse.Namespace) -> int:
    runtime_dir = program.runtime_dir(None)
    lock = hold_lock(runtime_dir / paths.UP_LOCK)
    stack = {
        Role.DAEMON: _server("daemon", runtime_dir / paths.DAEMON_SOCKET, args.log, args.daemon),
        Role.ASSISTANT: _server("assistant", runtime_dir / paths.ASSISTANT_SOCKET, args.log, args.assistant),
    }
    if args.tui:
        stack[Role.TUI] = Program((sys.executable, str(_HERE / "fake_tui.py"), str(args.log)))
    policy = Policy(first_delay_ms=args.delay_ms, ready_ms=args.ready_ms, grace_ms=args.grace_ms)
    terminal = Terminal.controlling() if args.tui else None
    fault = partial(_fault, args.fault, args.log) if args.fault else None
    console = Console(echo=not args.tui)
    code = asyncio.run(run_stack(stack, console=console, terminal=terminal, policy=policy, companion=fault))
    os.close(lock)
    return code


async def _fault(kind: str, log: Path, post: Callable[[Event], None]) -> None:
    """Be the bug in the supervisor that nobody foresaw, when the last child has started."""
    while not log.exists() or "tui start" not in log.read_text():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.01)
    if kind == "companion":
        raise ZeroDivisionError("a bug")
    post(Retry(Role.DAEMON, 1))  # impossible for one that is ready
    await asyncio.Event().wait()


def _server(name: str, socket: Path, log: Path, options: str) -> Program:
    argv = (sys.executable, str(_HERE / "fake_child.py"), name, str(socket), str(log), *options.split())
    return Program(argv, socket)


if __name__ == "__main__":
    sys.exit(main())
