"""The app in front of a scripted assistant: words, keys, trouble, small and large terminals."""

import asyncio
import stat
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from hearing.messages.common import (
    Error,
    Health,
    HealthPart,
    HealthState,
    Partial,
    SpeechStart,
    Transcript,
)
from hearing.messages.control import (
    Ack,
    ControlRequest,
    Listen,
    Notice,
    NoticeLevel,
    SttChanged,
    SttStatus,
    Subscribe,
    TranscriptFormat,
    TranscriptGet,
    TranscriptText,
)
from hearing.messages.daemon import SegmentDone
from hearing.testing.assistant import FakeAssistant
from hearing.testing.clock import FakeClock
from hearing.types import Channel
from hearing_tui import app as app_module
from hearing_tui.app import PAINTS_PER_S, HearingApp
from hearing_tui.link import control_link
from hearing_tui.messages import FromAssistant
from hearing_tui.view_state import LinkState, LinkUp, ViewState
from hearing_tui.widgets.help import HelpDialog
from hearing_tui.widgets.save import SaveDialog
from hearing_tui.widgets.transcript import TranscriptPane

Say = Callable[..., Transcript]
Screen = Callable[[HearingApp], str]
Until = Callable[[Pilot[Any], Callable[[], bool]], Awaitable[None]]

MUTED = SttStatus(connected=True, healthy=True, muted=True)


def connected(runtime_dir: Path, size: tuple[int, int] = (80, 24)) -> AbstractAsyncContextManager[Pilot[Any]]:
    link = control_link(runtime_dir, viewer=True, name="tui")
    app = HearingApp(link, theme="textual-dark", clock=FakeClock())
    return app.run_test(size=size, notifications=True)


def of(pilot: Pilot[Any]) -> HearingApp:
    assert isinstance(pilot.app, HearingApp)
    return pilot.app


def alone(state: ViewState | None = None) -> HearingApp:
    return HearingApp(None, theme="textual-dark", state=state, clock=FakeClock())


def tell(app: HearingApp, *messages: object) -> None:
    for message in messages:
        app.post_message(FromAssistant(message))


async def told(app: HearingApp, message: object) -> None:
    async with app.run_test() as pilot:
        tell(app, message)
        await pilot.pause()


def toasts(app: HearingApp) -> str:
    return "\n".join(notification.message for notification in app._notifications)


# --- words ---


@pytest.mark.parametrize("size", [(80, 24), (160, 50), (250, 80), (40, 10)])
async def test_words_appear_live_then_final(
    runtime_dir: Path, say: Say, screen: Screen, until: Until, size: tuple[int, int]
) -> None:
    async with FakeAssistant(runtime_dir) as assistant, connected(runtime_dir, size) as pilot:
        app = of(pilot)
        await assistant.asked(Subscribe)
        assistant.play([SpeechStart(seg_id=1, leg=Channel.SYSTEM, at_ms=0)])
        await until(pilot, lambda: "them  …listening" in screen(app))
        assistant.play([Partial(seg_id=1, leg=Channel.SYSTEM, stable="good", unstable="morn")])
        await until(pilot, lambda: "good morn" in screen(app))
        assistant.play([say("good morning", leg=Channel.SYSTEM, speaker="Ada", speaker_status="matched")])
        assistant.play([SegmentDone(seg_id=1, pieces=1)])
        await until(pilot, lambda: "Ada" in screen(app) and "good morning" in screen(app))
        await until(pilot, lambda: "…listening" not in screen(app))
        assert "transcripts [seg 0]" in screen(app)


async def test_the_backlog_stands_in_the_border_and_levels_below(
    runtime_dir: Path, screen: Screen, until: Until
) -> None:
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        await assistant.asked(Subscribe)
        assistant.heartbeat(seg=7, level_dbfs=-30.0)
        await until(pilot, lambda: "transcripts [seg 7]" in screen(app))
        assert "me ━━━━━━────── -30 dB listening" in screen(app)
        assert "stt ready tiny.en" in screen(app)


async def test_the_whole_screen(say: Say, screen: Screen, until: Until) -> None:
    async with alone().run_test(size=(60, 12)) as pilot:
        app = of(pilot)
        mic = Health(part=HealthPart.MIC, state=HealthState.NO_SIGNAL, hint="unmute it")
        tell(app, LinkUp(True), mic, say("hello there"))
        await until(pilot, lambda: "hello" in screen(app))
        assert screen(app).splitlines() == [
            " ▲ the microphone gives nothing but silence  → unmute it",
            "╭─ transcripts [seg 0] ────────────────────────────────────╮",
            "│ ▎ 03:04:05  me  en  2.4 s                                │",
            "│ ▎ hello there                                            │",
            *["│                                                          │"] * 5,
            "╰──────────────────────────────────────────────────────────╯",
            " me ────────────  -- dB no signal   stt …",
            " l mute   w save   ? help   q quit",
        ]


async def test_bursts_are_painted_a_few_times_only(
    say: Say, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    paints = 0
    paint = TranscriptPane.show

    def counted(pane: TranscriptPane, state: ViewState) -> None:
        nonlocal paints
        paints += 1
        paint(pane, state)

    monkeypatch.setattr(TranscriptPane, "show", counted)
    async with alone().run_test(notifications=True) as pilot:
        app = of(pilot)
        started = asyncio.get_running_loop().time()
        tell(app, *(say(f"line {n}", seg_id=n) for n in range(500)))
        await until(pilot, lambda: app.view.total == 500)
        took_s = asyncio.get_running_loop().time() - started
    assert paints <= 3 + took_s * PAINTS_PER_S


# --- trouble ---


async def test_no_assistant_is_a_banner_until_it_comes(
    runtime_dir: Path, screen: Screen, until: Until
) -> None:
    async with connected(runtime_dir) as pilot:
        app = of(pilot)
        await until(pilot, lambda: "the assistant is not running" in screen(app))
        assert "hearing up" in screen(app)
        async with FakeAssistant(runtime_dir):
            await until(pilot, lambda: "not running" not in screen(app) and "listening" in screen(app))


async def test_a_restarted_assistant_is_found_and_nothing_is_lost_or_doubled(
    runtime_dir: Path, say: Say, screen: Screen, until: Until
) -> None:
    async with connected(runtime_dir) as pilot:
        app = of(pilot)
        async with FakeAssistant(runtime_dir, boot_id="one") as first:
            await first.asked(Subscribe)
            first.play([say("first words", seg_id=1)])
            await until(pilot, lambda: "first words" in screen(app))
        await until(pilot, lambda: "the assistant is lost" in screen(app))
        async with FakeAssistant(runtime_dir, boot_id="two") as second:
            second.play([say("first words", seg_id=1), say("second words", seg_id=2)])
            await until(pilot, lambda: "second words" in screen(app))
            assert [entry.text for entry in app.view.entries] == ["first words", "second words"]
            assert "lost" not in screen(app)


async def test_at_most_three_banners_are_shown(screen: Screen, until: Until) -> None:
    async with alone().run_test(notifications=True) as pilot:
        app = of(pilot)
        tell(
            app,
            LinkUp(True),
            Health(part=HealthPart.MIC, state=HealthState.NO_DEVICE),
            Health(part=HealthPart.SYSTEM, state=HealthState.NO_SIGNAL),
            Health(part=HealthPart.STT, state=HealthState.LOADING),
            SttChanged(stt=MUTED),
        )
        await until(pilot, lambda: "✖" in screen(app) and "muted" in screen(app))
        assert [line[1] for line in screen(app).splitlines()[:5]].count("▲") == 2
        assert "muted" in screen(app)


async def test_notices_are_toasts_and_never_markup(screen: Screen, until: Until) -> None:
    async with alone().run_test(notifications=True) as pilot:
        app = of(pilot)
        tell(app, Notice(level=NoticeLevel.WARNING, text="[b]tea[/] [/", source="timer"))
        await until(pilot, lambda: "[b]tea[/] [/" in screen(app))


async def test_a_crash_is_kept_and_is_no_success(monkeypatch: pytest.MonkeyPatch, say: Say) -> None:
    def broken(state: ViewState, message: object) -> ViewState:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(app_module, "update", broken)
    app = alone()
    with pytest.raises(ZeroDivisionError):
        await told(app, say("x"))
    assert isinstance(app.crash, ZeroDivisionError)
    assert app.return_code != 0


# --- keys ---


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_leaving_is_a_success(key: str) -> None:
    app = alone()
    async with app.run_test() as pilot:
        await pilot.press(key)
    assert (app.return_code, app.crash) == (0, None)


async def test_help_shows_every_key_and_closes(screen: Screen) -> None:
    async with alone().run_test(size=(80, 30)) as pilot:
        app = of(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpDialog)
        assert all(words in screen(app) for words in ("PgUp", "Ctrl+C", "Unknown", "one line up"))
        await pilot.press("question_mark")
        await pilot.pause()
        assert not isinstance(app.screen, HelpDialog)


@pytest.mark.parametrize("opens", ["question_mark", "w"])
async def test_ctrl_c_leaves_from_a_dialog_too(opens: str) -> None:
    app = alone()
    async with app.run_test() as pilot:
        await pilot.press(opens)
        await pilot.press("ctrl+c")
    assert (app.return_code, app.is_running) == (0, False)


async def test_l_mutes_and_listens_again(runtime_dir: Path, screen: Screen, until: Until) -> None:
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        await until(pilot, lambda: "stt ready" in screen(app))
        await pilot.press("l")
        asked = await assistant.asked(Listen)
        assert isinstance(asked, Listen)
        assert asked.on is False
        assistant.play([SttChanged(stt=MUTED)])
        await until(pilot, lambda: "muted: nothing is heard" in screen(app))
        assert " l listen" in screen(app)
        await pilot.press("l")
        again = await assistant.asked(Listen, times=2)
        assert isinstance(again, Listen)
        assert again.on is True


async def test_a_refused_mute_says_why(runtime_dir: Path, screen: Screen, until: Until) -> None:
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        assistant.answers[Listen] = Error(code="write_failed", message="disk is [full]", hint="make room")
        await until(pilot, lambda: "stt ready" in screen(app))
        await pilot.press("l")
        await until(pilot, lambda: "disk is [full]" in screen(app) and "make room" in screen(app))


async def test_muting_without_an_assistant_says_that_nothing_changed(screen: Screen, until: Until) -> None:
    async with alone().run_test(notifications=True) as pilot:
        app = of(pilot)
        await pilot.press("l")
        await until(pilot, lambda: "the assistant is not connected" in screen(app))


# --- saving ---


def pages(request: ControlRequest) -> TranscriptText:
    assert isinstance(request, TranscriptGet)
    text = {0: "one\n", 1: "two\n", 2: "three\n"}[request.from_index]
    following = None if request.from_index == 2 else request.from_index + 1
    return TranscriptText(format=request.format, text=text, segments=1, next_index=following)


async def typed(pilot: Pilot[Any], path: str) -> None:
    """Open the dialog, put a path into its field, press Enter."""
    await pilot.press("w")
    await pilot.pause()
    assert isinstance(pilot.app.screen, SaveDialog)
    pilot.app.screen.query_one("#path").value = path  # type: ignore[attr-defined]
    await pilot.press("enter")


async def test_w_saves_all_pages_to_a_private_file(
    runtime_dir: Path, tmp_path: Path, screen: Screen, until: Until
) -> None:
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        assistant.answers[TranscriptGet] = pages
        await until(pilot, lambda: "stt ready" in screen(app))
        await typed(pilot, str(tmp_path / "a.srt"))
        await until(pilot, lambda: "3 segments saved to" in toasts(app))
        asked = await assistant.asked(TranscriptGet)
        assert isinstance(asked, TranscriptGet)
        assert asked.format is TranscriptFormat.SRT
    assert (tmp_path / "a.srt").read_text() == "one\ntwo\nthree\n"
    assert stat.S_IMODE((tmp_path / "a.srt").stat().st_mode) == 0o600


async def test_an_existing_file_is_overwritten_only_when_asked_twice(
    runtime_dir: Path, tmp_path: Path, screen: Screen, until: Until
) -> None:
    (tmp_path / "a.md").write_text("mine")
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        assistant.answers[TranscriptGet] = pages
        await until(pilot, lambda: "stt ready" in screen(app))
        await typed(pilot, str(tmp_path / "a.md"))
        await until(pilot, lambda: "exists already: Enter again" in screen(app))
        assert (tmp_path / "a.md").read_text() == "mine"
        await pilot.press("enter")
        await until(pilot, lambda: "3 segments saved to" in toasts(app))
    assert (tmp_path / "a.md").read_text() == "one\ntwo\nthree\n"


async def test_the_dialog_says_what_is_wrong_and_escape_changes_nothing(
    tmp_path: Path, screen: Screen, until: Until
) -> None:
    async with alone().run_test(notifications=True) as pilot:
        app = of(pilot)
        await typed(pilot, str(tmp_path / "a.doc"))
        await until(pilot, lambda: "has no format we write" in screen(app))
        pilot.app.screen.query_one("#path").value = str(tmp_path / "a.md")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: "the assistant is not connected" in screen(app))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, SaveDialog))
    assert list(tmp_path.iterdir()) == []


async def test_an_assistant_that_leaves_meanwhile_is_an_error_not_a_wait(
    runtime_dir: Path, tmp_path: Path, screen: Screen, until: Until
) -> None:
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        assistant.answers[TranscriptGet] = None
        await until(pilot, lambda: "stt ready" in screen(app))
        await typed(pilot, str(tmp_path / "a.md"))
        await assistant.asked(TranscriptGet)
        await assistant.stop()
        await until(pilot, lambda: "the assistant went away" in screen(app))
        assert app.view.link is LinkState.LOST
    assert list(tmp_path.iterdir()) == []


async def test_a_wrong_answer_is_an_error(
    runtime_dir: Path, tmp_path: Path, screen: Screen, until: Until
) -> None:
    async with (
        FakeAssistant(runtime_dir) as assistant,
        connected(runtime_dir) as pilot,
    ):
        app = of(pilot)
        assistant.answers[TranscriptGet] = Ack(command="transcript_get")
        await until(pilot, lambda: "stt ready" in screen(app))
        await typed(pilot, str(tmp_path / "a.md"))
        await until(pilot, lambda: "answered something else" in screen(app))


# --- sizes ---


async def test_no_size_crashes_it(say: Say, until: Until) -> None:
    async with alone().run_test(size=(40, 10)) as pilot:
        app = of(pilot)
        tell(app, LinkUp(True), *(say(f"日本語 line {n} " * 5, seg_id=n) for n in range(50)))
        await until(pilot, lambda: app.view.total == 50)
        for size in ((10, 4), (1, 1), (3, 30), (300, 2), (40, 10), (250, 80)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await pilot.press("question_mark", "escape", "w", "escape")
    assert app.crash is None
