"""Whose name stands beside a line: decided here once, before anything is relayed or rendered."""

import msgspec

from hearing.messages.common import Transcript
from hearing.types import SpeakerStatus

UNKNOWN = "Unknown"


def speaker_display(transcript: Transcript) -> str | None:
    """Give the name when matched and named, `Unknown` when not, None while identification is off."""
    if transcript.speaker_status == SpeakerStatus.NONE:
        return None
    if transcript.speaker_status == SpeakerStatus.MATCHED and transcript.speaker:
        return transcript.speaker
    return UNKNOWN


def resolved(transcript: Transcript) -> Transcript:
    """Give the transcript as clients see it, its speaker resolved."""
    return msgspec.structs.replace(transcript, speaker=speaker_display(transcript))
