"""The recording that ships."""

from hearing_cli.demo.recording import recording


def test_it_is_a_meeting_of_two_with_names_numbers_and_a_question() -> None:
    with recording() as played:
        assert played.path.read_bytes().startswith(b"fLaC")
        meeting = played.meeting
    assert len({turn.speaker for turn in meeting.turns}) == 2
    assert len(meeting.text.split()) >= 150
    assert "?" in meeting.text
    assert all(a.end_ms <= b.start_ms for a, b in zip(meeting.turns, meeting.turns[1:], strict=False))
