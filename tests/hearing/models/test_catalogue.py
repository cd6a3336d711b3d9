"""The catalogue is consistent, and a wrong name is answered with the nearest one."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.errors import ModelError
from hearing.models import catalogue
from hearing.models.entry import Edition, Entry, HubSource, IndexSource

EDITIONS = [(entry, edition) for entry in catalogue.ENTRIES.values() for edition in entry.editions]


def test_the_default_is_in_the_catalogue() -> None:
    assert catalogue.DEFAULT in catalogue.ENTRIES


@pytest.mark.parametrize(("entry", "edition"), EDITIONS)
def test_every_file_has_a_plain_name_a_size_and_a_hash(entry: Entry, edition: Edition) -> None:
    assert edition.files
    for file in edition.files:
        assert re.fullmatch(r"[a-z0-9._-]+", file.name), entry.name
        assert file.size > 0
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)


@pytest.mark.parametrize(("entry", "edition"), EDITIONS)
def test_every_source_is_pinned_and_serves_just_the_edition(entry: Entry, edition: Edition) -> None:
    assert edition.sources, entry.name
    for source in edition.sources:
        match source:
            case HubSource():
                assert re.fullmatch(r"[0-9a-f]{40}", source.revision)
            case IndexSource():
                assert [name for name, _ in source.files] == [file.name for file in edition.files]
                assert all(re.fullmatch(r"[0-9.]+", wheel.version) for wheel in source.wheels)


@pytest.mark.parametrize(("entry", "edition"), EDITIONS)
def test_parts_are_joined_in_their_order(entry: Entry, edition: Edition) -> None:
    for source in edition.sources:
        if isinstance(source, IndexSource):
            for _, parts in source.files:
                assert all(one.path[-1] < two.path[-1] for one, two in pairwise(parts)), entry.name


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("tiny", "tiny.en"), ("Base", "base"), ("tiny-en", "tiny.en"), ("smart-turn", "smart-turn-v3.2")],
)
def test_a_wrong_name_gets_the_nearest(wrong: str, meant: str) -> None:
    with pytest.raises(ModelError, match=f"`{wrong}` is no known model") as caught:
        catalogue.find(wrong)
    assert caught.value.hint == f"did you mean `{meant}`?"


@given(st.text(max_size=80))
def test_any_other_name_is_a_clear_error(name: str) -> None:
    if name not in catalogue.ENTRIES:
        with pytest.raises(ModelError) as caught:
            catalogue.find(name)
        assert caught.value.hint
