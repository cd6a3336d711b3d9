"""Pictures fetch nothing and are always the same."""

from pathlib import Path

from hearing.testing.assistant import FakeAssistant
from hearing_tui.app import HearingApp
from hearing_tui.link import control_link
from hearing_tui.sample import sample_state
from hearing_tui.screenshot import picture


def sample_app() -> HearingApp:
    return HearingApp(None, theme="textual-dark", state=sample_state())


async def test_a_picture_names_no_address_and_holds_the_words() -> None:
    svg = await picture(sample_app(), (80, 24), live=False)
    assert "Unknown" in svg
    assert not {word for word in ("@font-face", "@import", "url(http", "cdnjs") if word in svg}


async def test_the_same_state_is_the_same_picture() -> None:
    pictures = [await picture(sample_app(), (80, 24), live=False) for _ in range(2)]
    assert pictures[0] == pictures[1]


async def test_a_live_picture_waits_for_the_assistant(runtime_dir: Path) -> None:
    async with FakeAssistant(runtime_dir):
        app = HearingApp(control_link(runtime_dir, viewer=False, name="x"), theme="textual-dark")
        svg = await picture(app, (80, 24), live=True)
    assert "listening" in svg
    assert "looking" not in svg
