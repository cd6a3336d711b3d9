"""Sound: what is installed, what is plugged in, and whether anything comes through."""

from typing import Final

from hearing.errors import HearingError
from hearing_cli.doctor.check import Check, fail, ok, warn
from hearing_cli.probe import Device, Found, Level, PortAudio, Problem, probe

QUIET_DBFS: Final = -65.0
CLIPPED_DBFS: Final = -0.1


def checks_of_sound() -> list[Check]:
    """Look at all of it; the level is measured only where there is something to measure."""
    found = _ask("devices")
    if isinstance(found, Check):
        return [_portaudio(_ask("portaudio")), found]
    microphone = microphones(found)
    measured = [level(_ask("level", "--seconds", "2"))] if microphone.state != "fail" else []
    return [_portaudio(_ask("portaudio")), microphone, *measured, monitors(found)]


def microphones(found: list[Found]) -> Check:
    """Judge whether there is something to hear you with."""
    devices = [item for item in found if isinstance(item, Device) and not item.monitor]
    if devices:
        chosen = next((device for device in devices if device.default), devices[0])
        return ok("microphone", f"{len(devices)} found, default `{chosen.name}` ({chosen.backend})")
    problems = [item for item in found if isinstance(item, Problem)]
    detail = "; ".join(["none found", *(f"{problem.what}: {problem.detail}" for problem in problems)])
    hints = [problem.hint for problem in problems if problem.hint] or ["plug one in"]
    return fail("microphone", detail, "; ".join([*hints, "or play a recording: `hearing up --source FILE`"]))


def monitors(found: list[Found]) -> Check:
    """Judge whether the others, in a call, could be heard too."""
    names = [item.name for item in found if isinstance(item, Device) and item.monitor]
    if names:
        return ok("monitors", f"{len(names)} found, so `--system auto` hears what is played")
    return warn(
        "monitors",
        "none found: only your own voice can be heard",
        "PulseAudio or PipeWire with its pulse service gives one for every output",
    )


def level(found: "list[Found] | Check") -> Check:
    """Judge two seconds of the default microphone."""
    if isinstance(found, Check):
        return found
    measured = next((item for item in found if isinstance(item, Level)), None)
    if measured is None:
        problem = next((item for item in found if isinstance(item, Problem)), None)
        return fail(
            "level", problem.detail if problem else "nothing measured", problem.hint if problem else ""
        )
    if measured.rms_dbfs is None or measured.peak_dbfs is None:
        return fail(
            "level",
            f"`{measured.device}` gives only digital silence",
            "unmute it in the sound settings; on macOS allow the terminal to use the microphone",
        )
    loudness = f"{measured.rms_dbfs:g} dB over {measured.seconds:g} s, peak {measured.peak_dbfs:g} dB"
    detail = f"{loudness}, `{measured.device}`"
    if measured.peak_dbfs >= CLIPPED_DBFS:
        return warn("level", f"{detail}: too loud", "turn the input down")
    if measured.rms_dbfs < QUIET_DBFS:
        return warn("level", f"{detail}: very quiet", "fine if nobody spoke; else turn the input up")
    return ok("level", detail)


def _portaudio(found: "list[Found] | Check") -> Check:
    if isinstance(found, Check):
        return found
    answer = next((item for item in found if isinstance(item, PortAudio)), None)
    if answer is not None and answer.present:
        return ok("portaudio", "installed")
    return warn("portaudio", "not installed: only PulseAudio can be used", answer.hint if answer else "")


def _ask(*arguments: str) -> "list[Found] | Check":
    try:
        return probe(*arguments)
    except HearingError as error:
        return fail(arguments[0], error.sentence, error.hint)
