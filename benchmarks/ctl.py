"""Row 11: the wall time of `hearing-ctl`, against an empty console script of the same environment.

The peer is our own installed console script with another module named in it, written by the same installer
therefore, and an empty function behind it. A real assistant without a daemon answers. Runs alternate; both
sides run with bytecode cached, as an installation has it.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.report import Result, arguments, show

from hearing import paths
from hearing.transport.listen import read_hello

CTL = Path(sys.executable).with_name("hearing-ctl")
ENTRY = "hearing_ctl.__main__"
EMPTY = "def main():\n    return 0\n"
RUNS, QUICK_RUNS = 101, 51
ACK_VERBS = (("clear",), ("listen", "on"))


def empty_script(folder: Path) -> Path:
    """Write a console script that does nothing, from ours."""
    source = CTL.read_text(encoding="utf-8")
    assert ENTRY in source, f"`{CTL}` is no console script we know"
    script = folder / "empty-ctl"
    script.write_text(source.replace(ENTRY, "empty_ctl"), encoding="utf-8")
    script.chmod(0o700)
    (folder / "empty_ctl.py").write_text(EMPTY, encoding="utf-8")
    return script


def environment(folder: Path) -> dict[str, str]:
    """Give the environment of every run: bytecode is kept, sockets live in the folder."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"HEARING_RUNTIME_DIR": str(folder / "run")}


@contextmanager
def assistant(folder: Path, env: dict[str, str]) -> Iterator[None]:
    """Run a real assistant until the end of the block."""
    (folder / "run").mkdir(mode=0o700)
    process = subprocess.Popen(
        [sys.executable, "-m", "hearing_assistant"], env=env, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 20
        while read_hello(folder / "run" / paths.ASSISTANT_SOCKET) is None:
            assert time.monotonic() < until, "the assistant does not start"
            assert process.poll() is None, "the assistant has ended"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


def wall_ms(command: Sequence[str], env: dict[str, str]) -> float:
    """Run one command to its end."""
    started = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1_000


def measure(runs: int) -> dict[str, list[float]]:
    """Time every command in turn, `runs` times; the first round only warms the caches."""
    folder = Path(tempfile.mkdtemp(prefix="ctl-"))
    try:
        env = environment(folder)
        commands = {"peer": [str(empty_script(folder))], "status": [str(CTL), "status"]}
        commands |= {verb[0]: [str(CTL), *verb] for verb in ACK_VERBS}
        times: dict[str, list[float]] = {name: [] for name in commands}
        with assistant(folder, env):
            for round_ in range(runs + 1):
                for name, command in commands.items():
                    took_ms = wall_ms(command, env)
                    if round_:
                        times[name].append(took_ms)
        return times
    finally:
        shutil.rmtree(folder)


def result(measure_name: str, ours_ms: Sequence[float], peer_ms: Sequence[float], verbs: str) -> Result:
    """Set medians side by side."""
    return Result(
        measure=measure_name,
        ours=statistics.median(ours_ms),
        peer=statistics.median(peer_ms),
        peer_name="an empty console script",
        n=len(ours_ms),
        unit="ms",
        settings={
            "verbs": verbs,
            "python": sys.version.split()[0],
            "bytecode": "cached",
            "best_ours": min(ours_ms),
            "best_peer": min(peer_ms),
        },
    )


def main() -> None:
    """Print the two results."""
    args = arguments(__doc__ or "")
    times = measure(QUICK_RUNS if args.quick else RUNS)
    acks = [ms for verb in ACK_VERBS for ms in times[verb[0]]]
    results = [
        result("ctl.wall_ms", acks, times["peer"], ", ".join(" ".join(verb) for verb in ACK_VERBS)),
        result("ctl.status_wall_ms", times["status"], times["peer"], "status"),
    ]
    show(results, as_json=args.json)


if __name__ == "__main__":
    main()
