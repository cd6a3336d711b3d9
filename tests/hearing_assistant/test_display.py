"""Who is shown beside a line."""

import pytest

from hearing.messages.common import Transcript
from hearing.rendering import who
from hearing.types import Channel
from hearing_assistant.display import resolved


def _said(status: str, speaker: str | None, leg: Channel = Channel.MIC) -> Transcript:
    return Transcript(
        seg_id=1, leg=leg, start_ms=0, end_ms=1, text="x", speaker_status=status, speaker=speaker
    )


@pytest.mark.parametrize(
    ("status", "speaker", "shown"),
    [
        ("matched", "Efren", "Efren"),
        ("matched", None, "Unknown"),
        ("matched", "", "Unknown"),
        ("uncertain", "Efren", "Unknown"),
        ("unknown", None, "Unknown"),
        ("none", "Efren", None),
        ("none", None, None),
        ("a status of a newer daemon", "Efren", "Unknown"),
    ],
)
def test_only_a_matched_and_named_voice_has_its_name(
    status: str, speaker: str | None, shown: str | None
) -> None:
    assert resolved(_said(status, speaker)).speaker == shown


def test_resolving_changes_nothing_else() -> None:
    said = _said("matched", "Efren")
    assert resolved(said) == said


@pytest.mark.parametrize(("leg", "name"), [(Channel.MIC, "me"), (Channel.SYSTEM, "them")])
def test_without_identification_a_document_names_the_leg(leg: Channel, name: str) -> None:
    assert who(resolved(_said("none", None, leg))) == name
