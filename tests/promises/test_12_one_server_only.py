"""Promise 12: of 20 parallel starts over a stale socket exactly one wins, and it can be reached (x 100)."""

import subprocess
import sys
from pathlib import Path

import pytest

STARTS = 20

RACE = """
import os, signal, sys
from hearing.errors import AlreadyRunningError
from hearing.messages.common import Hello
from hearing.protocol import encode
from hearing.transport.listen import claim, read_hello

path, starts, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def start(gate, results):
    os.read(gate, 1)  # EOF for all at once
    try:
        held = claim(path)
    except AlreadyRunningError:
        os.write(results, b"l")
        os._exit(0)
    except BaseException as error:
        os.write(results, b"?")
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os.write(results, b"w")
    held.socket.setblocking(True)
    hello = encode(Hello(server="racer", version="1", pid=os.getpid(), boot_id="b"))
    while True:
        client, _ = held.socket.accept()
        client.sendall(hello)
        client.close()

def race():
    gate, opened = os.pipe()
    seen, results = os.pipe()
    children = []
    for _ in range(starts):
        child = os.fork()
        if not child:
            os.close(opened)
            os.close(seen)
            start(gate, results)
        children.append(child)
    os.close(gate)
    os.close(results)
    os.close(opened)
    outcomes = b"".join(os.read(seen, 1) for _ in range(starts))
    os.close(seen)
    hello = read_hello(path)
    for child in children:  # whoever won dies as by `kill -9`: the next round starts over its stale socket
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return outcomes.count(b"w"), outcomes.count(b"l"), hello is not None and hello.pid in children

for _ in range(rounds):
    print(*race(), flush=True)
"""


def raced(path: Path, rounds: int) -> list[str]:
    """Run so many rounds in one process that forks its starters; one line a round."""
    ran = subprocess.run(
        [sys.executable, "-c", RACE, path, str(STARTS), str(rounds)],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def test_of_20_starts_one_wins_and_answers_and_19_learn_that_it_runs(runtime_dir: Path) -> None:
    """The first round starts over nothing, every later one over the socket of a server that was killed."""
    path = runtime_dir / "hearing-test.sock"
    assert raced(path, 10) == ["1 19 True"] * 10
    assert path.exists(), "the last winner was killed too and left its socket"


@pytest.mark.long
def test_the_same_a_hundred_times(runtime_dir: Path) -> None:
    assert raced(runtime_dir / "hearing-test.sock", 100) == ["1 19 True"] * 100
