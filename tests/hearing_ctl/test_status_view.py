"""The status for people."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing.messages import control
from hearing.messages.common import Health, HealthPart, HealthState
from hearing_ctl import status_view


def _body(status: control.Status) -> dict[str, object]:
    body: dict[str, object] = msgspec.json.decode(msgspec.json.encode(status))
    return body


def _status(**more: object) -> control.Status:
    fields = {
        "mode": control.Mode.IDLE,
        "stt": control.SttStatus(connected=True, healthy=True, model="tiny.en"),
        "llm": None,
        "queue": control.QueueDepth(),
        "chat_capture": False,
        "triage_chat": False,
        "viewers": 1,
        "session": None,
        "uptime_ms": 3_723_000,
    } | more
    return control.Status(**fields)  # type: ignore[arg-type]


def test_a_healthy_assistant_looks_like_this() -> None:
    health = [
        Health(part=HealthPart.MIC, state=HealthState.LISTENING, device="USB"),
        Health(part=HealthPart.STT, state=HealthState.READY),
    ]
    assert status_view.render(_body(_status(health=health)), colours=False) == (
        "hearing  yes        tiny.en\n"
        "mic      listening  USB\n"
        "stt      ready\n"
        "mode     idle\n"
        "llm      none\n"
        "queue    empty\n"
        "viewers  1\n"
        "up       1 h 2 min\n"
    )


def test_what_is_wrong_comes_with_its_hint() -> None:
    gone = Health(part=HealthPart.STT, state=HealthState.FAILED, detail="no daemon", hint="start it")
    stt = control.SttStatus(connected=False, healthy=False)
    lines = status_view.render(_body(_status(health=[gone], stt=stt)), colours=False).splitlines()
    assert lines[:3] == ["hearing  no", "stt      failed  no daemon", "         hint: start it"]


@pytest.mark.parametrize(
    ("states", "hears"),
    [
        (["listening"], "yes"),
        (["ended"], "no"),
        (["no_device", "quiet"], "yes"),
        (["reopening", "muted"], "no"),
    ],
)
def test_a_ready_recognizer_hears_only_with_a_leg_that_sounds(states: list[str], hears: str) -> None:
    legs = [
        Health(part=part, state=HealthState(state))
        for part, state in zip((HealthPart.MIC, HealthPart.SYSTEM), states, strict=False)
    ]
    assert status_view.rows(_body(_status(health=legs)))[0].state == hears


def test_muted_says_how_to_unmute() -> None:
    stt = control.SttStatus(connected=True, healthy=True, muted=True, backlog=2)
    lines = status_view.render(_body(_status(stt=stt)), colours=False).splitlines()
    assert lines[0] == "hearing  muted  2 segments waiting"
    assert "hearing-ctl listen on" in lines[1]


def test_what_is_not_here_yet_is_shown_when_it_comes() -> None:
    text = status_view.render(
        _body(
            _status(
                llm=control.LlmStatus(name="qwen", loopback=False),
                queue=control.QueueDepth(depth=2, busy=True, kind="chat"),
                session="monday",
            )
        ),
        colours=False,
    )
    assert "llm      qwen  text leaves this machine\n" in text
    assert "queue    chat  2 waiting\n" in text
    assert "session  monday\n" in text


def test_colours_mark_good_and_bad_and_end() -> None:
    text = status_view.render(_body(_status()), colours=True)
    assert "\x1b[32myes" in text
    assert text.count("\x1b[0m") == text.count("\x1b[3")
    stt = control.SttStatus(connected=False, healthy=False)
    assert "\x1b[31mno" in status_view.render(_body(_status(stt=stt)), colours=True)


@given(
    st.dictionaries(
        st.sampled_from(["stt", "queue", "llm", "health", "mode", "viewers", "uptime_ms", "session"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["part", "state", "depth", "busy", "muted", "name"]), inner)
            ),
            max_leaves=6,
        ),
    )
)
def test_any_status_of_any_version_is_shown_harmless(status: dict[str, object]) -> None:
    text = status_view.render(status, colours=False)
    assert "\x1b" not in text
    assert text.startswith("hearing")
