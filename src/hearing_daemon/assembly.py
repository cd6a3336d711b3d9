"""The daemon's parts put together: what is configured, with what the command line says over it."""

import argparse
import os
import uuid
from functools import partial

from hearing import __version__, paths, program
from hearing.clock import SystemClock
from hearing.config import Config
from hearing.messages.common import Hello
from hearing.models import store
from hearing.transport import listen
from hearing_daemon import vad
from hearing_daemon.capture import legs, options
from hearing_daemon.listening import ListeningFile
from hearing_daemon.recognizer import Recognizer
from hearing_daemon.service import Service
from hearing_daemon.worker.command import worker_command


def assembled(settings: Config, arguments: argparse.Namespace) -> Service:
    """Claim the socket and give the service that will serve it.

    Raises:
        UsageError: A source names nothing.
        AudioError: A file that is named cannot be opened.
        RuntimeDirError: No folder is fit for a socket, or what stands at its path is none.
        AlreadyRunningError: Another daemon lives.
    """
    clock = SystemClock()
    started_ms = clock.monotonic_ms()
    folder = program.runtime_dir(arguments.runtime_dir)
    sources = legs.build(options.from_args(arguments), settings.capture, clock, started_ms)
    return Service(
        listen.claim(folder / paths.DAEMON_SOCKET),
        Hello(server="hearing-daemon", version=__version__, pid=os.getpid(), boot_id=uuid.uuid4().hex),
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
