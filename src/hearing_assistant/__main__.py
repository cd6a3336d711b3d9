"""`hearing-assistant`: keeps what was said lately and answers on the control socket."""

import asyncio
import signal
import sys
from pathlib import Path

from hearing import config, process, program
from hearing.errors import ExitCode
from hearing_assistant.service import Service

PROGRAM = "hearing-assistant"


def main() -> int:
    """Run the assistant; give its exit status."""
    return program.run(PROGRAM, _body)


def _body() -> int:
    args = program.parser(PROGRAM, "Keep what was said lately and answer on the control socket.").parse_args()
    process.log_to_stderr(PROGRAM, verbose=args.verbose)
    settings = config.load(args.config)
    runtime_dir = program.runtime_dir(args.runtime_dir)
    asyncio.run(_serve(runtime_dir, settings.assistant))
    return ExitCode.OK


async def _serve(runtime_dir: Path, settings: config.AssistantConfig) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(signum, stop.set)
    process.on_parent_death(loop, stop.set)
    await Service(runtime_dir, settings).run(stop)


if __name__ == "__main__":
    sys.exit(main())
