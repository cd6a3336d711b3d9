"""`hearing config`: write an example, show what is in effect, say where it is, check it."""

import argparse
import importlib.resources
import os
from pathlib import Path

import msgspec
import tomli_w

from hearing import config, paths
from hearing.errors import ExitCode, HearingError
from hearing_cli import commands

_EPILOG = """\
examples:
  hearing config init       write a file with every option, its default, and a line about it
  hearing config check      name the line and the nearest key of a mistake; exit status 78
  hearing config show       what is in effect, as TOML
"""

EXAMPLE = "example_config.toml"


def register(subparsers: "commands.Subparsers[argparse.ArgumentParser]") -> None:
    """Add `config` and its verbs."""
    verbs = commands.subparser(subparsers, "config", epilog=_EPILOG).add_subparsers(
        dest="verb", metavar="VERB", required=True
    )
    init = commands.verb(verbs, "init", "write a commented file with all defaults", _init)
    init.add_argument("--force", action="store_true", help="over a file that is there")
    commands.verb(verbs, "show", "print what is in effect, as TOML", _show)
    commands.verb(verbs, "path", "print where the file is read from", _path)
    commands.verb(verbs, "check", "read it and name what is wrong", _check)


def example_text() -> str:
    """Give the text of the example, which ships inside the package."""
    return (importlib.resources.files("hearing_cli") / EXAMPLE).read_text(encoding="utf-8")


def _init(args: argparse.Namespace) -> int:
    where = _where(args)
    try:
        paths.private_dir(str(where.parent))
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if args.force else os.O_EXCL)
        fd = os.open(where, flags, 0o600)
    except FileExistsError:
        raise HearingError(f"config `{where}` exists", hint="`--force` writes over it") from None
    except OSError as error:
        raise HearingError(f"config `{where}` cannot be written: {(error.strerror or '').lower()}") from None
    with open(fd, "w", encoding="utf-8") as file:
        os.fchmod(fd, 0o600)
        file.write(example_text())
    print(where)
    return ExitCode.OK


def _show(args: argparse.Namespace) -> int:
    print(tomli_w.dumps(msgspec.to_builtins(config.load(args.config))), end="")
    return ExitCode.OK


def _path(args: argparse.Namespace) -> int:
    print(_where(args))
    return ExitCode.OK


def _check(args: argparse.Namespace) -> int:
    config.load(args.config)
    where = _where(args)
    print(f"{where}: ok" if where.exists() else f"{where}: not there, so all is at its default")
    return ExitCode.OK


def _where(args: argparse.Namespace) -> Path:
    return Path(args.config or paths.config_file())
