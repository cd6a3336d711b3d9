"""`hearing-ctl`: one verb, one message, one answer, in about the time an empty Python program takes."""

from __future__ import annotations

import os
import sys

from hearing import paths
from hearing_ctl import exits
from hearing_ctl.command_line import Call, parse
from hearing_ctl.verbs import ACK, OPPOSITE, STATUS, Verb, request
from hearing_ctl.wire import Wire, acknowledge


def main() -> int:
    """Run one verb; give the exit status."""
    try:
        return _run(parse(sys.argv[1:]))
    except exits.StopError as stop:
        hint = f"\nhint: {stop.hint}" if stop.hint else ""
        if stop.sentence:
            print(f"hearing-ctl: {stop.sentence}{hint}", file=sys.stderr)
        return stop.status
    except KeyboardInterrupt:
        return exits.INTERRUPTED


def _run(call: Call) -> int:
    if "--version" in call.flags or "--help" in call.flags or call.verb is None:
        from hearing_ctl import help_text

        return help_text.show(call)
    wire = Wire(f"{_runtime_dir(call.runtime_dir)}/{paths.ASSISTANT_SOCKET}")
    try:
        return _ask(wire, call, call.verb)
    finally:
        wire.close()


def _ask(wire: Wire, call: Call, verb: Verb) -> int:
    """Send the verb's message; what an answer other than `ack` needs is loaded only now."""
    if verb.answer == ACK:
        if OPPOSITE in call.fields.values():
            from hearing_ctl import toggle

            return toggle.ask(wire, call, verb)
        acknowledge(wire.ask(request(verb, call.fields)))
        return exits.OK
    if verb.answer == STATUS:
        from hearing_ctl import status_view

        return status_view.show(wire.ask(request(verb, call.fields)), raw="--json" in call.flags)
    from hearing_ctl import transcript_pages

    return transcript_pages.show(wire, call.fields)


def _runtime_dir(explicit: str | None) -> str:
    try:
        return paths.runtime_dir(explicit, warn=_warn, create=False)
    except paths.UnfitDirError as error:
        if str(error).endswith(os.strerror(2).lower()):  # no folder, so nobody serves in it
            raise exits.StopError(
                exits.UNAVAILABLE, f"the assistant is not running: {error}", "start it with `hearing up`"
            ) from None
        raise exits.StopError(
            exits.CONFIG,
            str(error),
            "name another with `--runtime-dir`, or `chmod 700` this one if it is yours",
        ) from None


def _warn(sentence: str) -> None:
    print(f"hearing-ctl: warning: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
