"""The documentation says what the tables say; run with `UPDATE_DOCS=1` to write it anew."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hearing_tui.banners import LEG_BANNERS, MUTED, STT_BANNERS, banners
from hearing_tui.keys import CLOSE, KEYS
from hearing_tui.view_state import LinkDown, LinkSilent, LinkUp, ViewState, update

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "tui.md"


def key_rows() -> list[str]:
    rows = ["| key | also | does |", "|---|---|---|"]
    for key in (*KEYS, CLOSE):
        also = ", ".join(f"`{name}`" for name in key.keys[1:])
        rows.append(f"| `{key.shown}` | {also} | {key.help} |")
    return rows


def banner_rows() -> list[str]:
    rows = ["| what | says | hint |", "|---|---|---|"]
    tried: list[tuple[str, list[object]]] = [
        ("assistant: not there yet", []),
        ("assistant: absent", [LinkDown("reason", 1)]),
        ("assistant: lost", [LinkUp(True), LinkDown("reason", 1)]),
        ("assistant: silent for 5 s", [LinkUp(True), LinkSilent(5.0)]),
    ]
    for name, messages in tried:
        state = ViewState()
        for message in messages:
            state = update(state, message)
        (banner,) = banners(state)
        rows.append(f"| {name} | {banner.text} | {banner.hint} |")
    rows.append("| daemon: lost | the daemon is not there: nobody listens | start it with `hearing up` |")
    rows.append(f"| muted | {MUTED.text} | {MUTED.hint} |")
    for part, table in (("leg", LEG_BANNERS), ("recognizer", STT_BANNERS)):
        for health, (_level, text, hint) in table.items():
            rows.append(f"| {part}: `{health}` | {text.replace('{part}', '*leg*')} | {hint} |")
    return rows


@pytest.mark.parametrize(("name", "rows"), [("keys", key_rows), ("banners", banner_rows)])
def test_the_tables_of_the_page_are_those_of_the_program(name: str, rows: object) -> None:
    assert callable(rows)
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"(<!-- {name}: [^\n]*-->\n)(.*?)(\n<!-- /{name} -->)", page, re.DOTALL)
    assert found is not None
    wanted = "\n".join(rows())
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(page[: found.start(2)] + wanted + page[found.end(2) :], encoding="utf-8")
        return
    assert found[2] == wanted


def test_the_picture_of_the_readme_is_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "screenshot.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
