"""The words in which the daemon is spoken of: facts about it, what is known, what follows. Pure."""

from dataclasses import dataclass, field
from enum import StrEnum

from hearing.messages import daemon
from hearing.messages.common import Event, Health, HealthPart, Speaker, Transcript, Update
from hearing.types import Channel

START_HINT = "start it with `hearing up`"
RESTART_HINT = "restart it: `hearing down`, then `hearing up`"


class Contact(StrEnum):
    """Whether the daemon can be heard."""

    AWAY = "away"
    LIVE = "live"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Gone:
    """The daemon cannot be reached, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hung:
    """Connected, but no heartbeat has come for `for_s` seconds."""

    for_s: float


@dataclass(frozen=True, slots=True)
class Rebooted:
    """The daemon is another process than before: its stream time begins again at zero."""


@dataclass(frozen=True, slots=True)
class Muted:
    """The `listening` file says so; whether the devices are closed is what the legs' health says."""

    muted: bool


Incoming = daemon.DaemonMessage | Gone | Hung | Rebooted | Muted


@dataclass(frozen=True, slots=True)
class Heard:
    """Keep and relay this final, its speaker resolved."""

    transcript: Transcript


@dataclass(frozen=True, slots=True)
class NewTimeline:
    """Stream time begins again: let it go on where the words before it ended."""


Effect = Event | Update | Heard | NewTimeline


@dataclass(frozen=True, slots=True)
class HearingState:
    """What is known of the daemon; never changed in place.

    `health`, `model` and `speakers` stay as last heard while the daemon is away; what clients are shown of
    them is for `hearing_view` to say.
    """

    contact: Contact = Contact.AWAY
    why: str = "no daemon is running"
    hint: str = START_HINT
    health: dict[HealthPart, Health] = field(default_factory=dict)
    open: dict[int, Channel] = field(default_factory=dict)
    pending: frozenset[int] = frozenset()
    speakers: tuple[Speaker, ...] = ()
    model: str | None = None
    backlog: int = 0
    level_dbfs: dict[Channel, float | None] = field(default_factory=dict)
    muted: bool = False
