"""`hearing devices`: what can be listened to here, by the name that `--mic` and `--system` take."""

import argparse
import sys

import msgspec

from hearing.errors import ExitCode
from hearing.safe_text import safe_json, safe_line
from hearing_cli import commands
from hearing_cli.probe import Device, Problem, probe

_EPILOG = """\
`me` devices suit `--mic`, `them` devices (monitors: what the speakers play) suit `--system`; `*` marks the
default, which `auto` takes. Exits 1 when there is no device at all.

examples:
  hearing devices
  hearing up --mic "USB Microphone" --system auto
"""


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `devices`."""
    parser = commands.subparser(subparsers, "devices", epilog=_EPILOG)
    parser.add_argument("--json", action="store_true", help="an array of objects")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the devices; problems on the way go to stderr."""
    found = probe("devices")
    devices = [item for item in found if isinstance(item, Device)]
    for problem in found:
        if isinstance(problem, Problem):
            print(safe_line(f"{problem.what}: {problem.detail}"), file=sys.stderr)
            print(safe_line(f"hint: {problem.hint}"), file=sys.stderr) if problem.hint else None
    if args.json:
        listed = [msgspec.structs.asdict(device) for device in devices]
        print(safe_json(msgspec.json.encode(listed).decode()))
    else:
        for line in table(devices):
            print(line)
    return ExitCode.OK if devices else ExitCode.FAILED


def table(devices: list[Device]) -> list[str]:
    """Give the devices in aligned columns, safe to print."""
    rows = [("", "LEG", "BACKEND", "RATE", "CH", "ID", "NAME")] if devices else []
    rows += [
        (
            "*" if device.default else "",
            "them" if device.monitor else "me",
            device.backend,
            str(device.rate_hz),
            str(device.channels),
            safe_line(device.id),
            safe_line(device.name),
        )
        for device in devices
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
