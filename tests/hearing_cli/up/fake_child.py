"""A child as the supervisor sees one: it greets on its socket, keeps a log, and may misbehave."""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from hearing import process, program
from hearing.clock import SystemClock
from hearing.messages.common import Hello
from hearing.transport.listen import claim
from hearing.transport.publisher import Publisher

_GRANDCHILDREN = ("ours", "foreign")
_SLEEP = "from hearing import process; process.die_with_parent(); import time; time.sleep(600)"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("socket", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("--die", type=int, help="end with this status before greeting")
    parser.add_argument("--mute", action="store_true", help="never greet")
    parser.add_argument("--stubborn", action="store_true", help="ignore SIGTERM")
    parser.add_argument("--grandchild", choices=_GRANDCHILDREN, help="start a process of its own")
    args = parser.parse_args()
    return program.run(args.name, lambda: asyncio.run(_live(args)))


async def _live(args: argparse.Namespace) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, (lambda: None) if args.stubborn else stop.set)
    process.on_parent_death(loop, stop.set)
    note(args.log, f"{args.name} start {os.getpid()}")
    print(f"{args.name} says hello", flush=True)
    if args.die is not None:
        print(f"{args.name} cannot go on", file=sys.stderr, flush=True)
        return int(args.die)
    grandchild = _grandchild(args) if args.grandchild else None
    if args.mute:
        await stop.wait()
        return 0
    hello = Hello(server=f"hearing-{args.name}", version="0", pid=os.getpid(), boot_id=str(time.time_ns()))
    publisher = Publisher(
        claim(args.socket), hello, clock=SystemClock(), snapshot=lambda _seq: [], keep=lambda _message: False
    )
    await publisher.start()
    await stop.wait()
    await publisher.stop()
    if grandchild is not None:
        grandchild.kill()
        grandchild.wait()
    note(args.log, f"{args.name} end")
    return 0


def _grandchild(args: argparse.Namespace) -> "subprocess.Popen[bytes]":
    """Start a process that ends with us, as the suite's own do, or one that was never told to."""
    environment = dict(os.environ)
    environment.pop(process.LIFETIME_FD_VARIABLE, None)
    environment[process.PARENT_PID_VARIABLE] = str(os.getpid()) if args.grandchild == "ours" else ""
    made = subprocess.Popen([sys.executable, "-c", _SLEEP], env=environment)
    note(args.log, f"grandchild start {made.pid}")
    return made


def note(log: Path, line: str) -> None:
    """Append a line whole, whoever else writes."""
    with log.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
