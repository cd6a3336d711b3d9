"""`--screenshot`: the screen as an SVG that fetches nothing from anywhere."""

import asyncio
import re
from pathlib import Path
from typing import Final

from hearing.errors import HearingError, UnavailableError
from hearing_tui.app import HearingApp
from hearing_tui.link import control_link
from hearing_tui.sample import sample_state
from hearing_tui.view_state import LinkState

CONNECT_S: Final = 3.0
_SETTLED_S: Final = 0.3

_FONT_FACE: Final = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_IMPORT: Final = re.compile(r"@import[^;]*;\s*")
_FAMILY: Final = re.compile(r"font-family:\s*Fira Code\s*,\s*monospace")
_OWN_FAMILY: Final = "font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def run(runtime_dir: Path | None, theme: str, size: tuple[int, int], path: Path) -> None:
    """Write the picture of what the assistant behind `runtime_dir` tells, or of the sample where it is None.

    Raises:
        HearingError: There is no such theme, nobody answered, or the file cannot be written.
    """
    link = None if runtime_dir is None else control_link(runtime_dir, viewer=False, name="screenshot")
    app = HearingApp(link, theme=theme, state=None if link else sample_state())
    save(asyncio.run(picture(app, size, live=link is not None)), path)


async def picture(app: HearingApp, size: tuple[int, int], *, live: bool) -> str:
    """Draw the app headless and give the SVG.

    Args:
        app: Not yet running.
        size: Columns and rows.
        live: Wait until the assistant has told what there is.

    Raises:
        UnavailableError: `live`, and no assistant answered within `CONNECT_S`.
    """
    async with app.run_test(size=size) as pilot:
        if live:
            await _settled(app)
        await pilot.pause()
        return without_fonts(app.export_screenshot(title="hearing-tui"))


def without_fonts(svg: str) -> str:
    """Take out every reference to a remote font and name fonts that are there."""
    svg = _IMPORT.sub("", _FONT_FACE.sub("", svg))
    return _FAMILY.sub(_OWN_FAMILY, svg)


def save(svg: str, path: Path) -> None:
    """Write the picture.

    Raises:
        HearingError: It cannot be written.
    """
    try:
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise HearingError(f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}") from None


async def _settled(app: HearingApp) -> None:
    """Wait for the snapshot, and for the replay behind it to end."""
    try:
        async with asyncio.timeout(CONNECT_S):
            while app.view.link is not LinkState.UP or app.view.stt is None:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise UnavailableError("no assistant answered", hint="`--sample` needs none") from None
    told = -1
    while told != app.view.total:
        told = app.view.total
        await asyncio.sleep(_SETTLED_S)
