"""Results have one shape, and `run.py` tells when a benchmark crashed."""

import json
from pathlib import Path

import pytest
from benchmarks.report import Result, parse, print_table

from benchmarks import run

WITH_PEER = Result("x.p50_us", 3.14159265, 2.0, "a peer", 5, "us", {"per_s": 10})
WITHOUT = Result("x.count", 7, None, None, 1, "events")


def test_a_line_has_the_agreed_fields_in_their_order_and_the_ratio() -> None:
    line = json.loads(WITH_PEER.line())
    assert list(line) == ["measure", "ours", "peer", "peer_name", "ratio", "n", "unit", "settings"]
    assert (line["ours"], line["ratio"]) == (3.1416, 1.5708)


@pytest.mark.parametrize("peer", [None, 0.0])
def test_without_a_peer_or_beside_zero_there_is_no_ratio(peer: float | None) -> None:
    assert Result("x.y_ms", 1.0, peer, None, 1, "ms").ratio is None
    assert json.loads(WITHOUT.line())["ratio"] is None


def test_a_line_comes_back_and_anything_else_is_refused() -> None:
    assert parse(WITHOUT.line()) == WITHOUT
    for bad in ("", "3", "{}", '{"measure":"x"}', "Traceback"):
        with pytest.raises(ValueError, match=r".+"):
            parse(bad)


def test_the_table_names_every_measure(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([WITH_PEER, WITHOUT])
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("x.p50_us", "a peer", "1.57", "x.count"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of benchmarks with one good one."""
    monkeypatch.setattr(run, "HERE", tmp_path)
    (tmp_path / "good.py").write_text(f"import sys\nprint({WITHOUT.line()!r})\nassert '--json' in sys.argv\n")
    (tmp_path / "report.py").write_text("raise SystemExit(9)\n")
    return tmp_path


@pytest.mark.parametrize("bad", ["raise SystemExit(3)", "print('no result')", "print('{}')"])
def test_one_that_crashed_is_named_and_the_others_are_shown(
    folder: Path, bad: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["run.py", "--json", "--quick"])
    assert run.main() == 0
    (folder / "bad.py").write_text(bad + "\n")
    assert run.main() == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == [WITHOUT.line()] * 2
    assert "`benchmarks/bad.py` failed" in said.err
