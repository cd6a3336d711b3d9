"""The time of day of a stamp, as people read it beside words. Pure."""

import re
from typing import Final

_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?", re.ASCII)
_DAY_S: Final = 86_400


def time_of_day(ts: object, *, before_ms: int = 0) -> str:
    """Give `HH:MM:SS` of an ISO 8601 stamp in the zone it carries, `before_ms` earlier; "" if it is none.

    Words are stamped when they are known, which is after they were said: their length is what to go back.
    """
    found = _STAMP.match(ts) if isinstance(ts, str) else None
    if found is None:
        return ""
    hours, minutes, seconds, ms = (int(part or 0) for part in found.groups())
    at_ms = ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms - before_ms
    minutes, seconds = divmod(at_ms // 1000 % _DAY_S, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}"
