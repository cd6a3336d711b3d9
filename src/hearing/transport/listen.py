"""Claiming a socket path: exactly one living server, never a stolen one, 0600 from birth."""

import contextlib
import fcntl
import os
import socket
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearing.errors import AlreadyRunningError, PeerError, RuntimeDirError
from hearing.messages.common import Error, Hello
from hearing.protocol import OUTBOUND_LINE_BYTES, Dialect, Framer, decode

HELLO_TIMEOUT_S: Final = 1.0
_BACKLOG: Final = 128
_GREETING: Final[Dialect[Hello | Error]] = Dialect(Hello | Error)


@dataclass
class ClaimedSocket:
    """A listening socket with the lock that makes it ours; `release` gives both back."""

    socket: socket.socket
    path: Path
    lock_fd: int
    inode: int

    def release(self) -> None:
        """Remove the socket file if it is still ours, then let go of the lock; the lock file stays.

        A second call does nothing: the descriptor's number may be somebody else's by then.
        """
        if self.lock_fd < 0:
            return
        with contextlib.suppress(FileNotFoundError):
            if self.path.lstat().st_ino == self.inode:
                self.path.unlink()
        self.socket.close()
        os.close(self.lock_fd)
        self.lock_fd = -1


def claim(path: str | Path) -> ClaimedSocket:
    """Become the one server at `path` (`….sock`, with `….lock` beside it).

    Never hands the path to asyncio, which would silently remove a living server's socket.

    Raises:
        AlreadyRunningError: A living server answers there, or holds or is just taking the lock.
        RuntimeDirError: What stands at the path is no socket, or the folder cannot be used.
    """
    path = Path(path)
    lock_fd = hold_lock(path)
    try:
        _make_room(path)
        listening, inode = _bind(path)
    except BaseException:
        os.close(lock_fd)
        raise
    return ClaimedSocket(listening, path, lock_fd, inode)


def read_hello(path: str | Path, timeout_s: float = HELLO_TIMEOUT_S) -> Hello | None:
    """Ask who serves `path`: its `hello`, or None when nobody does (no file, or connection refused).

    A server that is full says so instead of `hello`; it is as alive as one that greets.

    Raises:
        AlreadyRunningError: Somebody accepts but does not greet as one of ours within the time.
    """
    deadline = time.monotonic() + timeout_s
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(timeout_s)
        try:
            probe.connect(os.fspath(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except OSError as error:  # unclear is never stale
            raise AlreadyRunningError(f"`{path}` cannot be asked who serves it: {error}") from None
        return _greeting(probe, path, deadline)


def _greeting(probe: socket.socket, path: str | Path, deadline: float) -> Hello:
    framer = Framer(OUTBOUND_LINE_BYTES)
    try:
        # one deadline for the whole greeting, or a byte now and then would hold us for hours
        while (left_s := deadline - time.monotonic()) > 0:
            probe.settimeout(left_s)
            chunk = probe.recv(65_536)
            if not chunk:
                break
            for line in framer.feed(chunk):
                greeting = decode(_GREETING, line)
                if isinstance(greeting, Hello):
                    return greeting
                raise AlreadyRunningError(f"`{path}` is served already and says `{greeting.code}`")
    except (OSError, PeerError):
        pass  # silent, closed or foreign: reported below as one thing
    raise AlreadyRunningError(
        f"`{path}` is held by a program that does not greet", hint="stop that program, then start again"
    )


def hold_lock(path: Path) -> int:
    """Take `….lock` beside the path for life, our pid in it; whatever kills us lets go of it.

    Raises:
        AlreadyRunningError: A living process holds it; the error knows its pid.
        RuntimeDirError: It cannot be opened or locked.
    """
    lock = path.with_suffix(".lock")
    while True:
        fd = _open_locked(lock)
        if _is_still(lock, fd):
            break
        os.close(fd)  # somebody deleted or replaced the file since we opened it: ours would bar nobody
    with contextlib.suppress(OSError):  # the pid is a courtesy; a full disk is no reason not to start
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
    return fd


def _open_locked(lock: Path) -> int:
    try:
        fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise RuntimeDirError(f"`{lock}` cannot be opened: {(error.strerror or '').lower()}") from None
    try:
        os.fchmod(fd, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = _pid_in(fd)
        os.close(fd)
        raise AlreadyRunningError(
            f"`{lock.stem}` is already running (pid {pid or 'unknown'})",
            pid=pid,
            hint="`hearing down` stops a running stack",
        ) from None
    except OSError as error:
        os.close(fd)
        raise RuntimeDirError(f"`{lock}` cannot be locked: {(error.strerror or '').lower()}") from None
    return fd


def _is_still(lock: Path, fd: int) -> bool:
    """Say whether the locked file is the one that stands at the path, where others look for it."""
    try:
        return os.path.samestat(lock.lstat(), os.fstat(fd))
    except FileNotFoundError:
        return False


def _pid_in(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
    return int(text) if text.isdecimal() else None


def _make_room(path: Path) -> None:
    """Remove a stale socket, and nothing else; we hold the lock, so nobody races us."""
    try:
        info = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(info.st_mode):
        raise RuntimeDirError(f"`{path}` exists and is no socket", hint="move it away, then start again")
    hello = read_hello(path)
    if hello is not None:
        raise AlreadyRunningError(
            f"`{hello.server}` is already running (pid {hello.pid})",
            pid=hello.pid,
            hint="`hearing down` stops a running stack",
        )
    path.unlink()


def _bind(path: Path) -> tuple[socket.socket, int]:
    """Give the listening socket and the inode of its file."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(listening.fileno(), 0o600)  # before bind: 0600 at birth, no process-wide umask (Linux)
        listening.bind(os.fspath(path))
        path.chmod(0o600)  # where fchmod on a socket means nothing (macOS), before anybody can connect
        listening.listen(_BACKLOG)
        inode = path.lstat().st_ino
    except OSError as error:
        listening.close()
        raise RuntimeDirError(f"`{path}` cannot be bound: {error.strerror or error}") from None
    listening.setblocking(False)
    return listening, inode
