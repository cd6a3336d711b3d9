"""The daemon's health as lines."""

import asyncio
import io
from pathlib import Path

import pytest

from hearing.messages.common import Health, HealthPart, HealthState
from hearing.testing.daemon import FakeDaemon
from hearing_cli.up.watch import sentence, watch_daemon


@pytest.mark.parametrize("state", list(HealthState))
def test_every_state_has_a_sentence(state: HealthState) -> None:
    assert sentence(Health(part=HealthPart.MIC, state=state, device="USB")).startswith("hearing: ")


def test_what_is_wrong_and_what_to_do_are_said_and_drive_no_terminal() -> None:
    health = Health(
        part=HealthPart.MIC, state=HealthState.NO_DEVICE, detail="unplugged \x1b[2J", hint="plug it in"
    )
    assert sentence(health) == "hearing: mic: no device (unplugged [2J); hint: plug it in"


def test_a_recording_that_cannot_be_read_is_not_called_a_failed_recognition() -> None:
    health = Health(part=HealthPart.MIC, state=HealthState.FAILED, device="talk.mp3", detail="no sound")
    assert sentence(health) == "hearing: mic: talk.mp3 failed (no sound)"
    assert (
        sentence(Health(part=HealthPart.STT, state=HealthState.FAILED))
        == "hearing: stt: the recognizer failed"
    )


class Lines(io.StringIO):
    """A stream that says when it was told of the mute."""

    def __init__(self) -> None:
        super().__init__()
        self.muted = asyncio.Event()

    def write(self, text: str) -> int:
        if "muted" in text:
            self.muted.set()
        return super().write(text)


async def test_states_are_said_once_each_as_they_change_also_from_a_daemon_that_comes_later(
    runtime_dir: Path,
) -> None:
    stream = Lines()
    watching = asyncio.create_task(watch_daemon(runtime_dir, stream, lambda _event: None))
    async with FakeDaemon(runtime_dir) as daemon, asyncio.timeout(20):
        await daemon.subscribed()
        muted = Health(part=HealthPart.MIC, state=HealthState.MUTED)
        daemon.play([muted, muted])
        await stream.muted.wait()
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert stream.getvalue().splitlines() == [
        "hearing: mic: listening on fake microphone",
        "hearing: model ready",
        "hearing: mic: muted, the device is closed",
    ]
