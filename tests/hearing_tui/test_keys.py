"""The one table of keys has no key twice and says what each does."""

from hearing_tui.keys import CLOSE, KEYS

TAKEN_LATER = set("aetscm") | {"enter"}
"""Keys of the command, chat and triage panes to come."""


def test_no_key_does_two_things() -> None:
    keys = [name for key in (*KEYS, CLOSE) for name in key.keys]
    assert len(keys) == len(set(keys))


def test_no_key_is_one_that_later_panes_need() -> None:
    assert not {name for key in KEYS for name in key.keys} & TAKEN_LATER


def test_every_key_says_what_it_does() -> None:
    assert all(key.help and key.shown for key in (*KEYS, CLOSE))


def test_there_is_always_a_way_out() -> None:
    assert any(key.priority and key.action == "quit" and "ctrl+c" in key.keys for key in KEYS)
