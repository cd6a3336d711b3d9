"""One shape for every result: a JSON line per measure, and the table that people read."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Result:
    """One measure of ours, beside a peer's of the same run where there is one.

    Attributes:
        measure: `<file>.<what>` in lower case, the unit in its name.
        ours: Our figure, in `unit`.
        peer: The peer's figure, or None.
        peer_name: Who the peer is, or None.
        n: How many observations `ours` stands on.
        unit: What `ours` and `peer` count.
        settings: What else a reader needs to repeat it; `data` names the speech, if any.
        ratio: ours / peer, or None without a peer (or beside a peer of zero).
    """

    measure: str
    ours: float
    peer: float | None
    peer_name: str | None
    n: int
    unit: str
    settings: dict[str, Any] = field(default_factory=dict)
    ratio: float | None = None

    def __post_init__(self) -> None:
        if self.ratio is None and self.peer:
            object.__setattr__(self, "ratio", self.ours / self.peer)

    def line(self) -> str:
        """Give it as one JSON line, figures to four places."""
        order = ("measure", "ours", "peer", "peer_name", "ratio", "n", "unit", "settings")
        shown = asdict(self)
        return json.dumps({name: _rounded(shown[name]) for name in order}, ensure_ascii=False)


def parse(line: str) -> Result:
    """Read a JSON line back.

    Raises:
        ValueError: It is no result.
    """
    try:
        fields = json.loads(line)
        return Result(**fields)
    except TypeError as error:
        raise ValueError(f"`{line[:80]}` is no result: {error}") from None


def arguments(description: str, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read what every benchmark takes: `--json`, `--quick`."""
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of the table")
    parser.add_argument("--quick", action="store_true", help="take under a minute; the figures are rougher")
    return parser.parse_args(argv)


def show(results: Iterable[Result], *, as_json: bool) -> None:
    """Print results on stdout, as JSON lines or as the table."""
    if as_json:
        for result in results:
            print(result.line(), flush=True)
    else:
        print_table(results)


def print_table(results: Iterable[Result]) -> None:
    """Print the table that people read."""
    table = Table(title=None, header_style="bold")
    for name in ("measure", "ours", "unit", "peer", "ratio", "n"):
        left = name in {"measure", "unit", "peer"}
        table.add_column(name, justify="left" if left else "right", no_wrap=name == "measure")
    for result in results:
        peer = "-" if result.peer is None else f"{_figure(result.peer)} {result.peer_name or ''}".strip()
        ratio = "-" if result.ratio is None else f"{result.ratio:.3g}"
        table.add_row(result.measure, _figure(result.ours), result.unit, peer, ratio, str(result.n))
    Console(file=sys.stdout).print(table)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
