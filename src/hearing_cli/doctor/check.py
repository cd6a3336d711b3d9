"""One finding of the doctor."""

from enum import StrEnum

import msgspec


class State(StrEnum):
    """How bad it is; only `fail` makes the doctor exit 1."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, how it is, and what mends it."""

    name: str
    state: State
    detail: str
    fix: str = ""


def ok(name: str, detail: str) -> Check:
    """Give a good finding."""
    return Check(name=name, state=State.OK, detail=detail)


def warn(name: str, detail: str, fix: str = "") -> Check:
    """Give a finding one can live with."""
    return Check(name=name, state=State.WARN, detail=detail, fix=fix)


def fail(name: str, detail: str, fix: str = "") -> Check:
    """Give a finding without whose mending something will not work."""
    return Check(name=name, state=State.FAIL, detail=detail, fix=fix)
