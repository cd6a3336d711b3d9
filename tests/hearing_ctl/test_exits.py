"""The numbers are those of the whole suite."""

from hearing.errors import ExitCode
from hearing_ctl import exits


def test_every_status_is_the_suites_own() -> None:
    ours = {name: value for name, value in vars(exits).items() if name.isupper()}
    assert ours
    assert ours == {name: ExitCode[name].value for name in ours}
