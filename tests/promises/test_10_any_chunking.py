"""Promise 10: any chunking of the bytes gives the same messages, in both directions."""

import asyncio
import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from hearing.messages.common import Hello, Transcript
from hearing.messages.control import Ack, ControlRequest
from hearing.protocol import DAEMON, REQUESTS, decode, encode
from hearing.testing.loopback import LoopbackServer, feed
from hearing.transport.incoming import Incoming
from hearing.transport.server import Client
from hearing.types import Channel

ASKED = (
    '{"type":"status","request_id":"é"}\n'
    "\n"
    '{"type":"fly"}\r\n'
    '{"type":"listen","on":true}\n'
    '{"type":"subscribe","name":"[{\\"\\\\"}\n'
    "rubbish\n"
    '{"type":"clear"}\n'
).encode()
SAID = encode(Hello(server="s", version="1", pid=1, boot_id="b")) + b"".join(
    encode(Transcript(seq=n, seg_id=n, leg=Channel.MIC, start_ms=0, end_ms=1, text=text))
    for n, text in enumerate(("naïve", "{[\n", "日本"), start=1)
)


def acknowledge(client: Client, request: ControlRequest) -> None:
    client.answer(request, Ack(command=repr(request)))


def answers(*pieces: bytes) -> list[bytes]:
    """What a server answers to these pieces."""
    connection, transport = LoopbackServer(REQUESTS, acknowledge).client()
    for piece in pieces:
        feed(connection, piece)
    return transport.lines[1:]


def heard(*pieces: bytes) -> list[object]:
    """What a client reads from these pieces."""
    incoming = Incoming(None)
    for piece in pieces:
        incoming.get_buffer(-1)[: len(piece)] = piece
        incoming.buffer_updated(len(piece))
    return [decode(DAEMON, line) for line in iter(incoming.next_line, None)]


async def test_a_server_gives_the_same_answers_at_every_pair_of_splits() -> None:
    whole = answers(ASKED)
    assert [b'"ack"' in line for line in whole] == [True, False, True, True, False]
    for first in range(len(ASKED) + 1):
        for second in range(first, len(ASKED) + 1, 7):
            assert answers(ASKED[:first], ASKED[first:second], ASKED[second:]) == whole


async def test_a_server_gives_the_same_answers_byte_by_byte() -> None:
    assert answers(*(bytes([byte]) for byte in ASKED)) == answers(ASKED)


async def test_a_client_reads_the_same_messages_at_every_split_and_byte_by_byte() -> None:
    whole = heard(SAID)
    assert [getattr(message, "text", None) for message in whole] == [None, "naïve", "{[\n", "日本"]
    for at in range(len(SAID) + 1):
        assert heard(SAID[:at], SAID[at:]) == whole
    assert heard(*(bytes([byte]) for byte in SAID)) == whole


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, len(ASKED)), max_size=12))
def test_a_server_gives_the_same_answers_at_any_cuts(cuts: list[int]) -> None:
    async def both() -> None:
        edges = [0, *sorted(cuts), len(ASKED)]
        assert answers(*(ASKED[a:b] for a, b in itertools.pairwise(edges))) == answers(ASKED)

    asyncio.run(both())
