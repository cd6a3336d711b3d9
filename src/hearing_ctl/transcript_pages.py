"""`transcript`: asks for page after page until the document is whole, printing each as it comes."""

from __future__ import annotations

from hearing_ctl import exits
from hearing_ctl.answers import expect
from hearing_ctl.output import write
from hearing_ctl.verbs import PAGES, VERBS, request
from hearing_ctl.wire import Wire

_VERB = next(verb for verb in VERBS if verb.answer == PAGES)


def show(wire: Wire, fields: dict[str, str]) -> int:
    """Print the whole document.

    Raises:
        StopError: A page is refused, or does not lead on.
    """
    index = 0
    while True:
        page = expect(wire.ask(request(_VERB, fields | {"from_index": str(index)})), PAGES)
        write(str(page.get("text", "")))
        following = page.get("next_index")
        if following is None:
            return exits.OK
        if type(following) is not int or following <= index:
            raise exits.StopError(exits.FAILED, f"the assistant's pages do not lead on from `{index}`")
        index = following
