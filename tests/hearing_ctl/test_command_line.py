"""The command line: options anywhere, and every mistake named."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing_ctl import exits
from hearing_ctl.command_line import Call, parse


def _verb(call: Call) -> str | None:
    return call.verb.name if call.verb else None


@pytest.mark.parametrize(
    ("line", "verb", "fields", "flags", "runtime_dir"),
    [
        ("status", "status", {}, set(), None),
        ("status --json", "status", {}, {"--json"}, None),
        ("--runtime-dir /d status", "status", {}, set(), "/d"),
        ("status --runtime-dir=/d", "status", {}, set(), "/d"),
        ("listen on", "listen", {"on": "true"}, set(), None),
        ("listen off", "listen", {"on": "false"}, set(), None),
        ("listen toggle", "listen", {"on": ""}, set(), None),
        (
            "transcript --format srt --last 5",
            "transcript",
            {"format": '"srt"', "last_ms": "300000"},
            set(),
            None,
        ),
        (
            "transcript --last=0.5 --format=md",
            "transcript",
            {"last_ms": "30000", "format": '"md"'},
            set(),
            None,
        ),
        ("--help", None, {}, {"--help"}, None),
        ("-h", None, {}, {"--help"}, None),
        ("-V", None, {}, {"--version"}, None),
        ("help", None, {}, {"--help"}, None),
        ("help listen", "listen", {}, {"--help"}, None),
        ("--help listen", "listen", {}, {"--help"}, None),
        ("listen --help", "listen", {}, {"--help"}, None),
        ("listen -h on", "listen", {}, {"--help"}, None),
        ("", None, {}, set(), None),
    ],
)
def test_a_good_line_is_understood(
    line: str, verb: str | None, fields: dict[str, str], flags: set[str], runtime_dir: str | None
) -> None:
    call = parse(line.split())
    assert (_verb(call), call.fields, call.flags, call.runtime_dir) == (verb, fields, flags, runtime_dir)


@pytest.mark.parametrize(
    ("line", "sentence", "hint"),
    [
        ("lisen on", "`lisen` is no verb", "did you mean `listen`?"),
        ("xyzzy", "`xyzzy` is no verb", "known: status, listen, transcript, clear"),
        ("help xyzzy", "`xyzzy` is no verb", "known: status, listen, transcript, clear"),
        ("listen", "`listen` needs `on|off|toggle`", "see `hearing-ctl help listen`"),
        ("listen maybe", "`maybe` is no `on|off|toggle`", "see `hearing-ctl help listen`"),
        ("listen on off", "`off` is one word too many for `listen`", "see `hearing-ctl help listen`"),
        ("status now", "`now` is one word too many for `status`", "see `hearing-ctl help status`"),
        ("status --jsn", "`--jsn` is no option of `status`", "see `hearing-ctl help status`"),
        ("--json status", "`--json` is no option of `hearing-ctl`", "see `hearing-ctl help`"),
        ("status --json=yes", "`--json` takes no value", "see `hearing-ctl help status`"),
        ("transcript --last", "`--last` needs a value: `MINUTES`", "see `hearing-ctl help transcript`"),
        (
            "transcript --format=",
            "`--format` needs a value: `txt|json|md|srt`",
            "see `hearing-ctl help transcript`",
        ),
        ("transcript --format pdf", "`pdf` is no `txt|json|md|srt`", "see `hearing-ctl help transcript`"),
        ("transcript --last -4", "`-4` is no `MINUTES`", "see `hearing-ctl help transcript`"),
        ("--runtime-dir", "`--runtime-dir` needs a value: `DIR`", "see `hearing-ctl help`"),
    ],
)
def test_a_mistake_is_named_with_the_way_out(line: str, sentence: str, hint: str) -> None:
    with pytest.raises(exits.StopError) as stopped:
        parse(line.split())
    assert (stopped.value.status, stopped.value.sentence, stopped.value.hint) == (exits.USAGE, sentence, hint)


@given(
    st.lists(
        st.sampled_from(["status", "listen", "on", "help", "-h", "--json", "--last", "5", "-", "", "--x=1"])
    )
)
def test_any_words_are_understood_or_refused(words: list[str]) -> None:
    with contextlib.suppress(exits.StopError):
        parse(words)
