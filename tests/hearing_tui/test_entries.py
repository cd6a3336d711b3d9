"""What enters the history is harmless, bounded, and says who spoke."""

from collections.abc import Callable

import pytest

from hearing.messages.common import Lost, Transcript
from hearing.messages.daemon import Dropped, Gap
from hearing.types import Channel
from hearing_tui import entries
from hearing_tui.entries import MAX_TEXT_CHARS, Naming

Say = Callable[..., Transcript]


@pytest.mark.parametrize(
    ("status", "speaker", "naming", "shown"),
    [
        ("none", "Ada", Naming.OFF, ""),
        ("matched", "Ada", Naming.NAMED, "Ada"),
        ("matched", None, Naming.UNKNOWN, "Unknown"),
        ("unknown", "Unknown", Naming.UNKNOWN, "Unknown"),
        ("uncertain", "\x1b\u202e", Naming.UNKNOWN, "Unknown"),
    ],
)
def test_who_spoke(say: Say, status: str, speaker: str | None, naming: Naming, shown: str) -> None:
    entry = entries.spoken(say("hello", speaker=speaker, speaker_status=status))
    assert (entry.naming, entry.speaker) == (naming, shown)


def test_a_transcript_is_one_harmless_line(say: Say) -> None:
    entry = entries.spoken(
        say("a\x1b[2J\nb\t\u202ec", language="\x9ben", speaker="\x07x", speaker_status="matched")
    )
    assert (entry.text, entry.language, entry.speaker) == ("a[2J b c", "en", "x")


def test_text_is_bounded(say: Say) -> None:
    entry = entries.spoken(say("word " * 100_000))
    assert len(entry.text) < MAX_TEXT_CHARS + 20
    assert entry.text.endswith("… (cut)")


def test_an_entry_is_not_later_than_the_speech_that_follows_it(say: Say) -> None:
    """Its stamp is when the words were known; by then the next sentence had begun."""
    entry = entries.spoken(say("x", ts="2026-01-02T00:14:33.500+00:00", start_ms=14_000, end_ms=22_000))
    assert entry.at == "00:14:25"


def test_an_end_before_the_start_lasts_nothing(say: Say) -> None:
    assert entries.spoken(say("x", start_ms=500, end_ms=100)).duration_ms == 0


def test_a_gap_says_how_much_and_why() -> None:
    note = entries.gap(Gap(leg=Channel.SYSTEM, from_ms=1000, to_ms=3500, reason="device_lost"))
    assert (note.text, note.leg) == ("2.5 s missing: device lost", Channel.SYSTEM)


@pytest.mark.parametrize("reason", Dropped)
def test_every_reason_to_drop_has_a_sentence(reason: Dropped) -> None:
    assert entries.dropped(reason, Channel.MIC, "").text


def test_lost_events_are_counted() -> None:
    assert entries.lost(Lost(from_seq=4, count=17)).text.startswith("17 events lost")
