"""The daemon's transcriber of files as a child process: its lines as messages, and never an orphan."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hearing.errors import HearingError
from hearing.messages.files import FileMessage, TranscriberFailed
from hearing.process import PARENT_PID_VARIABLE
from hearing.protocol import OUTBOUND_LINE_BYTES

PROGRAM: Final = (sys.executable, "-m", "hearing_daemon.transcribe_live")
_ENVIRONMENT: Final = {"PYTHONSAFEPATH": "1"}
"""Recordings lie in any folder, beside any `queue.py`: nothing is imported from there."""
_DECODER: Final = msgspec.json.Decoder(FileMessage)


@contextlib.contextmanager
def messages(
    arguments: Sequence[str], *, verbose: bool = False, program: Sequence[str] | None = None
) -> Iterator[Iterator[FileMessage]]:
    """Run the program while its messages are read; it is killed when they are read no longer.

    Its log goes to stderr if `verbose`. Reading raises HearingError when it fails, dies, or says something
    else.
    """
    with _deaf_to_ctrl_c():  # ours to answer: it would die with a traceback in the middle of an import
        process = subprocess.Popen(
            [*(program or PROGRAM), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if verbose else subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT, PARENT_PID_VARIABLE: str(os.getpid())},
        )
    try:
        yield _read(process)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _read(process: "subprocess.Popen[bytes]") -> Iterator[FileMessage]:
    assert process.stdout is not None
    while line := process.stdout.readline(OUTBOUND_LINE_BYTES + 1):
        try:
            message = _DECODER.decode(line)
        except msgspec.MsgspecError as error:
            raise HearingError(f"the transcriber is not understood: {str(error).lower()}") from None
        if isinstance(message, TranscriberFailed):
            raise HearingError(message.sentence, hint=message.hint)
        yield message
    status = process.wait()
    if status not in (0, 1):  # 1 says that a file had a problem, which we know
        raise HearingError(
            f"the transcriber ended with exit status {status}", hint="`--verbose` shows its log"
        )


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Let a child begin deaf to SIGINT; only a main thread can, and only it is interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
