"""Answers are read as `json.loads` reads them."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing_ctl import exits
from hearing_ctl.answers import body_of, expect

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _JSON), st.booleans())
def test_every_object_is_read_as_json_reads_it(body: dict[str, object], ascii_only: bool) -> None:
    assert body_of(json.dumps(body, ensure_ascii=ascii_only).encode()) == body


@given(st.binary(max_size=60))
def test_bytes_are_an_object_or_refused(line: bytes) -> None:
    try:
        expected = json.loads(line.decode())
    except (ValueError, RecursionError):
        expected = None
    if isinstance(expected, dict):
        assert body_of(line) == expected
        return
    with pytest.raises(exits.StopError, match="no JSON object"):
        body_of(line)


def test_without_the_compiled_scanner_the_package_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    assert body_of(b'{"a":1}') == {"a": 1}


def test_the_right_kind_is_given_back() -> None:
    assert expect(b'{"type":"status","mode":"idle"}', "status") == {"type": "status", "mode": "idle"}
