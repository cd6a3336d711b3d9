"""Answers that must be read: their JSON, and refusals. Loaded only when there is one."""

from __future__ import annotations

from hearing_ctl import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class _Strict:
    """What the scanner inside `json` asks of its caller."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


def body_of(line: bytes) -> dict[str, Any]:
    """Read one answer.

    Raises:
        StopError: It is no JSON object.
    """
    try:
        body = _read(line.decode())
    except (ValueError, StopIteration, RecursionError):  # what a scanner says to bad JSON
        body = None
    if isinstance(body, dict):
        return body
    raise exits.StopError(exits.FAILED, "the assistant's answer is no JSON object")


def _read(text: str) -> object:
    """Read JSON with the scanner inside `json`, without the package: importing that takes 8 ms for nothing.

    Raises:
        ValueError: As `json.loads`; also StopIteration.
    """
    try:
        from _json import make_scanner
    except ImportError:  # an interpreter without the compiled scanner
        import json

        return json.loads(text)
    body, end = make_scanner(_Strict())(text, 0)  # type: ignore[arg-type]
    if text[end:].strip():
        raise ValueError("more than one value")
    return body


def expect(line: bytes, kind: str) -> dict[str, Any]:
    """Read an answer of the kind that was waited for.

    Raises:
        StopError: It is a refusal (status 3) or something else.
    """
    body = body_of(line)
    if body.get("type") != kind:
        refuse(body)
    return body


def refuse(body: dict[str, Any]) -> NoReturn:
    """Say what the assistant refused, as it said it."""
    from hearing.safe_text import safe_line

    if body.get("type") != "error":
        raise exits.StopError(exits.FAILED, f"the assistant answers `{safe_line(str(body.get('type')))}`")
    code, message, hint = (safe_line(str(body.get(key, ""))) for key in ("code", "message", "hint"))
    raise exits.StopError(exits.REFUSED, f"{code}: {message}", hint)
