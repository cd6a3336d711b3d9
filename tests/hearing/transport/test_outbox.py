"""Every event is sent in order or covered by exactly one `lost`, within the limits, whatever comes."""

from collections import deque
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hearing.messages.common import Lost
from hearing.transport.outbox import MAX_QUEUED_BYTES, MAX_QUEUED_LINES, BoxFullError, Outbox

LOST_ROOM_BYTES = 128


def drained(box: Outbox) -> list[bytes]:
    return list(iter(box.pop, None))


def lost(line: bytes) -> Lost:
    return msgspec.json.decode(line, type=Lost)


def test_lines_leave_in_the_order_they_came() -> None:
    box = Outbox()
    box.push(b"a")
    box.push_event(b"b", 1)
    box.push_update(b"c", "k")
    box.push(b"d")
    assert drained(box) == [b"a", b"b", b"c", b"d"]
    assert box.queued_bytes == 0


def test_an_update_replaces_an_unsent_one_of_its_key_in_its_place() -> None:
    box = Outbox()
    box.push_update(b"one", "k")
    box.push_event(b"e", 1)
    box.push_update(b"three", "k")
    box.push_update(b"other", "l")
    assert box.queued_bytes == len(b"three" + b"e" + b"other")
    assert drained(box) == [b"three", b"e", b"other"]
    box.push_update(b"four", "k")
    assert drained(box) == [b"four"]


def test_a_full_box_gives_up_updates_first_then_counts_events_and_says_so_in_their_place() -> None:
    box = Outbox(max_lines=3)
    box.push_update(b"u", "k")
    for seq in (1, 2, 3, 4, 5):
        box.push_event(b"e%d" % seq, seq)
    assert repr(box) == "<Outbox lines=3 bytes=6 lost=2>"
    assert [box.pop() for _ in range(3)] == [b"e1", b"e2", b"e3"]
    box.push_event(b"e6", 6)  # still in the hole: a `lost` is contiguous
    announced = box.pop()
    assert announced is not None
    assert (lost(announced).from_seq, lost(announced).count) == (4, 3)
    box.push_event(b"e7", 7)
    assert drained(box) == [b"e7"]


def test_updates_are_dropped_while_a_loss_is_unannounced() -> None:
    box = Outbox(max_lines=1)
    box.push_event(b"e1", 1)
    box.push_event(b"e2", 2)
    box.push_update(b"u", "k")
    assert box.pop() == b"e1"
    assert lost(box.pop() or b"").count == 1
    assert box.pop() is None


def test_an_answer_that_does_not_fit_even_without_updates_ends_the_client() -> None:
    box = Outbox(max_lines=2)
    box.push_update(b"u", "k")
    box.push(b"a")
    box.push(b"b")
    with pytest.raises(BoxFullError):
        box.push(b"c")
    assert drained(box) == [b"a", b"b"]


def test_the_byte_limit_holds_to_the_byte_and_keeps_room_for_a_lost() -> None:
    room = 1000 - LOST_ROOM_BYTES
    box = Outbox(max_bytes=1000)
    box.push_event(b"x" * room, 1)
    box.push_event(b"x", 2)
    assert box.queued_bytes == room
    widest = Outbox(max_lines=0)
    widest.push_event(b"", 2**63)
    widest._lost_count = 2**63
    assert len(widest.pop() or b"") <= LOST_ROOM_BYTES


def test_an_update_that_grew_too_big_is_not_sent_and_neither_are_its_older_words() -> None:
    box = Outbox(max_bytes=LOST_ROOM_BYTES + 10)
    box.push_event(b"12345", 1)
    box.push_update(b"old", "k")
    box.push_update(b"newer!", "k")
    assert box.queued_bytes == 5
    box.push_update(b"small", "k")
    assert drained(box) == [b"12345", b"small"]


def test_two_updates_of_the_same_words_are_told_apart() -> None:
    box = Outbox(max_bytes=LOST_ROOM_BYTES + 10)
    box.push_update(b"same", "k")
    box.push_update(b"same", "l")
    box.push_update(b"far too long", "l")
    box.push_update(b"k2", "k")
    assert drained(box) == [b"k2"]


def test_a_replay_comes_after_the_answers_before_it_and_before_everything_new() -> None:
    box = Outbox()
    box.push(b"ack")
    box.replay([b"r1", b"r2"])
    box.push_event(b"e", 1)
    assert drained(box) == [b"ack", b"r1", b"r2", b"e"]


def test_a_replay_is_drawn_as_the_client_drains_and_costs_no_room() -> None:
    drawn: deque[int] = deque()

    def lines() -> Iterator[bytes]:
        for n in range(1000):
            drawn.append(n)
            yield b"x" * 1000

    box = Outbox(max_bytes=LOST_ROOM_BYTES + 10, max_lines=2)
    box.replay(lines())
    assert box.queued_bytes == 0
    for popped in range(1, 4):
        box.pop()
        assert len(drawn) == popped
    box.push_event(b"1234567890", 1)
    assert len(drained(box)) == 1000 - 3 + 1


def test_the_defaults_are_the_protocols() -> None:
    assert (MAX_QUEUED_BYTES, MAX_QUEUED_LINES) == (1024 * 1024, 1024)


class Reference(RuleBasedStateMachine):
    """A naive box without limits runs beside the real one; what is missing must have been announced."""

    @initialize(max_bytes=st.integers(LOST_ROOM_BYTES, LOST_ROOM_BYTES + 60), max_lines=st.integers(0, 8))
    def start(self, max_bytes: int, max_lines: int) -> None:
        self.room_bytes = max_bytes - LOST_ROOM_BYTES
        self.max_lines = max_lines
        self.box = Outbox(max_bytes=max_bytes, max_lines=max_lines)
        self.seq = 0  # of the newest event
        self.settled = 0  # every event up to here was sent or covered
        self.owed: deque[bytes] = deque()  # answers, in order
        self.replay: deque[bytes] = deque()
        self.replayed = False
        self.newest: dict[bytes, bytes] = {}
        self.ended = False

    @precondition(lambda self: not self.ended)
    @rule(size=st.integers(0, 30))
    def answer(self, size: int) -> None:
        line = b"answer %d " % len(self.owed) + b"." * size
        try:
            self.box.push(line)
        except BoxFullError:
            self.ended = True  # the client is cut off
            return
        self.owed.append(line)

    @rule(size=st.integers(0, 30))
    def event(self, size: int) -> None:
        self.seq += 1
        self.box.push_event(b"event %d " % self.seq + b"." * size, self.seq)

    @rule(key=st.sampled_from([b"k", b"l"]), size=st.integers(0, 30))
    def update(self, key: bytes, size: int) -> None:
        self.newest[key] = b"update " + key + b"." * size
        self.box.push_update(self.newest[key], key.decode())

    @precondition(lambda self: not self.replayed and self.seq == 0 and not self.newest)
    @rule(count=st.integers(0, 5))
    def subscribe(self, count: int) -> None:
        self.replayed = True
        self.replay = deque(b"replay %d" % n for n in range(count))
        self.answers_first = len(self.owed)
        self.box.replay(list(self.replay))

    @rule()
    def drain_one(self) -> None:
        line = self.box.pop()
        if line is None:
            assert not self.owed
            assert not self.replay
            assert self.settled == self.seq
        else:
            self._sent(line)

    @rule()
    def drain_all(self) -> None:
        for line in drained(self.box):
            self._sent(line)
        assert self.settled == self.seq
        assert not self.owed
        assert not self.replay

    def _sent(self, line: bytes) -> None:
        kind, *rest = line.split(b" ")
        if kind == b"answer":
            assert self.owed.popleft() == line
            if self.replayed and self.answers_first:
                self.answers_first -= 1
            else:
                assert not self.replay
        elif kind == b"replay":
            assert self.answers_first == 0
            assert self.replay.popleft() == line
        elif kind == b"event":
            assert not self.replay
            assert int(rest[0]) == self.settled + 1, "an event is missing and no `lost` covered it"
            self.settled += 1
        elif kind == b"update":
            assert not self.replay
            assert line == self.newest[line.split(b" ")[1][:1]], "an update that is not the newest was sent"
        else:
            assert lost(line).from_seq == self.settled + 1, "a `lost` overlaps or leaves a hole"
            assert lost(line).count > 0
            self.settled += lost(line).count

    @invariant()
    def the_limits_hold(self) -> None:
        if hasattr(self, "box"):
            assert self.box.queued_bytes <= self.room_bytes
            assert len(self.box._lines) <= self.max_lines
            assert self.box.queued_bytes == sum(len(line.data) for line in self.box._lines)
            assert {line.key for line in self.box._lines if line.key} == set(self.box._by_key)


Reference.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestReference = Reference.TestCase
