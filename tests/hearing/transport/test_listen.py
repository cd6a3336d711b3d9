"""Claiming a socket path: only a stale socket is ever removed, and only by the holder of the lock."""

import contextlib
import fcntl
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hearing.errors import AlreadyRunningError, ErrorCode, RuntimeDirError
from hearing.messages.common import Error, Hello
from hearing.protocol import encode
from hearing.transport.listen import ClaimedSocket, claim, hold_lock, read_hello

HELLO = Hello(server="hearing-test", version="1", pid=4242, boot_id="b")


@pytest.fixture
def path(runtime_dir: Path) -> Path:
    return runtime_dir / "hearing-test.sock"


def stale(path: Path) -> os.stat_result:
    """Leave a socket file that nobody listens on, as a killed server does."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    return path.lstat()


@contextlib.contextmanager
def held_by(path: Path, *chunks: bytes, pause_s: float = 0.0) -> Iterator[list[int]]:
    """A foreign server on the path that says these bytes to each client; gives the clients' count."""
    stop = threading.Event()
    served: list[int] = []

    def serve() -> None:
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                client, _ = listener.accept()
                with client, contextlib.suppress(OSError):
                    for chunk in chunks:
                        client.sendall(chunk)
                        stop.wait(pause_s)
                    served.append(1)
                    client.settimeout(3)
                    client.recv(1)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(0.05)
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield served
        finally:
            stop.set()
            thread.join()


def connects(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
    return True


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[ClaimedSocket]:
    holder = claim(path)
    try:
        yield holder
    finally:
        holder.release()


def test_a_claimed_socket_is_0600_listens_and_has_our_pid_in_its_lock(path: Path) -> None:
    before = os.umask(0)
    try:
        with claimed(path):
            assert connects(path)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            lock = path.with_suffix(".lock")
            assert stat.S_IMODE(lock.stat().st_mode) == 0o600
            assert lock.read_text() == f"{os.getpid()}\n"
    finally:
        os.umask(before)


def test_release_removes_the_socket_keeps_the_lock_file_and_may_be_called_twice(path: Path) -> None:
    holder = claim(path)
    holder.release()
    reused = os.open(os.devnull, os.O_RDONLY)  # very likely the number that was the lock's
    holder.release()
    os.close(reused)
    assert not path.exists()
    assert path.with_suffix(".lock").exists()
    claim(path).release()


def test_release_leaves_what_is_no_longer_ours(path: Path) -> None:
    holder = claim(path)
    path.rename(path.with_suffix(".moved"))
    theirs = stale(path)
    holder.release()
    assert path.lstat().st_ino == theirs.st_ino


def test_release_survives_a_folder_that_is_gone(path: Path) -> None:
    holder = claim(path)
    for entry in path.parent.iterdir():
        entry.unlink()
    path.parent.rmdir()
    holder.release()


def test_a_stale_socket_is_taken_over(path: Path) -> None:
    stale(path)
    with claimed(path):
        assert connects(path)


def test_a_second_claim_names_the_pid_and_touches_nothing(path: Path) -> None:
    with claimed(path) as holder:
        with pytest.raises(AlreadyRunningError) as caught:
            claim(path)
        assert caught.value.pid == os.getpid()
        assert f"`hearing-test` is already running (pid {os.getpid()})" in caught.value.sentence
        assert path.lstat().st_ino == holder.inode
        assert connects(path)


def test_a_living_server_without_a_lock_is_asked_for_its_hello(path: Path) -> None:
    """Its lock file was deleted, or it is not ours: the socket is still its own."""
    with held_by(path, encode(HELLO)):
        inode = path.lstat().st_ino
        with pytest.raises(
            AlreadyRunningError, match=r"`hearing-test` is already running \(pid 4242\)"
        ) as it:
            claim(path)
        assert it.value.pid == HELLO.pid
        assert path.lstat().st_ino == inode


def test_a_full_server_is_as_alive_as_one_that_greets(path: Path) -> None:
    full = encode(Error(code=ErrorCode.TOO_MANY_CLIENTS, message="64 clients"))
    with (
        held_by(path, full),
        pytest.raises(AlreadyRunningError, match="is served already and says `too_many_clients`"),
    ):
        claim(path)


@pytest.mark.parametrize(
    "said",
    [
        (),
        (b"SSH-2.0-x\n",),
        (b'{"type":"heartbeat"}\n',),
        (b"x" * 300_000,),
        tuple(b"x" for _ in range(40)),
    ],
    ids=["mute", "foreign", "other", "oversize", "trickle"],
)
def test_a_holder_that_does_not_greet_is_never_taken_for_stale(path: Path, said: tuple[bytes, ...]) -> None:
    """One second in all: a byte now and then buys no more."""
    with held_by(path, *said, pause_s=0.1 if len(said) > 1 else 0):
        inode = path.lstat().st_ino
        started = time.monotonic()
        with pytest.raises(AlreadyRunningError, match="is held by a program that does not greet"):
            claim(path)
        assert time.monotonic() - started < 2.5
        assert path.lstat().st_ino == inode


def test_after_a_failed_claim_the_lock_is_free_again(path: Path) -> None:
    with held_by(path, encode(HELLO)), pytest.raises(AlreadyRunningError):
        claim(path)
    path.unlink()
    claim(path).release()


def directory(path: Path) -> None:
    path.mkdir()


def regular_file(path: Path) -> None:
    path.write_text("precious")


def symlink(path: Path) -> None:
    path.with_suffix(".target").write_text("precious")
    path.symlink_to(path.with_suffix(".target"))


def dangling(path: Path) -> None:
    path.symlink_to(path.with_suffix(".nowhere"))


def fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [directory, regular_file, symlink, dangling, fifo])
def test_what_is_no_socket_is_left_untouched(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    before = path.lstat()
    with pytest.raises(RuntimeDirError, match="exists and is no socket") as caught:
        claim(path)
    assert "move it away" in caught.value.hint
    assert path.lstat() == before


def test_a_symlink_to_a_living_socket_is_no_socket(path: Path) -> None:
    with claimed(path.with_name("other.sock")):
        path.symlink_to("other.sock")
        with pytest.raises(RuntimeDirError, match="exists and is no socket"):
            claim(path)


@pytest.mark.parametrize("make", [directory, symlink, dangling, fifo])
def test_a_lock_that_is_no_file_is_refused_or_harmless(path: Path, make: Callable[[Path], None]) -> None:
    """A directory or a symlink in its place is refused; nothing behind a symlink is written."""
    lock = path.with_suffix(".lock")
    make(lock)
    if make is fifo:
        claim(path).release()
        return
    with pytest.raises(RuntimeDirError, match=r"hearing-test\.lock` cannot be opened: "):
        claim(path)
    assert not path.exists()
    assert lock.is_dir() or not lock.exists() or lock.read_text() == "precious"


def test_a_missing_folder_is_refused(path: Path) -> None:
    with pytest.raises(RuntimeDirError, match="cannot be opened: no such file or directory"):
        claim(path.parent / "no" / "x.sock")


def test_a_path_too_long_for_the_kernel_is_refused_with_a_sentence(path: Path) -> None:
    folder = path.parent / ("x" * 100)
    folder.mkdir()
    with pytest.raises(RuntimeDirError, match=r"cannot be bound: AF_UNIX path too long"):
        claim(folder / "x.sock")


def test_a_lock_deleted_between_open_and_flock_is_taken_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two servers hold two files of one name, and the later unlinks the earlier's socket."""
    lock = path.with_suffix(".lock")
    real = fcntl.flock
    deleted: list[int] = []

    def flock(fd: int, how: int) -> None:
        if not deleted:
            deleted.append(fd)
            lock.unlink()
        real(fd, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    fd = hold_lock(path)
    assert deleted
    assert os.path.samestat(os.fstat(fd), lock.stat())
    with pytest.raises(AlreadyRunningError):
        hold_lock(path)
    os.close(fd)


def test_a_full_disk_is_no_reason_not_to_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with claimed(path), pytest.raises(AlreadyRunningError, match="pid unknown"):
        claim(path)


def test_a_file_system_without_locks_is_refused_with_its_reason(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(_fd: int, _how: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(
        RuntimeDirError, match=r"hearing-test\.lock` cannot be locked: operation not supported"
    ):
        claim(path)


def test_a_server_that_accepts_and_closes_is_held_not_stale(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        closer = threading.Thread(target=lambda: listener.accept()[0].close())
        closer.start()
        with pytest.raises(AlreadyRunningError, match="does not greet"):
            claim(path)
        closer.join()


# --- a holder that is killed ---

HOLDER = """
import sys, time
from hearing.transport.listen import claim
held = claim(sys.argv[1])
print("held", flush=True)
time.sleep(60)
"""


def test_after_kill_9_of_the_holder_the_next_claim_takes_under_a_second(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(AlreadyRunningError) as caught:
            claim(path)
        assert caught.value.pid == holder.pid
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert path.exists()
    started = time.monotonic()
    with claimed(path):
        assert connects(path)
    assert time.monotonic() - started < 1


# --- asking ---


def test_nobody_there_is_none(path: Path) -> None:
    assert read_hello(path) is None
    stale(path)
    assert read_hello(path) is None


def test_the_hello_is_read_however_it_is_cut(path: Path) -> None:
    line = encode(HELLO)
    with held_by(path, line[:5], line[5:20], line[20:], pause_s=0.02):
        assert read_hello(path) == HELLO


def test_what_cannot_be_asked_is_not_taken_for_dead(path: Path) -> None:
    path.mkdir()
    with pytest.raises(AlreadyRunningError, match="cannot be asked who serves it"):
        read_hello(path / ("x" * 200))
