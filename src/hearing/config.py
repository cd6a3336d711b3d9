"""The user's configuration: TOML into frozen Structs, every mistake named with its line and nearest key."""

import difflib
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hearing import paths
from hearing.errors import ConfigError

MAX_BYTES = 1024 * 1024
"""Hundreds of times what a file with every key and its explanation takes."""

Probability = Annotated[float, Meta(ge=0.0, le=1.0)]
Milliseconds = Annotated[int, Meta(ge=0, le=600_000)]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; an unknown key is an error."""


class CaptureConfig(Section, frozen=True, kw_only=True):
    """Where sound comes from.

    `mic` and `system` name a device, or are `auto`, or `off`; `backend` is how it is opened.
    """

    backend: Literal["auto", "sounddevice", "pulse"] = "auto"
    mic: str = "auto"
    system: str = "off"


class VadConfig(Section, frozen=True, kw_only=True):
    """When speech begins and ends; all but the first two in milliseconds."""

    threshold: Probability = 0.5
    gate: Annotated[int, Meta(ge=0, le=3)] = 1
    onset_ms: Milliseconds = 96
    hang_over_ms: Milliseconds = 480
    pre_roll_ms: Milliseconds = 300
    min_speech_ms: Milliseconds = 128
    max_segment_ms: Annotated[int, Meta(ge=2_000, le=30_000)] = 24_000
    overlap_ms: Annotated[int, Meta(ge=0, le=2_000)] = 600
    turn_silence_ms: Milliseconds = 900


class SttConfig(Section, frozen=True, kw_only=True):
    """How speech becomes text; `threads` 0 means usable cores less one."""

    model: str = "tiny.en"
    language: str = "auto"
    beam_size: Annotated[int, Meta(ge=1, le=10)] = 1
    compute_type: str = "int8"
    threads: Annotated[int, Meta(ge=0, le=64)] = 0
    backlog_s: Annotated[int, Meta(ge=10, le=3_600)] = 60


class AssistantConfig(Section, frozen=True, kw_only=True):
    """What the assistant keeps in memory."""

    transcript_segments: Annotated[int, Meta(ge=10, le=100_000)] = 5_000


class TuiConfig(Section, frozen=True, kw_only=True):
    """How the terminal interface looks."""

    theme: str = "textual-dark"


class ModelsConfig(Section, frozen=True, kw_only=True):
    """Where model weights come from; `offline` never touches the network."""

    offline: bool = False


class Config(Section, frozen=True, kw_only=True):
    """The whole file; every table may be missing."""

    capture: CaptureConfig = CaptureConfig()
    vad: VadConfig = VadConfig()
    stt: SttConfig = SttConfig()
    assistant: AssistantConfig = AssistantConfig()
    tui: TuiConfig = TuiConfig()
    models: ModelsConfig = ModelsConfig()


def load(path: str | None = None) -> Config:
    """Read the file at `path`, or the user's own; a missing user file means all defaults.

    Raises:
        ConfigError: It cannot be read, is no TOML, has an unknown key or a wrong value; the sentence
            starts with `file:line`.
    """
    where = Path(path or paths.config_file())
    try:
        text = _bytes_of(where).decode("utf-8")
    except FileNotFoundError:
        if path is None:
            return Config()
        raise ConfigError(
            f"config `{where}` does not exist", hint="`hearing config init` writes one"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"{where}:{line}: bad TOML: the file is not UTF-8") from None
    except OSError as error:
        raise ConfigError(f"config `{where}` cannot be read: {(error.strerror or '').lower()}") from None
    return parse(text, str(where))


def _bytes_of(where: Path) -> bytes:
    """Read a file that is one: a pipe may never end, a device such as `/dev/zero` never does."""
    with open(where, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
        mode = os.fstat(file.fileno()).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):  # `/dev/null` is a fine empty file
            raise ConfigError(f"config `{where}` is no file")
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ConfigError(f"config `{where}` is larger than `{MAX_BYTES}` bytes")
    return content


def parse(text: str, name: str = "config.toml") -> Config:
    """Read TOML text; `name` stands in the errors.

    Raises:
        ConfigError: As `load`.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}:{_toml_error_line(error, text)}: bad TOML: {_sentence(error)}") from None
    except (RecursionError, ValueError):  # 1,000 brackets, or 5,000 digits, in a row
        raise ConfigError(
            f"{name}:{_longest_line(text)}: bad TOML: a value is too deep or too long"
        ) from None
    _refuse_unknown(table, Config, (), text, name)
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        message, _, dotted = str(error).partition(" - at `$")
        key = dotted.rstrip("`").lstrip(".")
        line = _line_of(text, tuple(key.split(".")))
        raise ConfigError(f"{name}:{line}: `{key}`: {message.lower()}") from None


def _refuse_unknown(
    table: dict[str, Any], struct: type[msgspec.Struct], where: tuple[str, ...], text: str, name: str
) -> None:
    fields = {field.name: field.type for field in msgspec.structs.fields(struct)}
    for key, value in table.items():
        if key not in fields:
            raise ConfigError(
                f"{name}:{_line_of(text, (*where, key))}: `{'.'.join((*where, key))}` is no known key",
                hint=_nearest(key, list(fields)),
            )
        inner = fields[key]
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            _refuse_unknown(value, inner, (*where, key), text, name)


def _nearest(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"known here: {', '.join(known)}"


_HEADER = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\"'-]+?)\s*=")


def _keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Give each key and table header with its line number; strings that span lines may add false ones."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _split(header[1])
            yield number, table
        elif key := _KEY.match(line):
            yield number, (*table, *_split(key[1]))


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _line_of(text: str, key: tuple[str, ...]) -> int:
    """Find the line of a key, or of the nearest table around it, or 1."""
    found = dict(reversed([(name, number) for number, name in _keys(text)]))
    return next((found[key[:n]] for n in range(len(key), 0, -1) if key[:n] in found), 1)


def _toml_error_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    """Find the line the parser names; without one it means the end of the text."""
    at = re.search(r"line (\d+)", str(error))
    return int(at[1]) if at else text.rstrip("\n").count("\n") + 1


def _longest_line(text: str) -> int:
    lines = text.split("\n")
    return lines.index(max(lines, key=len)) + 1


def _sentence(error: tomllib.TOMLDecodeError) -> str:
    return re.sub(r"\s*\(at .*\)$", "", str(error)).lower()
