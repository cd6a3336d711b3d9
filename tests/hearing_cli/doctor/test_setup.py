"""Configuration, runtime folder, sockets, servers, models."""

import asyncio
import socket
from pathlib import Path

import pytest

from hearing import paths
from hearing.testing.daemon import FakeDaemon
from hearing_cli.doctor import setup
from hearing_cli.doctor.check import State, ok


def test_configuration_good_missing_and_bad(home: Path) -> None:
    assert setup.check_config().state is State.OK
    bad = home / "bad.toml"
    bad.write_text("[stt]\nmodle = 'x'\n")
    check = setup.check_config(str(bad))
    assert check.state is State.FAIL
    assert check.detail.startswith(f"{bad}:2: `stt.modle`")
    assert check.fix == "did you mean `model`?"


def test_an_unfit_runtime_folder_fails_and_a_skipped_one_is_said(
    home: Path, runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert setup.check_runtime_folder() == (ok("runtime folder", str(runtime_dir)), runtime_dir)
    runtime_dir.chmod(0o755)
    check, folder = setup.check_runtime_folder()
    assert (check.state, folder) == (State.FAIL, None)
    monkeypatch.delenv("HEARING_RUNTIME_DIR")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home / "missing"))
    check, folder = setup.check_runtime_folder()
    assert folder is not None
    assert check.state is State.WARN
    assert str(home / "missing") in check.detail


def test_files_that_others_could_use_are_named(runtime_dir: Path) -> None:
    assert setup.check_files(runtime_dir).state is State.OK
    lock = runtime_dir / paths.UP_LOCK
    lock.touch(mode=0o644)
    lock.chmod(0o644)
    (runtime_dir / paths.DAEMON_SOCKET).touch(mode=0o600)
    check = setup.check_files(runtime_dir)
    assert check.state is State.FAIL
    assert "`hearing-daemon.sock` is something else" in check.detail
    assert "`hearing-up.lock` has mode 0644, not 0600" in check.detail
    assert str(lock) in check.fix


async def test_a_running_server_is_named_with_its_pid(runtime_dir: Path) -> None:
    async with FakeDaemon(runtime_dir) as daemon:
        daemon_check, assistant_check = await asyncio.to_thread(setup.check_servers, runtime_dir)
        assert daemon_check.detail.startswith(f"running, pid {daemon.publisher.hello.pid}")
        assert assistant_check.detail == "not running"
        assert setup.check_files(runtime_dir).state is State.OK


def test_a_socket_left_by_a_killed_server_is_no_fault(runtime_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(runtime_dir / paths.DAEMON_SOCKET))
    check = setup.check_servers(runtime_dir)[0]
    assert check.state is State.OK
    assert "the next start clears up" in check.detail


def test_something_that_does_not_greet_on_our_socket_is_a_fault(runtime_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(str(runtime_dir / paths.DAEMON_SOCKET))
        stranger.listen()
        check = setup.check_servers(runtime_dir)[0]
    assert check.state is State.FAIL
    assert check.fix


def test_a_missing_model_fails_with_the_command_that_fetches_it() -> None:
    check = setup.check_model()
    assert check.state is State.FAIL
    assert "hearing models pull tiny.en" in check.fix


def test_a_torn_model_is_found_by_its_hashes(home: Path) -> None:
    folder = home / ".local/share/hearing/models/tiny.en"
    folder.mkdir(parents=True)
    (folder / "model.bin").write_bytes(b"torn")
    check = setup.check_model()
    assert check.state is State.FAIL
    assert "model.bin" in check.detail
    assert "hearing models pull tiny.en" in check.fix


def test_the_real_model_is_whole(real_models: Path) -> None:
    assert setup.check_model().detail == "`tiny.en` is here and whole"
