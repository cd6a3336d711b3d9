"""The worker's command line."""

from pathlib import Path

from hearing.config import SttConfig
from hearing_daemon.worker.__main__ import parser
from hearing_daemon.worker.command import worker_command


def test_the_worker_reads_what_the_daemon_writes() -> None:
    stt = SttConfig(model="base", language="de", beam_size=5, compute_type="float32", threads=3)
    _, dash_m, module, *written = worker_command(stt, Path("/models/base"))
    assert [dash_m, module] == ["-m", "hearing_daemon.worker"]
    read = parser().parse_args(written)
    assert (read.weights, read.name, read.language) == (Path("/models/base"), "base", "de")
    assert (read.beam_size, read.compute_type, read.threads) == (5, "float32", 3)


def test_threads_are_counted_when_not_configured() -> None:
    read = parser().parse_args(worker_command(SttConfig(), Path("/m"))[3:])
    assert read.threads >= 1
