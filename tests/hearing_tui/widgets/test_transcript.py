"""The pane follows the newest words until the reader scrolls up, and keeps what is being read in sight."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from hearing.messages.common import Partial, Transcript
from hearing.types import Channel
from hearing_tui import view_state
from hearing_tui.app import HearingApp
from hearing_tui.messages import FromAssistant
from hearing_tui.view_state import LinkUp, ViewState, update
from hearing_tui.widgets.transcript import TranscriptPane

Say = Callable[..., Transcript]
Screen = Callable[[HearingApp], str]
Until = Callable[[Pilot[Any], Callable[[], bool]], Awaitable[None]]


def filled(say: Say, count: int) -> HearingApp:
    state = update(ViewState(), LinkUp(True))
    for n in range(count):
        state = update(state, say(f"line {n} " + "and on " * 20, seg_id=n))
    return HearingApp(None, theme="textual-dark", state=state)


def tell(app: HearingApp, message: object) -> None:
    app.post_message(FromAssistant(message))


def read(screen: str) -> list[str]:
    """Give what is in sight without the scroll bar beside it."""
    return [line[:-2] for line in screen.splitlines()[1:-4]]


def pane(app: HearingApp) -> TranscriptPane:
    return app.query_one(TranscriptPane)


async def test_it_starts_at_the_newest_words_and_follows(say: Say, screen: Screen, until: Until) -> None:
    app = filled(say, 100)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "line 99" in screen(app))
        tell(app, say("brand new", seg_id=100))
        await until(pilot, lambda: "brand new" in screen(app))
        assert pane(app).following


@pytest.mark.parametrize("key", ["pageup", "home", "up", "k"])
async def test_scrolling_up_stops_following_and_counts_what_is_new(
    say: Say, screen: Screen, until: Until, key: str
) -> None:
    app = filled(say, 100)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "line 99" in screen(app))
        await pilot.press(key)
        await until(pilot, lambda: "End newest" in screen(app))
        before = pane(app).scroll_offset.y
        tell(app, say("news one", seg_id=100))
        tell(app, say("news two", seg_id=101))
        await until(pilot, lambda: "2 new" in screen(app))
        assert pane(app).scroll_offset.y == before
        await pilot.press("end")
        await until(pilot, lambda: "news two" in screen(app))
        assert pane(app).following
        assert " new ·" not in screen(app)


async def test_scrolling_down_to_the_end_follows_again(say: Say, until: Until) -> None:
    app = filled(say, 20)
    async with app.run_test() as pilot:
        await pilot.press("pageup", "up", "down")
        await until(pilot, lambda: not pane(app).following)
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: pane(app).following)


async def test_the_wheel_stops_following_too(say: Say, until: Until) -> None:
    app = filled(say, 100)
    async with app.run_test() as pilot:
        await until(pilot, lambda: pane(app).scroll_offset.y > 0)
        pane(app).scroll_relative(y=-5, animate=False)
        await until(pilot, lambda: not pane(app).following)


async def test_what_is_read_stays_in_sight_when_old_lines_go(
    say: Say, screen: Screen, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_state, "MAX_ENTRIES", 100)
    app = filled(say, 100)
    async with app.run_test() as pilot:
        await pilot.press("home", *["pagedown"] * 3)
        await until(pilot, lambda: "End newest" in screen(app))
        before = read(screen(app))
        for n in range(5):
            tell(app, say(f"more {n}", seg_id=200 + n))
        await until(pilot, lambda: "5 new" in screen(app))
        assert read(screen(app)) == before


async def test_what_is_read_stays_in_sight_when_the_width_changes(
    say: Say, screen: Screen, until: Until
) -> None:
    app = filled(say, 100)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("home", *["pagedown"] * 4)
        await until(pilot, lambda: "End newest" in screen(app))
        first = pane(app)._document.number_at(int(pane(app).scroll_offset.y))[0]
        await pilot.resize_terminal(50, 30)
        await until(pilot, lambda: f"line {first} " in "\n".join(screen(app).splitlines()[1:4]))


async def test_following_survives_a_resize(say: Say, screen: Screen, until: Until) -> None:
    app = filled(say, 100)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "line 99" in screen(app))
        for size in ((50, 12), (160, 50), (40, 10)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: pane(app).scroll_offset.y == pane(app).max_scroll_y)
            assert pane(app).following


async def test_drawing_costs_a_screenful_however_long_the_history(
    say: Say, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = 0
    render_line = TranscriptPane.render_line

    def counted(self: TranscriptPane, y: int) -> object:
        nonlocal drawn
        drawn += 1
        return render_line(self, y)

    monkeypatch.setattr(TranscriptPane, "render_line", counted)
    app = filled(say, 3_000)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: pane(app).scroll_offset.y > 0)
        drawn = 0
        await pilot.press("pageup")
        await pilot.pause()
        assert 0 < drawn <= 100


async def test_words_so_far_are_redrawn_in_their_rows_alone(
    say: Say, screen: Screen, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: set[int] = set()
    render_line = TranscriptPane.render_line

    def noted(self: TranscriptPane, y: int) -> object:
        rows.add(y)
        return render_line(self, y)

    app = filled(say, 100)
    async with app.run_test(size=(80, 24)) as pilot:
        for unstable in ("first guess", "other guess", "right words"):
            tell(app, Partial(seg_id=7, leg=Channel.MIC, stable="so far", unstable=unstable))
            await until(pilot, lambda unstable=unstable: f"so far {unstable}" in screen(app))  # type: ignore[misc]
            if unstable == "first guess":  # the pane made room for new rows: all of it moved
                await until(pilot, lambda: pane(app).scroll_offset.y == pane(app).max_scroll_y)
                await pilot.pause()
                monkeypatch.setattr(TranscriptPane, "render_line", noted)
        assert len(rows) <= 2
