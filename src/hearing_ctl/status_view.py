"""`status` for people: one aligned line a part, unhealthy ones with what to do."""

from __future__ import annotations

from hearing.safe_text import safe_line
from hearing_ctl import exits
from hearing_ctl.answers import expect
from hearing_ctl.output import coloured, write, write_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_GREEN, _YELLOW, _RED, _PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"
_WELL = {"listening", "ready", "remote", "idle", "yes"}
_BAD = {"no_device", "failed", "no_model", "no"}
_SOUND = {"listening", "quiet", "degraded"}
_WARNED = {"starting", "quiet", "no_signal", "degraded", "reopening", "muted", "loading", "restarting"}


def show(line: bytes, *, raw: bool) -> int:
    """Print the answer.

    Raises:
        StopError: It is no status.
    """
    if raw:
        if not line.startswith(b'{"type":"status",'):  # as our own assistant writes it
            expect(line, "status")
        write(line.decode("utf-8", "replace") + "\n")
    else:
        write_own(render(expect(line, "status"), colours=coloured()))
    return exits.OK


class Row:
    """One line of the view: a part, its state, what else is known, and what to do about it."""

    __slots__ = ("detail", "hint", "name", "state")

    def __init__(self, name: str, state: str, detail: str = "", hint: str = "") -> None:
        self.name = safe_line(name)
        self.state = safe_line(state)
        self.detail = safe_line(detail)
        self.hint = safe_line(hint)


def render(status: dict[str, Any], *, colours: bool) -> str:
    """Give the whole view."""
    found = rows(status)
    names = max(len(row.name) for row in found) + 2
    states = max((len(row.state) for row in found if row.detail), default=0) + 2
    lines: list[str] = []
    for row in found:
        state = f"{row.state:<{states}}"
        paint = _colour(row.state) if colours else ""
        lines.append(f"{row.name:<{names}}{paint}{state}{_PLAIN if paint else ''}{row.detail}".rstrip())
        if row.hint:
            lines.append(f"{'':<{names}}hint: {row.hint}")
    return "\n".join(lines) + "\n"


def rows(status: dict[str, Any]) -> list[Row]:
    """Choose what is worth a line, most telling first; what a newer assistant adds is left out."""
    health = status.get("health")
    parts = [item for item in health if isinstance(item, dict)] if isinstance(health, list) else []
    session = status.get("session")
    return [
        _hearing(
            _table(status, "stt"), {str(item.get("state")) for item in parts if item.get("part") != "stt"}
        ),
        *(_health(item) for item in parts),
        Row("mode", str(status.get("mode"))),
        _llm(status.get("llm")),
        _queue(_table(status, "queue")),
        Row("viewers", str(status.get("viewers"))),
        *([Row("session", str(session))] if session else []),
        Row("up", _duration(status.get("uptime_ms"))),
    ]


def _hearing(stt: dict[str, Any], legs: set[str]) -> Row:
    """Say yes where words can come: a healthy recognizer, and a leg with sound, if it has any."""
    known = [str(stt["model"])] if stt.get("model") else []
    if stt.get("backlog"):
        known.append(f"{stt['backlog']} segments waiting")
    if stt.get("muted"):
        return Row("hearing", "muted", ", ".join(known), "`hearing-ctl listen on` opens the microphone again")
    hears = stt.get("healthy") is True and (not legs or not legs.isdisjoint(_SOUND))
    return Row("hearing", "yes" if hears else "no", ", ".join(known))


def _health(item: dict[str, Any]) -> Row:
    known = [str(item[key]) for key in ("device", "detail") if item.get(key)]
    return Row(str(item.get("part")), str(item.get("state")), ", ".join(known), str(item.get("hint") or ""))


def _llm(llm: object) -> Row:
    if not isinstance(llm, dict):
        return Row("llm", "none")
    where = "on this machine" if llm.get("loopback") is True else "text leaves this machine"
    return Row("llm", str(llm.get("name")), where)


def _queue(queue: dict[str, Any]) -> Row:
    state = str(queue.get("kind") or "busy") if queue.get("busy") else "empty"
    return Row("queue", state, f"{queue['depth']} waiting" if queue.get("depth") else "")


def _duration(ms: object) -> str:
    seconds = ms // 1000 if isinstance(ms, int) else 0
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    )


def _colour(state: str) -> str:
    if state in _WELL:
        return _GREEN
    return _RED if state in _BAD else _YELLOW if state in _WARNED else ""


def _table(status: dict[str, Any], key: str) -> dict[str, Any]:
    value = status.get(key)
    return value if isinstance(value, dict) else {}
