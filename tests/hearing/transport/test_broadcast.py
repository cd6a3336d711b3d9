"""Events are numbered once, kept for newcomers, and never sent to who is leaving."""

import pytest

from hearing.messages.common import Message, SpeechStart, Transcript
from hearing.testing.clock import FakeClock
from hearing.transport.broadcast import RECENT_COUNT, RECENT_MS, Broadcast
from hearing.transport.connection import Connection, Limits
from hearing.types import Channel


class Loopback:
    """A host that admits nobody: its connections are never connected, so all stays in their boxes."""

    limits = Limits()

    def admit(self, connection: Connection) -> None:
        raise NotImplementedError

    def on_bytes(self, connection: Connection, data: bytes) -> None:
        raise NotImplementedError

    def on_eof(self, connection: Connection) -> None:
        raise NotImplementedError

    def on_gone(self, connection: Connection) -> None:
        raise NotImplementedError


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def broadcast(clock: FakeClock) -> Broadcast:
    return Broadcast(clock, lambda message: isinstance(message, Transcript))


def connection() -> Connection:
    return Connection(Loopback(), own_uid=0)


def said(text: str) -> Transcript:
    return Transcript(seg_id=1, leg=Channel.MIC, start_ms=0, end_ms=1, text=text)


def queued(client: Connection) -> list[bytes]:
    return list(iter(client.outbox.pop, None))


def test_numbers_run_on_whether_anybody_listens_or_not(broadcast: Broadcast) -> None:
    assert broadcast.last_seq == 0
    assert [broadcast.publish(said("x")).seq for _ in range(3)] == [1, 2, 3]
    assert broadcast.last_seq == 3


def test_only_what_is_kept_is_replayed(broadcast: Broadcast) -> None:
    broadcast.publish(said("kept"))
    broadcast.publish(SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=0))
    client = connection()
    broadcast.add(client, [])
    assert [b"kept" in line for line in queued(client)] == [True]


def test_the_ring_forgets_by_count_and_by_age_and_when_told(broadcast: Broadcast, clock: FakeClock) -> None:
    for n in range(RECENT_COUNT + 1):
        broadcast.publish(said(f"<{n}>"))
    first, second, third = connection(), connection(), connection()
    broadcast.add(first, [])
    lines = queued(first)
    assert len(lines) == RECENT_COUNT
    assert b"<1>" in lines[0]
    clock.advance(RECENT_MS + 1)
    broadcast.publish(said("fresh"))
    broadcast.add(second, [])
    assert len(queued(second)) == 1
    broadcast.forget()
    broadcast.add(third, [])
    assert queued(third) == []


def test_a_jump_of_the_wall_clock_forgets_nothing(broadcast: Broadcast, clock: FakeClock) -> None:
    broadcast.publish(said("kept"))
    clock.jump_wall(86_400_000)
    client = connection()
    broadcast.add(client, [])
    assert len(queued(client)) == 1


def test_who_leaves_gets_nothing_more_and_who_never_came_may_be_removed(broadcast: Broadcast) -> None:
    client, other = connection(), connection()
    broadcast.add(client, [])
    broadcast.remove(client)
    broadcast.remove(other)
    broadcast.publish(said("x"))
    assert queued(client) == []
    assert len(broadcast) == 0


def test_who_is_closing_is_not_added_and_gets_nothing_more(broadcast: Broadcast) -> None:
    client, late = connection(), connection()
    broadcast.add(client, [])
    client.close()
    broadcast.publish(said("x"))
    late.close()
    broadcast.add(late, [])
    assert queued(client) == queued(late) == []
    assert len(broadcast) == 1


def test_the_greeting_is_encoded_when_added_so_it_tells_of_that_moment(broadcast: Broadcast) -> None:
    greeting: list[Message] = [said("greeting")]
    client = connection()
    broadcast.add(client, greeting)
    greeting.clear()
    assert [b"greeting" in line for line in queued(client)] == [True]
