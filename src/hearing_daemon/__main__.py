"""`hearing-daemon`: listens, recognizes, publishes; it takes no orders."""

import argparse
import asyncio
import os
import signal
import sys
import uuid
from functools import partial

from msgspec.structs import replace

from hearing import __version__, config, paths, process, program
from hearing.clock import SystemClock
from hearing.config import Config
from hearing.errors import ExitCode
from hearing.messages.common import Hello
from hearing.models import store
from hearing.transport import listen
from hearing_daemon import vad
from hearing_daemon.capture import legs, options
from hearing_daemon.listening import ListeningFile
from hearing_daemon.recognizer import Recognizer
from hearing_daemon.service import Service
from hearing_daemon.worker.command import worker_command


def parser() -> argparse.ArgumentParser:
    """Give the daemon's command line."""
    made = program.parser("hearing-daemon", __doc__ or "")
    options.add_arguments(made)
    made.add_argument("--model", metavar="NAME", help="speech model, over `[stt].model`")
    return made


def body(argv: list[str] | None = None) -> int:
    """Claim the socket and serve until a signal says otherwise."""
    arguments = parser().parse_args(argv)
    process.log_to_stderr("hearing-daemon", verbose=arguments.verbose)
    settings = config.load(arguments.config)
    if arguments.model:
        stt = replace(settings.stt, model=arguments.model)
        settings = replace(settings, stt=stt)
    return asyncio.run(serve(settings, arguments))


async def serve(settings: Config, arguments: argparse.Namespace) -> int:
    """Build the service and run it."""
    folder, clock = program.runtime_dir(arguments.runtime_dir), SystemClock()
    hello = Hello(server="hearing-daemon", version=__version__, pid=os.getpid(), boot_id=uuid.uuid4().hex)
    started_ms = clock.monotonic_ms()
    sources = legs.build(options.from_args(arguments), settings.capture, clock, started_ms)
    service = Service(
        listen.claim(folder / paths.DAEMON_SOCKET),
        hello,
        config=settings,
        legs=sources,
        build_vad=partial(vad.build, settings.vad),
        build_recognizer=partial(
            Recognizer,
            locate=partial(store.locate, settings.stt.model),
            command=partial(worker_command, settings.stt),
            clock=clock,
        ),
        listening=ListeningFile(folder),
        clock=clock,
    )
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
