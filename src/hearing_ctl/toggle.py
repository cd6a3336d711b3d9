"""`toggle`: asks what is now, then for its opposite."""

from __future__ import annotations

from hearing_ctl import exits
from hearing_ctl.answers import expect
from hearing_ctl.command_line import Call
from hearing_ctl.output import write_own
from hearing_ctl.verbs import Verb, request
from hearing_ctl.wire import Wire, acknowledge


def ask(wire: Wire, call: Call, verb: Verb) -> int:
    """Mute if listening, listen if muted, and say which.

    Raises:
        StopError: The assistant does not say what is now, or refuses.
    """
    stt = expect(wire.ask(b'{"type":"status"}\n'), "status").get("stt")
    if not isinstance(stt, dict) or not isinstance(stt.get("muted"), bool):
        raise exits.StopError(exits.FAILED, "the assistant does not say whether it is muted")
    call.fields["on"] = "true" if stt["muted"] else "false"
    acknowledge(wire.ask(request(verb, call.fields)))
    write_own("listening\n" if stt["muted"] else "muted\n")
    return exits.OK
