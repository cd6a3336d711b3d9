"""`hearing-daemon`: listens, recognizes, publishes; it takes no orders."""

import argparse
import asyncio
import signal
import sys

from msgspec.structs import replace

from hearing import config, process, program
from hearing.config import Config
from hearing.errors import ExitCode
from hearing_daemon.assembly import assembled
from hearing_daemon.capture import options


def parser() -> argparse.ArgumentParser:
    """Give the daemon's command line."""
    made = program.parser("hearing-daemon", __doc__ or "")
    options.add_arguments(made)
    made.add_argument("--model", metavar="NAME", help="speech model, over `[stt].model`")
    return made


def body(argv: list[str] | None = None) -> int:
    """Serve until a signal says otherwise."""
    arguments = parser().parse_args(argv)
    process.log_to_stderr("hearing-daemon", verbose=arguments.verbose)
    settings = config.load(arguments.config)
    if arguments.model:
        settings = replace(settings, stt=replace(settings.stt, model=arguments.model))
    return asyncio.run(serve(settings, arguments))


async def serve(settings: Config, arguments: argparse.Namespace) -> int:
    """Run the service; each of the three signals ends it alike."""
    service = assembled(settings, arguments)
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(signum, service.stop)
    process.on_parent_death(loop, service.stop)
    await service.run()
    return ExitCode.OK


def main() -> int:
    """Run as a program."""
    return program.run("hearing-daemon", body)


if __name__ == "__main__":
    sys.exit(main())
