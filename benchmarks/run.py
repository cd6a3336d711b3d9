"""Run every benchmark that is here, one after the other, and print one table of what they measured.

The list is the folder: a new file is run without being named anywhere. Results are read from the files' own
`--json` lines, so that nothing in the table is written by hand.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.report import Result, arguments, parse, show

HERE = Path(__file__).resolve().parent
NO_BENCHMARKS = {"run.py", "report.py", "score.py"}


def main() -> int:
    """Run, print, and say by the exit status whether all went through."""
    options = arguments(__doc__ or "")
    results: list[Result] = []
    failed: list[str] = []
    for script in scripts():
        print(f"{script.stem} …", file=sys.stderr, flush=True)
        found = measured(script, quick=options.quick)
        if found is None:
            failed.append(script.name)
        else:
            results += found
    show(results, as_json=options.json)
    for name in failed:
        print(f"`benchmarks/{name}` failed; its own words are above", file=sys.stderr)
    return 1 if failed else 0


def scripts() -> list[Path]:
    """Give the benchmarks in alphabetical order."""
    return sorted(path for path in HERE.glob("*.py") if path.name not in NO_BENCHMARKS)


def measured(script: Path, *, quick: bool) -> list[Result] | None:
    """Run one and read its lines; None when it crashed or printed something else."""
    command = [sys.executable, str(script), "--json", *(["--quick"] if quick else [])]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    try:
        found = [parse(line) for line in ran.stdout.splitlines() if line.strip()]
    except ValueError as error:
        print(f"{script.stem}: {error}", file=sys.stderr)
        return None
    return found if ran.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
