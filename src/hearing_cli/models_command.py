"""`hearing models`: which weights are here, and how to get others."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hearing import config
from hearing.errors import ExitCode, ModelError
from hearing.models import catalogue, store
from hearing.safe_text import safe_json, safe_line, safe_text
from hearing_cli import commands
from hearing_cli.models_progress import megabytes, shown

_EPILOG = """\
examples:
  hearing models list                          what there is, and what of it is here
  hearing models pull base                     fetch one, or mend a torn one
  hearing models add large /data/whisper-large take your own, under a name of yours
  hearing models verify                        read every byte and compare the hashes
"""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A model as `hearing models list --json` shows it; `size_bytes` is that on disk."""

    name: str
    state: str  # here, torn or absent
    size_bytes: int
    kind: str = ""
    languages: str = ""
    licence: str = ""
    about: str = ""
    path: str = ""
    problem: str = ""
    default: bool = False


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """A model as `hearing models verify --json` shows it; `problems` has a sentence per bad file."""

    name: str
    ok: bool
    files: int
    problems: tuple[str, ...]


def register(subparsers: commands.Subparsers[argparse.ArgumentParser]) -> None:
    """Add `models` and its verbs."""
    verbs = commands.subparser(subparsers, "models", epilog=_EPILOG).add_subparsers(
        dest="verb", metavar="VERB", required=True
    )
    name_help = f"one of {', '.join(catalogue.ENTRIES)}, or a name given to `add`"

    listing = _verb(verbs, "list", "what the catalogue has, and what of it is here", _list)
    listing.add_argument("--json", action="store_true", help="an array of objects")

    pulling = _verb(verbs, "pull", "fetch a model, or mend a torn one; goes on where it was cut", _pull)
    pulling.add_argument("name", metavar="NAME", help=f"one of {', '.join(catalogue.ENTRIES)}")
    pulling.add_argument("--offline", action="store_true", help="never touch the network")

    adding = _verb(verbs, "add", "take a Whisper model of yours (CTranslate2) into the store", _add)
    adding.add_argument("name", metavar="NAME", help="what to call it")
    adding.add_argument("path", metavar="PATH", type=Path, help="its folder")
    adding.add_argument("--link", action="store_true", help="link to its files instead of copying them")

    verifying = _verb(verbs, "verify", "read every byte and compare the hashes", _verify)
    verifying.add_argument("name", metavar="NAME", nargs="?", help="only this one")
    verifying.add_argument("--json", action="store_true", help="an array of objects")

    finding = _verb(verbs, "path", "print a model's folder", _path)
    finding.add_argument("name", metavar="NAME", help=name_help)


def ensure(name: str, *, offline: bool) -> Path:
    """Give a model's folder; if it is not here, say on stderr what it is and how big, and pull it.

    Raises:
        ModelError: It is unknown, or cannot be had.
    """
    if name not in catalogue.ENTRIES or _is_here(name):
        return store.locate(name)
    return _fetch(name, offline=offline)


def _fetch(name: str, *, offline: bool) -> Path:
    from hearing.models import pulling  # httpx costs 100 ms: only a pull pays

    entry = catalogue.find(name)
    with shown() as progress:
        if not offline and not _is_here(name):
            progress.note(
                f"pulling `{name}` ({entry.about}): {megabytes(entry.size)}, licence {entry.licence}, "
                f"into {store.root()}"
            )
        try:
            return pulling.pull(name, progress, offline=offline)
        except KeyboardInterrupt:
            progress.note("interrupted: the same command goes on from here")
            raise


def _list(args: argparse.Namespace) -> int:
    rows = _listed()
    if args.json:
        _print_json(rows)
        return ExitCode.OK
    table = [("NAME", "SIZE", "STATE", "LANGUAGES", "LICENCE", "")]
    table += [
        (row.name, megabytes(row.size_bytes), row.state, row.languages, row.licence, row.problem or row.about)
        for row in rows
    ]
    for line in _aligned(table):
        print(safe_text(line))
    return ExitCode.OK


def _pull(args: argparse.Namespace) -> int:
    print(_fetch(args.name, offline=args.offline or config.load(args.config).models.offline))
    return ExitCode.OK


def _add(args: argparse.Namespace) -> int:
    from hearing.models import adding

    with shown() as progress:
        print(adding.add(args.name, args.path, progress, link=args.link))
    return ExitCode.OK


def _verify(args: argparse.Namespace) -> int:
    names = [args.name] if args.name else [model.name for model in store.installed()]
    results = [_verified(name) for name in names]
    if args.json:
        _print_json(results)
    else:
        for result in results:
            for sentence in result.problems or ("ok",):
                print(safe_line(f"{result.name}: {sentence}"))
    if not results:
        raise ModelError("no model is here", hint=f"`hearing models pull {catalogue.DEFAULT}`")
    bad = [result.name for result in results if not result.ok]
    if bad:
        raise ModelError(f"torn: {', '.join(bad)}", hint=store.remedy(bad[0]))
    return ExitCode.OK


def _path(args: argparse.Namespace) -> int:
    print(store.locate(args.name))
    return ExitCode.OK


def _is_here(name: str) -> bool:
    try:
        return bool(store.locate(name))
    except ModelError:
        return False


def _listed() -> list[Listed]:
    here = {model.name: model for model in store.installed()}
    rows = []
    for name in [*catalogue.ENTRIES, *(name for name in here if name not in catalogue.ENTRIES)]:
        entry, model = catalogue.ENTRIES.get(name), here.get(name)
        rows.append(
            Listed(
                name=name,
                state="absent" if model is None else "torn" if model.problem else "here",
                size_bytes=model.size if model else entry.size if entry else 0,
                kind=entry.kind if entry else "stt",
                languages=entry.languages if entry else "",
                licence=entry.licence if entry else "",
                about=entry.about if entry else "your own",
                path=str(model.folder) if model else "",
                problem=model.problem if model else "",
                default=name == catalogue.DEFAULT,
            )
        )
    return rows


def _verified(name: str) -> Verified:
    checks = store.verify(name)
    problems = tuple(check.problem for check in checks if check.problem)
    return Verified(name=name, ok=not problems, files=len(checks), problems=problems)


def _aligned(table: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _print_json(rows: list[Listed] | list[Verified]) -> None:
    print(safe_json(msgspec.json.format(msgspec.json.encode(rows)).decode()))


def _verb(
    verbs: commands.Subparsers[argparse.ArgumentParser],
    name: str,
    help_line: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    made = verbs.add_parser(name, help=help_line, description=help_line, allow_abbrev=False)
    made.set_defaults(run=run)
    return made
