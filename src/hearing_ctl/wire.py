"""One connection to the assistant: a request line out, an answer line back, within a deadline.

`_socket` is what `socket` is made of; importing the latter takes 8 ms (it needs `enum` and `selectors`), an
empty console script 11.
"""

from __future__ import annotations

import time

from hearing_ctl import exits

try:
    from _socket import AF_UNIX, SOCK_STREAM, socket
except ImportError:  # an interpreter that builds `socket` of something else
    from socket import AF_UNIX, SOCK_STREAM, socket  # type: ignore[assignment]

DEADLINE_S = 5.0
PROTO = 1
_LINE_BYTES = 256 * 1024
_START = "start it with `hearing up`"
_RESTART = "it may hang: `hearing down`, then `hearing up`"


class Wire:
    """A greeted connection.

    Raises:
        StopError: Nobody serves the path, it does not greet in time, or it speaks another protocol.
    """

    def __init__(self, path: str, deadline_s: float = DEADLINE_S) -> None:
        self._deadline_s = deadline_s
        self._buffer = b""
        self._socket = socket(AF_UNIX, SOCK_STREAM)
        self._until = time.monotonic() + deadline_s
        try:
            self._connect(path)
            self._greeted(self._line())
        except exits.StopError:
            self.close()
            raise

    def ask(self, request: bytes) -> bytes:
        """Send one request and give its answer, a line without its end.

        Raises:
            StopError: No answer in time, or the assistant left.
        """
        self._until = time.monotonic() + self._deadline_s
        try:
            self._socket.sendall(request)
        except TimeoutError:
            raise self._late() from None
        except OSError:  # it left: what it said last is still to be read, and tells why
            pass
        return self._line()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _connect(self, path: str) -> None:
        try:
            self._socket.settimeout(self._deadline_s)
            self._socket.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            raise exits.StopError(exits.UNAVAILABLE, "the assistant is not running", _START) from None
        except TimeoutError:
            raise self._late() from None
        except OSError as error:
            sentence = f"the assistant cannot be reached: {(error.strerror or str(error)).lower()}"
            raise exits.StopError(exits.UNAVAILABLE, sentence, _START) from None

    def _line(self) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LINE_BYTES:
                raise exits.StopError(exits.FAILED, f"the assistant's answer is over `{_LINE_BYTES}` bytes")
            self._buffer += self._read()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _read(self) -> bytes:
        left_s = self._until - time.monotonic()
        if left_s <= 0:
            raise self._late()
        self._socket.settimeout(left_s)
        try:
            chunk = self._socket.recv(65_536)
        except TimeoutError:
            raise self._late() from None
        except OSError:
            chunk = b""
        if not chunk:
            raise exits.StopError(exits.UNAVAILABLE, "the assistant closed the connection unasked", _RESTART)
        return chunk

    def _late(self) -> exits.StopError:
        sentence = f"the assistant has not answered within {self._deadline_s:g} s"
        return exits.StopError(exits.UNAVAILABLE, sentence, _RESTART)

    def _greeted(self, line: bytes) -> None:
        """Read the greeting; as our own assistant writes it, no JSON reader is needed."""
        if line.startswith(b'{"type":"hello"') and line.endswith(b'"proto":%d}' % PROTO):
            return
        from hearing_ctl.answers import body_of, refuse

        hello = body_of(line)
        if hello.get("type") != "hello":
            refuse(hello)
        if hello.get("proto") != PROTO:
            raise exits.StopError(
                exits.UNAVAILABLE,
                f"the assistant speaks protocol `{hello.get('proto')}`, this program `{PROTO}`",
                "install the same version of both",
            )


def acknowledge(line: bytes) -> None:
    """Accept an `ack`, at a glance where it stands as our own assistant writes it.

    Raises:
        StopError: It is a refusal, no `ack`, or not `ok`.
    """
    if line.startswith(b'{"type":"ack",') and line.endswith(b'"ok":true}'):
        return
    from hearing_ctl.answers import expect

    if expect(line, "ack").get("ok") is not True:
        raise exits.StopError(exits.FAILED, "the assistant did not do it")
