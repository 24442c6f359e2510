"""The living graph in memory is made anew while changes go on, and nobody notices."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, parse
from tests.node.living.test_agreement import SCHEMA, TYPED, run
from tests.node.living.update_requests import requests

from triplewire.errors import InputError
from triplewire.languages.sparql.parsing.parser import parse_update
from triplewire.node.living.compaction import Compaction
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.sparql_update import prepared, updates_of
from triplewire.node.living.store import LivingStore
from triplewire.node.store import Store
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph

SECONDS = 60


def living_store(folder: Path) -> LivingStore:
    return LivingStore(Store(Database(folder)))


def held(store: LivingStore) -> set[str]:
    return store.read(lambda living: {str(quad) for quad in living.repository.store})


def on_disk(store: LivingStore) -> set[str]:
    """What the database has, with what follows from it."""
    lines = store._store.read_blocking(lambda tx: list(living_graph.quads(tx)))
    return {str(quad) for quad in parse("".join(f"{line} .\n" for line in lines).encode(), RdfFormat.N_QUADS)}


def names(store: LivingStore) -> set[str]:
    return store.read(lambda living: {str(name) for name in living.repository.store.named_graphs()})


def is_run(store: LivingStore, operations: list[str]) -> None:
    try:
        run(store, " ;\n".join(operations))
    except InputError:
        # One label of a blank node in two blocks: no request at all.
        return


def refused(store: LivingStore, operations: list[str]) -> None:
    """A request that is executed, and taken back."""
    try:
        ready = [prepared(operation) for operation in parse_update(" ;\n".join(operations))]
    except InputError:
        return

    def work(tx: Connection, living: LivingGraph) -> None:
        living.run(updates_of(ready, living.repository, 1_000_000, 10_000, "t"))
        raise InputError(wanted="nothing of it", found="all of it")

    with pytest.raises(InputError):
        store.submit(work).result(SECONDS)


batches = st.lists(requests, max_size=4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(batches, batches, batches, batches, st.booleans())
def test_what_changes_meanwhile_is_in_it(before, during, later, after, has_schema) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = living_store(Path(folder))
        if has_schema:
            store.submit(lambda tx, _: store.use_schema(tx, SCHEMA)).result(SECONDS)
            is_run(store, [TYPED])
        for operations in before:
            is_run(store, operations)
        compaction = Compaction(store)
        assert compaction.copy()
        for operations in during:
            refused(store, operations)
            is_run(store, operations)
        assert compaction.catch_up()
        for operations in later:
            is_run(store, operations)
            refused(store, operations)
        expected, graphs, old = held(store), names(store), store.living.repository.store
        assert store.submit_alone(lambda tx, living: compaction.swap(living)).result(SECONDS)
        assert store.living.repository.store is not old
        assert store.living.removed == 0
        assert held(store) == expected
        assert names(store) == graphs
        for operations in after:
            is_run(store, operations)
        assert store.size == len(held(store))
        if not has_schema:
            assert held(store) == on_disk(store)
        store._store.close()


def test_another_schema_meanwhile_is_not_undone(tmp_path: Path) -> None:
    store = living_store(tmp_path)
    is_run(store, ["INSERT DATA { <urn:a> a <urn:D> }"])
    compaction = Compaction(store)
    assert compaction.copy()
    store.submit(lambda tx, _: store.use_schema(tx, SCHEMA)).result(SECONDS)
    assert not compaction.catch_up()
    assert not store.submit_alone(lambda tx, living: compaction.swap(living)).result(SECONDS)
    assert held(store) == on_disk(store)
    store._store.close()


def test_much_that_was_removed_is_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = living_store(tmp_path)
    monkeypatch.setattr(store.compactions, "_least", 10)
    stores = {id(store.living.repository.store): store.living.repository.store}
    for number in range(60):
        is_run(store, [f"DELETE WHERE {{ <urn:s> <urn:p> ?o }} ; INSERT DATA {{ <urn:s> <urn:p> {number} }}"])
        stores.setdefault(id(store.living.repository.store), store.living.repository.store)
    store.compactions.join()
    assert store.compactions.done >= 1
    assert len(stores) >= 2
    assert store.living.removed < 60
    assert held(store) == {f"<urn:s> <urn:p> {NUMBER.format(59)}"} == on_disk(store)
    store._store.close()


def test_little_is_let_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = living_store(tmp_path)
    monkeypatch.setattr(store.compactions, "_least", 10)
    is_run(store, ["INSERT DATA { " + " . ".join(f"<urn:s> <urn:p> {number}" for number in range(200)) + " }"])
    is_run(store, ["DELETE DATA { " + " . ".join(f"<urn:s> <urn:p> {number}" for number in range(30)) + " }"])
    assert store.living.removed == 30, "not a quarter of 170"
    is_run(store, ["DELETE DATA { " + " . ".join(f"<urn:s> <urn:p> {number}" for number in range(30, 50)) + " }"])
    store.compactions.join()
    assert (store.compactions.done, store.living.removed) == (1, 0)
    store._store.close()


def test_a_node_that_stops_gives_it_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = living_store(tmp_path)
    monkeypatch.setattr(store.compactions, "_least", 1)
    store.compactions.end()
    is_run(store, ["INSERT DATA { <urn:s> <urn:p> 1 } ; DELETE DATA { <urn:s> <urn:p> 1 }"])
    is_run(store, ["INSERT DATA { <urn:s> <urn:p> 1 }"])
    is_run(store, ["DELETE DATA { <urn:s> <urn:p> 1 }"])
    store.compactions.join()
    assert store.compactions.done == 0
    is_run(store, ["INSERT DATA { <urn:s> <urn:p> 1 }"])
    assert not Compaction(store).copy(lambda: True)
    store._store.close()


NUMBER = '"{}"^^' + str(NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
