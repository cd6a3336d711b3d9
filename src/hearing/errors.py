"""Every failure the suite can name: codes, exit codes and a small tree ordered by whose fault it is.

Sentences are lower case, data first, literals back-ticked, without a full stop; `hint` says the way out.
"""

from enum import IntEnum, StrEnum


class ExitCode(IntEnum):
    """Exit statuses of every program of the suite; 64 and above follow BSD `sysexits.h`."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3  # the other side answered with an error
    UNAVAILABLE = 69  # nobody is listening: start it first
    INTERNAL = 70
    TEMPORARY = 75  # try again: already running, busy
    CONFIG = 78  # bad configuration: never restarted
    INTERRUPTED = 130


class ErrorCode(StrEnum):
    """Codes of `error` messages on both sockets, in one list."""

    BAD_MESSAGE = "bad_message"
    MALFORMED = "malformed"
    OVERSIZE = "oversize"
    TOO_DEEP = "too_deep"
    TOO_SLOW = "too_slow"
    TOO_MANY_CLIENTS = "too_many_clients"
    RATE_LIMITED = "rate_limited"
    WRITE_FAILED = "write_failed"
    INTERNAL = "internal"


class HearingError(Exception):
    """A failure with a sentence for people and, where known, the way out.

    Attributes:
        hint: The next thing to do, or "" when nobody knows.
    """

    exit_code: ExitCode = ExitCode.FAILED

    def __init__(self, sentence: str, *, hint: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint

    def lines(self) -> str:
        """Give the sentence and, on a line of its own, the hint."""
        return f"{self.sentence}\nhint: {self.hint}" if self.hint else self.sentence


class ConfigError(HearingError):
    """The user's configuration is at fault: nothing is started, nothing is restarted."""

    exit_code = ExitCode.CONFIG


class UsageError(HearingError):
    """The command line is at fault."""

    exit_code = ExitCode.USAGE


class RuntimeDirError(ConfigError):
    """The runtime folder cannot be trusted with a socket."""


class AlreadyRunningError(HearingError):
    """A living server holds the socket; nothing of it was touched.

    Attributes:
        pid: The holder's process id, or None when it did not say.
    """

    exit_code = ExitCode.TEMPORARY

    def __init__(self, sentence: str, *, pid: int | None = None, hint: str = "") -> None:
        super().__init__(sentence, hint=hint)
        self.pid = pid


class UnavailableError(HearingError):
    """Nobody serves the socket we need."""

    exit_code = ExitCode.UNAVAILABLE


class PeerError(HearingError):
    """The other side of a socket broke the protocol.

    Attributes:
        code: What is sent back before closing.
        closes: Whether the connection survives it.
    """

    def __init__(self, code: ErrorCode, sentence: str, *, closes: bool, hint: str = "") -> None:
        super().__init__(sentence, hint=hint)
        self.code = code
        self.closes = closes


class RefusedError(HearingError):
    """A server answered a request with `error`.

    Attributes:
        code: The code it gave; a plain string, since a newer server may know more codes.
    """

    exit_code = ExitCode.REFUSED

    def __init__(self, code: str, sentence: str, *, hint: str = "") -> None:
        super().__init__(sentence, hint=hint)
        self.code = code


class AudioError(HearingError):
    """A source of sound cannot be opened or read."""


class ModelError(HearingError):
    """Model weights are missing, torn or unknown."""


class DownloadError(ModelError):
    """Model weights could not be fetched."""
