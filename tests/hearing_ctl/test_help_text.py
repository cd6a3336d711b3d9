"""Help and docs come from the table."""

import pytest

from hearing_ctl.help_text import of_verb, overview
from hearing_ctl.verbs import VERBS, Verb


def test_the_overview_names_every_verb_and_its_help() -> None:
    text = overview()
    for verb in VERBS:
        assert verb.usage in text
        assert verb.help in text


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_help_of_a_verb_names_all_its_words(verb: Verb) -> None:
    text = of_verb(verb)
    for argument in (*verb.arguments, *verb.options):
        assert argument.help in text
        assert argument.metavar in text


def test_no_line_is_wider_than_a_terminal() -> None:
    assert max(len(line) for line in (overview() + "".join(map(of_verb, VERBS))).splitlines()) <= 100
