"""Every message survives the wire, has its own tag, and stands in `docs/protocol.md` with all its fields."""

import re
import typing
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hearing.errors import ErrorCode
from hearing.messages import common, control, daemon
from hearing.messages.common import Event, HealthState, Message, Update
from hearing.protocol import (
    CONTROL,
    DAEMON,
    INBOUND_LINE_BYTES,
    MAX_DEPTH,
    OUTBOUND_LINE_BYTES,
    REQUESTS,
    Dialect,
    decode,
    encode,
)
from hearing.transport.connection import Limits
from hearing.transport.outbox import MAX_QUEUED_BYTES, MAX_QUEUED_LINES
from hearing.types import Channel

DOCS = Path(__file__).parents[3] / "docs" / "protocol.md"
EVERYWHERE = {"type", "seq", "ts", "request_id"}
SHARED = {common.Hello, common.Error, common.Lost}

Struct = type[Message]


def members(union: Any) -> list[Struct]:
    return list(typing.get_args(union))


UNIONS: dict[str, tuple[Any, Dialect[Any]]] = {
    "daemon": (daemon.DaemonMessage, DAEMON),
    "requests": (control.ControlRequest, REQUESTS),
    "control": (control.ControlMessage, CONTROL),
}


def tag_of(struct: Struct) -> str:
    return str(struct.__struct_config__.tag)


EVERY = [
    pytest.param(struct, dialect, id=f"{name}-{tag_of(struct)}")
    for name, (union, dialect) in UNIONS.items()
    for struct in members(union)
]


def sample(kind: Any, *, full: bool) -> Any:
    """A value of a field's type: everything set to something, or as little as possible."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is msgspec.UnsetType:
        return msgspec.UNSET
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return filled(kind, full=full)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[-1]
    if origin is list:
        return [sample(inner[0], full=full)] if full else []
    if origin is dict:
        return {sample(inner[0], full=full): sample(inner[1], full=full)} if full else {}
    if inner:  # a union: its first or its emptiest member
        return sample(inner[0] if full else inner[-1], full=full)
    return {str: "é\n\u202e" if full else "", int: 7, float: 0.5, bool: True, type(None): None}[kind]


def filled(struct: type[msgspec.Struct], *, full: bool) -> Any:
    hints = typing.get_type_hints(struct)
    given = {
        field.name: sample(hints[field.name], full=full)
        for field in msgspec.structs.fields(struct)
        if full or field.required
    }
    return struct(**given)


@pytest.mark.parametrize(("struct", "dialect"), EVERY)
@pytest.mark.parametrize("full", [True, False], ids=["full", "bare"])
def test_it_comes_back_from_the_wire_as_it_was(struct: Struct, dialect: Dialect[Any], full: bool) -> None:
    message = filled(struct, full=full)
    assert decode(dialect, encode(message)) == message


@pytest.mark.parametrize(("struct", "dialect"), EVERY)
def test_a_field_of_a_newer_version_is_ignored(struct: Struct, dialect: Dialect[Any]) -> None:
    message = filled(struct, full=True)
    newer = encode(message).replace(b"{", b'{"newer":{"a":[1]},', 1)
    assert decode(dialect, newer) == message


@pytest.mark.parametrize(("struct", "dialect"), EVERY)
def test_it_is_frozen_and_tagged_in_lower_case(struct: Struct, dialect: Dialect[Any]) -> None:
    assert struct.__struct_config__.frozen
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", tag_of(struct))
    assert tag_of(struct) in dialect.tags


@pytest.mark.parametrize("name", UNIONS)
def test_no_two_messages_of_a_union_share_a_tag(name: str) -> None:
    union, dialect = UNIONS[name]
    tags = [tag_of(struct) for struct in members(union)]
    assert sorted(tags) == sorted(set(tags)) == sorted(dialect.tags)


@pytest.mark.parametrize(("struct", "dialect"), EVERY)
def test_every_number_that_measures_names_its_unit(struct: Struct, dialect: Dialect[Any]) -> None:
    """Times end in `_ms` or `_s`; what is no time is one of the plain counts listed here."""
    counts = {
        *("seq", "seg_id", "pid", "proto", "count", "from_seq", "pieces", "backlog", "xruns", "last_seq"),
        *("seg", "inf", "depth", "viewers", "segments", "next_index", "from_index", "request_id"),
        *("seg_ids", "pending"),
        *("confidence", "speaker_score", "rtf"),
    }
    for name, kind in typing.get_type_hints(struct).items():
        if {int, float} & {kind, *typing.get_args(kind)}:
            assert name in counts or name.endswith(("_ms", "_s", "_dbfs")), name


def test_events_wait_for_their_number_and_updates_have_none() -> None:
    fresh = common.SpeechStart(seg_id=1, leg=Channel.MIC, at_ms=3)
    assert isinstance(fresh, Event)
    assert fresh.seq is msgspec.UNSET
    assert b"seq" not in encode(fresh)
    partial = common.Partial(seg_id=4, leg=Channel.MIC, stable="", unstable="")
    assert isinstance(partial, Update)
    assert "seq" not in partial.__struct_fields__


def test_an_update_replaces_its_own_kind_and_a_partial_its_own_segment() -> None:
    def key(seg_id: int) -> str:
        return common.Partial(seg_id=seg_id, leg=Channel.MIC, stable="", unstable="").conflation_key

    assert key(1) != key(2)
    assert key(1) == key(1)
    queue = control.Queue(depth=1, busy=True)
    assert queue.conflation_key == control.Queue(depth=0, busy=False).conflation_key != key(1)


# --- the contract in words ---

Rows = dict[str, set[str]]


def tables() -> dict[str, Rows]:
    """Read each section's table of messages: `type` to its field names."""
    found: dict[str, Rows] = {}
    section = ""
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        row = re.match(r"\| `(\w+)` \| ([^|]*) \|", line)
        if row and "Common" not in section:
            assert row[1] not in found.setdefault(section, {}), f"`{row[1]}` stands twice in `{section}`"
            found[section][row[1]] = set(re.findall(r"`(\w+)`", row[2]))
    return found


def documented(structs: list[Struct]) -> Rows:
    return {tag_of(struct): set(struct.__struct_fields__) - EVERYWHERE for struct in structs}


def relayed() -> list[Struct]:
    """The daemon's events that the assistant passes on; the docs list them once."""
    ours, theirs = members(control.ControlMessage), members(daemon.DaemonMessage)
    return [struct for struct in ours if struct in theirs and struct not in SHARED]


SECTIONS: dict[str, list[Struct]] = {
    "Both sockets": [common.Hello, common.Error, common.Lost],
    "Daemon → subscribers": [s for s in members(daemon.DaemonMessage) if s not in SHARED],
    "Clients → assistant": members(control.ControlRequest),
    "Assistant → clients: answers": [s for s in members(control.ControlAnswer) if s not in SHARED],
    "Assistant → clients: events": [
        s for s in members(control.ControlEvent) if s not in SHARED and s not in relayed()
    ],
}


@pytest.mark.parametrize("section", SECTIONS)
def test_the_docs_list_exactly_the_messages_and_fields_of(section: str) -> None:
    assert tables()[section] == documented(SECTIONS[section])


def test_the_docs_have_no_other_messages() -> None:
    assert set(tables()) == set(SECTIONS)


def test_the_docs_name_every_relayed_event() -> None:
    text = DOCS.read_text(encoding="utf-8")
    paragraph = re.split(r"are\s+the\s+daemon's", text.split("## Assistant → clients: events")[1])[0]
    assert set(re.findall(r"`(\w+)`", paragraph)) == {tag_of(struct) for struct in relayed()}


def test_the_docs_name_every_state_of_health() -> None:
    text = DOCS.read_text(encoding="utf-8")
    sentence = re.search(r"States of a leg: (.*?\.) States of the recognizer: (.*?\.)", text, re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[0])) == {state.value for state in HealthState}


def test_the_docs_name_only_error_codes_that_exist() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert set(re.findall(r"`error\{(\w+)\}`", text)) <= {code.value for code in ErrorCode}


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ("a line in", f"{INBOUND_LINE_BYTES // 1024} KiB"),
        ("a line out", f"{OUTBOUND_LINE_BYTES // 1024} KiB"),
        ("nesting", str(MAX_DEPTH)),
        ("a started line", f"{Limits().line_s:g} s"),
        ("clients of a server", str(Limits().clients)),
        ("requests of a client", f"{Limits().requests_per_s} a second"),
        ("unsent lines of a client", f"{MAX_QUEUED_BYTES >> 20} MiB or {MAX_QUEUED_LINES:,}"),
        ("a client that does not read", f"{Limits().stall_s:g} s"),
    ],
)
def test_the_docs_state_the_limits_of_the_code(row: str, value: str) -> None:
    assert f"| {row} | {value} |" in DOCS.read_text(encoding="utf-8")
