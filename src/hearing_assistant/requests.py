"""What clients may ask: a table from request to handler. A handler decides; the service acts on its reply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from hearing import rendering
from hearing.errors import ErrorCode
from hearing.messages import control
from hearing.messages.common import Error, Event, Message
from hearing_assistant.hearing_facts import HearingState
from hearing_assistant.hearing_view import view_health, view_stt
from hearing_assistant.transcripts import Transcripts


class Desk(Protocol):
    """What a handler may look at, and the one thing it may do."""

    @property
    def hearing(self) -> HearingState:
        """Give the daemon as seen."""
        ...

    @property
    def transcripts(self) -> Transcripts:
        """Give what was said lately."""
        ...

    @property
    def last_seq(self) -> int:
        """Give the number of the newest event."""
        ...

    @property
    def viewers(self) -> int:
        """Count who watches."""
        ...

    @property
    def uptime_ms(self) -> int:
        """Say how long the assistant runs."""
        ...

    def set_listening(self, *, on: bool) -> None:
        """Mute or listen again.

        Raises:
            OSError: It could not be written down.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """The one answer, then what follows it: a subscriber's greeting, events for everybody."""

    answer: control.Answer | Error
    greeting: tuple[Message, ...] = ()
    events: tuple[Event, ...] = ()


def reply_to(desk: Desk, request: control.ControlRequest) -> Reply:
    """Decide what to answer; every request of the dialect has a row."""
    return HANDLERS[type(request)](desk, request)


def _subscribe(desk: Desk, _: control.Subscribe) -> Reply:
    snapshot = control.Snapshot(
        mode=control.Mode.IDLE,
        command_text="",
        queue=control.QueueDepth(),
        chat_capture=False,
        triage_chat=False,
        health=view_health(desk.hearing),
        speakers=list(desk.hearing.speakers),
        last_seq=desk.last_seq,
        stt=view_stt(desk.hearing),
    )
    return Reply(control.Ack(command="subscribe"), greeting=(snapshot,))


def _status(desk: Desk, _: control.StatusGet) -> Reply:
    return Reply(
        control.Status(
            mode=control.Mode.IDLE,
            stt=view_stt(desk.hearing),
            llm=None,
            queue=control.QueueDepth(),
            chat_capture=False,
            triage_chat=False,
            viewers=desk.viewers,
            session=None,
            uptime_ms=desk.uptime_ms,
            health=view_health(desk.hearing),
        )
    )


def _listen(desk: Desk, request: control.Listen) -> Reply:
    try:
        desk.set_listening(on=request.on)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Reply(
            Error(
                code=ErrorCode.WRITE_FAILED,
                message=f"the `listening` file cannot be written: {reason}",
                hint="look at the runtime folder with `hearing doctor`",
            )
        )
    return Reply(control.Ack(command="listen"))


def _transcript(desk: Desk, request: control.TranscriptGet) -> Reply:
    begins = request.from_index <= 0
    index = max(0, request.from_index)
    if begins and request.last_ms is not None:
        index = desk.transcripts.index_of_last(request.last_ms)
    page = rendering.page(desk.transcripts.lines_from(index), request.format, first=begins)
    return Reply(
        control.TranscriptText(
            format=request.format, text=page.text, segments=page.lines, next_index=page.next_index
        )
    )


def _clear(_desk: Desk, _: control.Clear) -> Reply:
    return Reply(control.Ack(command="clear"), events=(control.Cleared(),))


def _speaker_list(desk: Desk, _: control.SpeakerListGet) -> Reply:
    return Reply(control.SpeakerList(speakers=list(desk.hearing.speakers)))


HANDLERS: Final[dict[type[control.Request], Callable[[Desk, Any], Reply]]] = {
    control.Subscribe: _subscribe,
    control.StatusGet: _status,
    control.Listen: _listen,
    control.TranscriptGet: _transcript,
    control.Clear: _clear,
    control.SpeakerListGet: _speaker_list,
}
