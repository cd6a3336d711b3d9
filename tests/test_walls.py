"""The walls between rooms that a static import graph cannot see."""

import subprocess
import sys

import pytest

HEAVY = {
    "av",
    "ctranslate2",
    "faster_whisper",
    "httpx",
    "numpy",
    "onnxruntime",
    "sounddevice",
    "textual",
    "webrtcvad",
}
TOO_SLOW_FOR_A_HOTKEY = {
    "argparse",
    "asyncio",
    "json",
    "logging",
    "msgspec",
    "pathlib",
    "re",
    "subprocess",
    "typing",
}

ALLOWED: dict[str, set[str]] = {
    "hearing_ctl.__main__": set(),
    "hearing_cli.__main__": set(),
    "hearing_tui.__main__": set(),
    "hearing_assistant.__main__": set(),
    "hearing.models.store": set(),
    "hearing.interfaces": set(),
}


@pytest.mark.parametrize("module", sorted(ALLOWED))
def test_importing_a_front_door_loads_no_heavy_library(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split()) & HEAVY
    assert loaded <= ALLOWED[module], f"`{module}` loads {sorted(loaded)}"


def test_the_ctl_loads_almost_nothing() -> None:
    code = "import sys; old = set(sys.modules); import hearing_ctl.__main__; print(*set(sys.modules) - old)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert not loaded & TOO_SLOW_FOR_A_HOTKEY
