"""The suite's own things: configuration, runtime folder, sockets, running servers, models."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hearing import config, paths
from hearing.errors import AlreadyRunningError, ConfigError, ModelError
from hearing.models import store
from hearing.transport.listen import read_hello
from hearing_cli.doctor.check import Check, fail, ok, warn

_SERVERS: Final = (paths.DAEMON_SOCKET, paths.ASSISTANT_SOCKET)


def check_config(path: str | None = None) -> Check:
    """Read the configuration."""
    where = path or paths.config_file()
    try:
        config.load(path)
    except ConfigError as error:
        return fail("config", error.sentence, error.hint)
    return ok("config", where if Path(where).exists() else "none, all is at its default")


def check_runtime_folder(explicit: str | None = None) -> tuple[Check, Path | None]:
    """Find the folder of the sockets, as every program does."""
    skipped: list[str] = []
    try:
        folder = paths.runtime_dir(explicit, warn=skipped.append)
    except paths.UnfitDirError as error:
        return fail(
            "runtime folder", str(error), "name another with HEARING_RUNTIME_DIR, or `chmod 700` it"
        ), None
    if skipped:
        return warn("runtime folder", f"{folder} ({'; '.join(skipped)})"), Path(folder)
    return ok("runtime folder", folder), Path(folder)


def check_files(folder: Path) -> Check:
    """Look at the modes of what lies in the runtime folder."""
    wrong = list(_wrong_files(folder))
    if not wrong:
        return ok("sockets", "all private")
    names = " ".join(str(path) for path, _ in wrong)
    return fail("sockets", "; ".join(why for _, why in wrong), f"`hearing down`, then `rm {names}`")


def check_servers(folder: Path) -> list[Check]:
    """Ask each server who it is."""
    return [_check_server(folder / name) for name in _SERVERS]


def check_model(path: str | None = None) -> Check:
    """Read every byte of the configured model and compare the hashes."""
    try:
        name = config.load(path).stt.model
    except ConfigError:
        return warn("model", "not looked at: the configuration cannot be read")
    try:
        if Path(name).is_absolute():
            return ok("model", str(store.locate(name)))
        problems = [check.problem for check in store.verify(name) if check.problem]
    except ModelError as error:
        return fail("model", error.sentence, error.hint)
    if problems:
        return fail("model", f"`{name}` is torn: {'; '.join(problems)}", store.remedy(name))
    return ok("model", f"`{name}` is here and whole")


def _check_server(socket: Path) -> Check:
    try:
        hello = read_hello(socket)
    except AlreadyRunningError as error:
        return fail(socket.stem, error.sentence, error.hint)
    if hello is not None:
        return ok(socket.stem, f"running, pid {hello.pid}, version {hello.version}")
    left = " (its last one was killed; the next start clears up)" if socket.exists() else ""
    return ok(socket.stem, f"not running{left}")


def _wrong_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Give each file that somebody else could use, with what is wrong."""
    sockets = [(folder / name, stat.S_ISSOCK) for name in _SERVERS]
    names = [
        *(Path(name).with_suffix(".lock").name for name in _SERVERS),
        paths.UP_LOCK,
        paths.LISTENING_FILE,
    ]
    for path, is_right_kind in (*sockets, *((folder / name, stat.S_ISREG) for name in names)):
        try:
            info = path.lstat()
        except FileNotFoundError:
            continue
        mode = stat.S_IMODE(info.st_mode)
        if not is_right_kind(info.st_mode):
            yield path, f"`{path.name}` is something else"
        elif info.st_uid != os.geteuid():
            yield path, f"`{path.name}` belongs to uid {info.st_uid}"
        elif mode & 0o077:
            yield path, f"`{path.name}` has mode {mode:04o}, not 0600"
