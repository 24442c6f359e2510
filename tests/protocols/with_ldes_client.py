"""`ldes-client` from npm, unchanged, and a real node. Run by `make test-protocols`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest
from tests.node.processes import Process, running
from tests.protocols.clients import call

from triplewire.client import Client

MANY = 250
EVENT = """<urn:s{n}> <urn:p> "{n}" <urn:event:{n}> .
<urn:s{n}> <urn:q> _:b <urn:event:{n}> .
_:b <urn:r> "{n}" <urn:event:{n}> .
"""


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Process]:
    with running(tmp_path / "node", "--open") as started:
        publish(started, range(1, MANY + 1))
        yield started


def publish(node: Process, numbers: range) -> None:
    with Client(node.url) as client:
        client.publish("".join(EVENT.format(n=n) for n in numbers))


def read(node: Process, folder: Path, *flags: str) -> str:
    return call("ldes-client", f"{node.url}/ldes", *flags, folder=folder)


def events_in(text: str) -> list[int]:
    """The events of the members, in the order in which they were emitted."""
    return [int(number) for number in re.findall(r'<urn:p> "(\d+)"', text)]


def test_it_reads_every_event_once_and_whole(node: Process, tmp_path: Path) -> None:
    text = read(node, tmp_path)
    assert sorted(events_in(text)) == list(range(1, MANY + 1))
    store = pyoxigraph.Store()
    store.load(text.encode(), pyoxigraph.RdfFormat.N_QUADS)
    [row] = store.query("SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s <urn:q> ?b . ?b <urn:r> ?v } }")
    assert row["n"].value == str(MANY)


def test_it_reads_in_order(node: Process, tmp_path: Path) -> None:
    publish(node, range(MANY + 1, MANY + 20))
    times = re.findall(r'created> "([^"]+)"', read(node, tmp_path, "--ordered", "ascending"))
    assert len(times) == MANY + 19
    assert times == sorted(times)


def test_it_goes_on_where_it_was(node: Process, tmp_path: Path) -> None:
    flags = ("--save", str(tmp_path / "state"))
    assert len(events_in(read(node, tmp_path, *flags))) == MANY
    publish(node, range(MANY + 1, MANY + 101))
    assert sorted(events_in(read(node, tmp_path, *flags))) == list(range(MANY + 1, MANY + 101))


def test_it_leaves_out_what_came_before(node: Process, tmp_path: Path) -> None:
    newest = max(re.findall(r'created> "([^"]+)"', read(node, tmp_path)))
    publish(node, range(MANY + 1, MANY + 11))
    later = events_in(read(node, tmp_path, "--after", newest))
    assert set(range(MANY + 1, MANY + 11)) <= set(later)
