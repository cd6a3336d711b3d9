"""Draw `docs/images/tui.svg`, the picture of the README, from the sample: always the same file.

    python scripts/screenshot.py [--check]

With `--check` nothing is written, and the exit status is 1 when the picture is out of date.
"""

import asyncio
import sys
from pathlib import Path

from hearing_tui.app import HearingApp
from hearing_tui.sample import sample_state
from hearing_tui.screenshot import picture, save

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "tui.svg"
SIZE = (92, 29)


def main() -> int:
    """Write or check the picture."""
    svg = asyncio.run(picture(HearingApp(None, theme="textual-dark", state=sample_state()), SIZE, live=False))
    if "--check" not in sys.argv:
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        save(svg, PICTURE)
        return 0
    if PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == svg:
        return 0
    print(f"{PICTURE.name} is out of date: run `python scripts/screenshot.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
