"""A worker process with a fake engine: the real loop and the real pipes, no model.

Acts are written `say:TEXT`, `crash`, `hang`, `refuse`; `--peak PEAK=ACT` does it to utterances of that peak,
and `--once FILE` turns `crash` and `hang` into a plain answer from the second time on.
"""

import argparse
import signal
import sys
import time
from pathlib import Path

from hearing import process
from hearing.testing.stt import Act, Crash, FakeSpeechToText, Hang, Refuse, Say
from hearing_daemon.worker.serve import claim_stdout, send, serve
from hearing_daemon.worker.wire import Ready, Unusable


def main() -> int:
    """Serve as told."""
    options = parser().parse_args()
    process.die_with_parent(signal.SIGKILL)
    sink = claim_stdout()
    print("a library chatters on stdout", flush=True)
    print("last words", file=sys.stderr, flush=True)
    time.sleep(options.load_s)
    if options.unusable:
        send(sink, Unusable("model `fake` is torn", "mend it"))
        return 1
    if options.stillborn:
        return 7
    send(sink, Ready("fake", "cpu"))
    peaks = dict(pair.split("=", 1) for pair in options.peak)
    engine = FakeSpeechToText(
        [act(text, options.once) for text in options.script],
        by_peak={int(peak): act(text, options.once) for peak, text in peaks.items()},
        rtf=options.rtf,
    )
    serve(engine, sys.stdin.buffer, sink)
    return 0


def parser() -> argparse.ArgumentParser:
    """Give the command line."""
    made = argparse.ArgumentParser()
    made.add_argument("script", nargs="*")
    made.add_argument("--peak", action="append", default=[])
    made.add_argument("--once", type=Path)
    made.add_argument("--rtf", type=float, default=0.0)
    made.add_argument("--load-s", type=float, default=0.0)
    made.add_argument("--unusable", action="store_true")
    made.add_argument("--stillborn", action="store_true")
    return made


def act(text: str, once: Path | None) -> Act:
    """Read an act; a fault that was done before is done no more."""
    kind, _, said = text.partition(":")
    if kind in ("crash", "hang") and once is not None:
        if once.exists():
            return Say("recovered")
        once.touch()
    faults: dict[str, Act] = {"crash": Crash(), "hang": Hang(), "refuse": Refuse()}
    return faults.get(kind) or Say(said)


if __name__ == "__main__":
    sys.exit(main())
