"""The table of verbs makes requests that the assistant understands."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.messages import control
from hearing.protocol import REQUESTS, decode
from hearing_ctl.verbs import OPPOSITE, VERBS, Verb, minutes_as_ms, request, text


def _values(verb: Verb) -> list[list[tuple[str, str]]]:
    """List each field's possible values."""
    found = []
    for argument in (*verb.arguments, *verb.options):
        values = (
            [value for value in argument.words.values() if value != OPPOSITE] if argument.words else ["60000"]
        )
        if argument.takes_value:
            found.append([(argument.field, value) for value in values])
    return found


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_request_the_table_can_write_is_one_the_assistant_reads(verb: Verb) -> None:
    for fields in itertools.product(*_values(verb)):
        line = request(verb, dict(fields))
        decoded = decode(REQUESTS, line)
        body = json.loads(line)
        assert body.pop("type") == verb.type
        assert {name: getattr(decoded, name) for name in body} == body


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_has_a_type_of_the_protocol_an_answer_and_help(verb: Verb) -> None:
    assert verb.type in REQUESTS.tags
    assert verb.answer in {"ack", "status", "transcript_text"}
    assert verb.help
    assert all(argument.help for argument in (*verb.arguments, *verb.options))


def test_the_formats_are_those_of_the_protocol() -> None:
    (verb,) = [verb for verb in VERBS if verb.name == "transcript"]
    assert list(verb.options[0].words or ()) == [form.value for form in control.TranscriptFormat]


@given(st.text())
def test_text_is_escaped_as_json_or_refused(word: str) -> None:
    written = text(word)
    assert written is not None
    assert json.loads(written) == word
    assert "\n" not in written


@given(st.text(st.characters(categories=["Cs"]), min_size=1))
def test_bytes_that_are_no_utf8_are_refused(word: str) -> None:
    assert text("a" + word) is None


@pytest.mark.parametrize(
    ("word", "ms"),
    [
        ("5", "300000"),
        ("0.5", "30000"),
        ("1e3", "60000000"),
        ("0", None),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("1e400", None),
        ("five", None),
        ("", None),
    ],
)
def test_minutes_are_above_zero_and_finite(word: str, ms: str | None) -> None:
    assert minutes_as_ms(word) == ms
