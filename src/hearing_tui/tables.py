"""The tables of `docs/tui.md`, made from what the program itself reads."""

from hearing_tui.banners import LEG_BANNERS, MUTED, STT_BANNERS, banners
from hearing_tui.keys import CLOSE, KEYS
from hearing_tui.view_state import LinkDown, LinkSilent, LinkUp, ViewState, update


def keys_table() -> str:
    """Give the keys as rows, in the order of the help screen."""
    rows = ["| key | also | does |", "|---|---|---|"]
    for key in (*KEYS, CLOSE):
        also = ", ".join(f"`{name}`" for name in key.keys[1:])
        rows.append(f"| `{key.shown}` | {also} | {key.help} |")
    return "\n".join(rows)


def banners_table() -> str:
    """Give every banner with its hint: the assistant's, the daemon's, then those of legs and recognizer."""
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
    return "\n".join(rows)
