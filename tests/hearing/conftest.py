"""Property tests here have no deadline (two busy cores make any example slow); no callback may fail."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("hearing", deadline=None)
settings.load_profile("hearing")


@pytest.fixture(autouse=True)
def no_failed_callback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which the event loop swallowed an exception: it only logs them."""
    yield
    swallowed = [
        record
        for record in caplog.get_records("call")
        if record.name == "asyncio" and record.levelno >= logging.ERROR
    ]
    assert not swallowed, swallowed[0].getMessage()
