"""Make the generated parts of the docs anew: tables out of the code's own, and the picture of the README.

    python scripts/make_docs.py [--check]

A part stands between `<!-- NAME: … -->` and `<!-- /NAME -->` on its page. With `--check` nothing is written,
and the exit status is 1 when a part is out of date.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from hearing_ctl import help_text
from hearing_daemon.capture import reopen
from hearing_tui import tables

ROOT = Path(__file__).resolve().parent.parent

PARTS: tuple[tuple[str, str, Callable[[], str]], ...] = (
    ("assistant.md", "verbs", help_text.markdown),
    ("capture.md", "reopening", reopen.markdown),
    ("tui.md", "keys", tables.keys_table),
    ("tui.md", "banners", tables.banners_table),
)


def filled(page: str, name: str, content: str) -> str:
    """Give the page with the part `name` replaced.

    Raises:
        ValueError: The page has no such part.
    """
    part = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(\n<!-- /{name} -->)", re.DOTALL)
    if not part.search(page):
        raise ValueError(f"the page has no part `{name}`")
    return part.sub(lambda found: found[1] + content.strip("\n") + found[2], page)


def main() -> int:
    """Write or check every part."""
    check = "--check" in sys.argv
    stale = []
    for file, name, make in PARTS:
        path = ROOT / "docs" / file
        page = path.read_text(encoding="utf-8")
        wanted = filled(page, name, make())
        if wanted != page:
            stale.append(f"`{name}` of `docs/{file}`")
            if not check:
                path.write_text(wanted, encoding="utf-8")
    picture = [sys.executable, str(ROOT / "scripts" / "screenshot.py"), *(["--check"] if check else [])]
    drawn = subprocess.run(picture, check=False)
    if check and stale:
        print(f"out of date: {', '.join(stale)}; run `make docs`", file=sys.stderr)
    return 1 if drawn.returncode or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
