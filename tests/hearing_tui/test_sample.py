"""The sample shows everything the pane can show, and always the same."""

from hearing_tui.banners import banners
from hearing_tui.entries import Naming, Note, Spoken
from hearing_tui.sample import sample_state


def test_it_is_always_the_same() -> None:
    assert sample_state() == sample_state()


def test_it_shows_every_kind_of_line_and_all_is_well() -> None:
    state = sample_state()
    spoken = [entry for entry in state.entries if isinstance(entry, Spoken)]
    assert {entry.naming for entry in spoken} == {Naming.NAMED, Naming.UNKNOWN}
    assert len({entry.leg for entry in spoken}) == 2
    assert any(isinstance(entry, Note) for entry in state.entries)
    assert {segment.open for segment in state.live.values()} == {True, False}
    assert banners(state) == []
