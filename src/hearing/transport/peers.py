"""Who is on the other end of a Unix socket."""

import select
import socket
import struct
import sys
from dataclasses import dataclass

_UCRED = struct.Struct("3i")  # pid, uid, gid: Linux's `struct ucred`
_XUCRED = struct.Struct("IIh16I")  # macOS's `struct xucred`: version, uid, ngroups, groups
_HAS_PEERCRED = hasattr(socket, "SO_PEERCRED")  # Linux
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  # macOS; Python's `socket` has no names for them


@dataclass(frozen=True, slots=True)
class Peer:
    """The process that connected; `pid` is None where the system does not tell."""

    uid: int
    pid: int | None


def peer_of(connected: socket.socket) -> Peer:
    """Ask the kernel who connected.

    Raises:
        OSError: It does not say: refuse such a peer.
    """
    if _HAS_PEERCRED:
        raw = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        pid, uid, _gid = _UCRED.unpack(raw)
        return Peer(uid, pid)
    raw = connected.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
    return Peer(_XUCRED.unpack(raw.ljust(_XUCRED.size, b"\0"))[1], None)


def has_hung_up(connected: socket.socket) -> bool:
    """Say whether the peer closed altogether, and not only its sending half (told apart on Linux alone)."""
    if sys.platform != "linux":
        return False
    poll = select.poll()
    poll.register(connected.fileno(), 0)  # a hang-up is always reported
    return any(events & select.POLLHUP for _fd, events in poll.poll(0))
