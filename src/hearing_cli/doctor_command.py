"""`hearing doctor`: everything that can be wrong on a machine, and the line that mends it."""

import argparse
from collections.abc import Iterator

import msgspec

from hearing.errors import ExitCode
from hearing.safe_text import safe_json, safe_line
from hearing_cli import commands
from hearing_cli.doctor import audio, machine, setup
from hearing_cli.doctor.check import Check, State

_EPILOG = """\
Listens for two seconds to measure a level; nothing of it is kept. Exits 1 when anything fails.
"""

_MARKS = {State.OK: "ok  ", State.WARN: "warn", State.FAIL: "FAIL"}


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `doctor`."""
    parser = commands.subparser(subparsers, "doctor", epilog=_EPILOG)
    parser.add_argument("--json", action="store_true", help="one object with all checks")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Look at everything, saying each finding as it comes."""
    checks = []
    for check in examine(args.config, args.runtime_dir):
        checks.append(check)
        if not args.json:
            print("\n".join(lines(check)), flush=True)
    healthy = all(check.state is not State.FAIL for check in checks)
    if args.json:
        print(safe_json(msgspec.json.encode({"ok": healthy, "checks": checks}).decode()))
    return ExitCode.OK if healthy else ExitCode.FAILED


def examine(config_path: str | None, runtime_dir: str | None) -> Iterator[Check]:
    """Give every finding, in the order in which they would be mended."""
    yield machine.check_python()
    yield setup.check_config(config_path)
    check, folder = setup.check_runtime_folder(runtime_dir)
    yield check
    if folder is not None:
        yield setup.check_files(folder)
        yield from setup.check_servers(folder)
    yield setup.check_model(config_path)
    yield machine.check_disk()
    yield machine.check_terminal()
    yield from audio.checks_of_sound()


def lines(check: Check) -> list[str]:
    """Give a finding for people, its fix on a line of its own."""
    said = [f"{_MARKS[check.state]}  {check.name:<17} {safe_line(check.detail)}"]
    return [*said, f"      {'':<17} fix: {safe_line(check.fix)}"] if check.fix else said
