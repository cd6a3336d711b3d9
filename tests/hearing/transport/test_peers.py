"""The kernel says who connected, and whether they are still there."""

import os
import socket
import struct
import sys

import pytest

from hearing.transport import peers
from hearing.transport.peers import Peer, has_hung_up, peer_of


def test_a_connected_peer_is_named_by_uid_and_pid() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        named = peer_of(ours)
    assert named.uid == os.geteuid()
    assert named.pid in {os.getpid(), None}


class MacSocket(socket.socket):
    """Answers LOCAL_PEERCRED as macOS does: version 0, the uid, one group."""

    def getsockopt(self, level: int, option: int, size: int = 0) -> bytes:  # type: ignore[override]
        assert (level, option) == (0, 1)
        return struct.pack("IIh16I", 0, 501, 1, 20, *[0] * 15)[:size]


def test_the_other_systems_answer_is_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "_HAS_PEERCRED", False)
    with MacSocket(socket.AF_UNIX) as ours:
        assert peer_of(ours) == Peer(501, None)


def test_a_closed_socket_has_no_peer() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    ours.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        peer_of(ours)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the two apart")
def test_a_half_closed_peer_is_still_there_and_a_closed_one_is_not() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        assert not has_hung_up(ours)
        theirs.shutdown(socket.SHUT_WR)
        assert not has_hung_up(ours)
        theirs.close()
        assert has_hung_up(ours)


def test_where_it_cannot_be_told_nobody_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours:
        assert not has_hung_up(ours)
