"""Real speech: the demo recording."""

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hearing_daemon.engine import read_sound

if TYPE_CHECKING:
    from hearing.interfaces import Samples


@pytest.fixture(scope="session")
def meeting() -> "Samples":
    """Give the first 20 s of the meeting; somebody speaks for most of them."""
    with as_file(files("hearing_cli.demo_data") / "meeting.flac") as file:
        scaled = read_sound(file)[: 20 * 16_000] * 32_768
    return np.clip(scaled, -32_768, 32_767).astype(np.int16)
