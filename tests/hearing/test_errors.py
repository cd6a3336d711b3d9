"""Each failure knows its sentence, its way out, its exit code and whose fault it is."""

import re

import pytest

from hearing import errors
from hearing.errors import ErrorCode, ExitCode, HearingError, PeerError, RefusedError


def tree(root: type[HearingError]) -> list[type[HearingError]]:
    return [root, *(leaf for branch in root.__subclasses__() for leaf in tree(branch))]


def test_the_lines_are_the_sentence_and_the_hint_if_there_is_one() -> None:
    assert HearingError("`x` broke").lines() == "`x` broke"
    assert HearingError("`x` broke", hint="mend it").lines() == "`x` broke\nhint: mend it"
    assert str(HearingError("`x` broke", hint="mend it")) == "`x` broke"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ConfigError, 78),
        (errors.RuntimeDirError, 78),
        (errors.UsageError, 2),
        (errors.AlreadyRunningError, 75),
        (errors.UnavailableError, 69),
        (errors.RefusedError, 3),
        (errors.AudioError, 1),
        (errors.DownloadError, 1),
    ],
)
def test_each_fault_has_its_exit_code(error: type[HearingError], code: int) -> None:
    assert error.exit_code == code


def test_every_error_of_the_tree_is_in_the_one_file_and_has_a_known_code() -> None:
    for error in tree(HearingError):
        if error.__module__.startswith("hearing."):
            assert error.exit_code in set(ExitCode)


def test_codes_are_spelled_as_they_travel() -> None:
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in ErrorCode)
    assert len({code.value for code in ErrorCode}) == len(list(ErrorCode))


def test_a_peers_error_says_whether_it_closes_and_a_refusal_keeps_an_unknown_code() -> None:
    error = PeerError(ErrorCode.OVERSIZE, "too long", closes=True)
    assert (error.code, error.closes, error.sentence) == ("oversize", True, "too long")
    assert RefusedError("from_the_future", "no").code == "from_the_future"
    assert errors.AlreadyRunningError("it runs", pid=7).pid == 7
