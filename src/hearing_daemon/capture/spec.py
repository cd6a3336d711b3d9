"""Which source a leg listens to, as the command line writes it and as the capture child is told."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hearing.errors import UsageError

AUTO = "auto"
OFF = "off"
MAX_SPEED = float("inf")
"""`--speed max`: as fast as the reader takes it."""

SPEC_HINT = (
    "a source is a path, `file:PATH`, `stdin`, `auto`, `pulse`, `pulse:NAME`, "
    "`sounddevice` or `sounddevice:NAME`"
)


class WhenMuted(StrEnum):
    """What muting does to a source that is open."""

    CLOSE = "close"  # a device: nothing may listen
    DISCARD = "discard"  # a pipe: it cannot be reopened, and what was said must not be kept
    HOLD = "hold"  # a file: it waits


class RawFormat(StrEnum):
    """How one sample of raw PCM is written; all little-endian."""

    S16LE = "s16le"
    S32LE = "s32le"
    F32LE = "f32le"
    U8 = "u8"


@dataclass(frozen=True, slots=True)
class RawLayout:
    """What raw PCM does not say of itself."""

    rate_hz: int = 16_000
    channels: int = 1
    sample: RawFormat = RawFormat.S16LE


DEFAULT_LAYOUT = RawLayout()


@dataclass(frozen=True, slots=True)
class FileSource:
    """A sound or video file; `speed` 1 plays it in real time."""

    path: Path
    speed: float = 1.0
    live = False
    when_muted = WhenMuted.HOLD

    @property
    def name(self) -> str:
        """Name it for people."""
        return self.path.name

    @property
    def spec(self) -> str:
        """Write it as `parse` reads it."""
        return f"file:{self.path}"


@dataclass(frozen=True, slots=True)
class StdinSource:
    """Raw PCM on standard input, taken no faster than `speed`."""

    layout: RawLayout = DEFAULT_LAYOUT
    speed: float = 1.0
    live = False
    when_muted = WhenMuted.DISCARD
    name = "stdin"
    spec = "stdin"


class Backend(StrEnum):
    """How a device is opened."""

    AUTO = AUTO
    PULSE = "pulse"
    SOUNDDEVICE = "sounddevice"


@dataclass(frozen=True, slots=True)
class DeviceSource:
    """A microphone or a monitor; `device` is `auto` for the default one of the leg."""

    backend: Backend = Backend.AUTO
    device: str = AUTO
    live = True
    when_muted = WhenMuted.CLOSE
    speed = 1.0

    @property
    def name(self) -> str:
        """Name it for people."""
        return self.device

    @property
    def spec(self) -> str:
        """Write it as `parse` reads it."""
        return self.backend if self.device == AUTO else f"{self.backend}:{self.device}"


Source = FileSource | StdinSource | DeviceSource


def parse(text: str, *, speed: float = 1.0, layout: RawLayout = DEFAULT_LAYOUT) -> Source:
    """Read a SPEC.

    Raises:
        UsageError: It is empty, or a prefix names nothing.
    """
    head, colon, rest = text.partition(":")
    if text == "stdin":
        return StdinSource(layout, speed)
    if head in set(Backend) and (rest or not colon):
        return DeviceSource(Backend(head), rest or AUTO)
    if head == "file" and rest:
        return FileSource(Path(rest), speed)
    if not text or (colon and not rest and head in {*Backend, "file"}):
        raise UsageError(f"source `{text}` names nothing", hint=SPEC_HINT)
    return FileSource(Path(text), speed)


def parse_device(text: str, backend: Backend) -> DeviceSource:
    """Read what names a device: a name, or a name behind the back end that opens it."""
    head, colon, rest = text.partition(":")
    if head in (Backend.PULSE, Backend.SOUNDDEVICE) and (rest or not colon):
        return DeviceSource(Backend(head), rest or AUTO)
    return DeviceSource(backend, text)
