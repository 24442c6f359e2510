"""The living graph, its journal, its replica and what is read again from disk agree with Oxigraph's own update."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse
from pyoxigraph import Store as Oxigraph
from tests.node.living.update_requests import requests

from triplewire.languages.sparql.parsing.parser import parse_update
from triplewire.node.living import journal
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.sparql_update import prepared, updates_of
from triplewire.node.living.store import LivingStore
from triplewire.node.repository.worker import LivingReplica
from triplewire.node.store import Store
from triplewire.rules.execution import ScheduleOutcome, Status
from triplewire.rules.schema import Schema
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph

SECONDS = 120
SCHEMA = Schema.parse(
    """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    <urn:top> rdfs:domain rdfs:Resource ; rdfs:range rdfs:Resource .
    <urn:p> rdfs:subPropertyOf <urn:top> .
    <urn:q> rdfs:domain <urn:D> ; rdfs:range rdfs:Literal .
    <urn:C> rdfs:subClassOf <urn:D> ."""
)
TYPED = "INSERT DATA { <urn:a> a <urn:C> . <urn:b> a <urn:C> . <urn:c> a <urn:D> . <urn:a> <urn:p> <urn:b> }"


def canonical(quads: Iterable[Quad]) -> Dataset:
    """The same for two datasets that differ by the labels of blank nodes only."""
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


def execute(store: LivingStore, text: str) -> ScheduleOutcome:
    outcome = run(store, text)
    assert [entry.status for entry in outcome.entries] == [Status.COMMITTED]
    return outcome


def run(store: LivingStore, text: str) -> ScheduleOutcome:
    operations = [prepared(operation) for operation in parse_update(text)]

    def work(tx: Connection, living: LivingGraph) -> ScheduleOutcome:
        outcome = living.run(updates_of(operations, living.repository, 1_000_000, 10_000, "t"))
        living.position = journal.record(tx, 0.0, outcome)
        return outcome

    return store.submit(work).result(SECONDS)


def quads_of(lines: Iterable[str]) -> list[Quad]:
    return list(parse("".join(f"{line} .\n" for line in lines).encode(), RdfFormat.N_QUADS))


def replayed(database: Database) -> set[str]:
    lines: set[str] = set()
    for change in database.read(lambda tx: living_graph.after(tx, 0, 10_000)):
        assert not set(change.added) & lines, "what is added was not there"
        assert set(change.removed) <= lines, "what is removed was there"
        lines = (lines - set(change.removed)) | set(change.added)
    return lines


def applied(replica: LivingReplica, database: Database) -> None:
    for change in database.read(lambda tx: living_graph.after(tx, replica.position, 10_000)):
        documents = ["".join(f"{line} .\n" for line in lines).encode() for lines in (change.added, change.removed)]
        replica.apply(change.position, *documents)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(requests, min_size=1, max_size=5))
@example([["INSERT DATA { _:b <urn:p> _:b }"], ["DELETE WHERE { ?x <urn:p> ?x }"]])
@example(
    [
        [
            "INSERT DATA { <urn:a> <urn:p> 1 }",
            'DELETE DATA { <urn:a> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#int> }',
        ]
    ]
)
@example(
    [["INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }", "COPY GRAPH <urn:g> TO DEFAULT"], ["CLEAR SILENT ALL"]]
)
def test_random_updates_mean_what_they_mean_to_oxigraph(batches: list[list[str]]) -> None:
    oracle = Oxigraph()
    with folder() as path:
        database = Database(path)
        store = LivingStore(Store(database))
        replica = LivingReplica(path / "replica")
        for operations in batches:
            text = " ;\n".join(operations)
            oracle.update(text)
            execute(store, text)
            held = store.read(lambda living: list(living.repository.store))
            assert canonical(held) == canonical(oracle), text
            assert store.size == len(held)
            applied(replica, database)
        lines = {str(quad) for quad in held}
        assert replayed(database) == lines
        assert {str(quad) for quad in replica._store} == lines
        assert set(replica._store.named_graphs()) == set(
            store.read(lambda living: list(living.repository.store.named_graphs()))
        )
        again = LivingStore(Store(database))
        assert {str(quad) for quad in again.read(lambda living: list(living.repository.store))} == lines
        assert again.head == len(batches)
        database.close()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(requests, min_size=1, max_size=4))
def test_with_a_schema_the_journal_has_what_follows_as_well(batches: list[list[str]]) -> None:
    with folder() as path:
        database = Database(path)
        store = LivingStore(Store(database))
        store.submit(lambda tx, _: store.use_schema(tx, SCHEMA)).result(SECONDS)
        assert len(execute(store, TYPED).changes.inserted) == 7, "two that follow by class, one by property"
        for operations in batches:
            # What does not conform is refused whole; it has a position, and nothing has changed.
            run(store, " ;\n".join(operations))
        held = held_in(store)
        assert replayed(database) == held
        assert held_in(LivingStore(Store(database))) == held
        database.close()


def held_in(store: LivingStore) -> set[str]:
    return {str(quad) for quad in store.read(lambda living: list(living.repository.store))}


def test_what_is_applied_twice_is_as_if_once() -> None:
    with folder() as path:
        database = Database(path)
        store = LivingStore(Store(database))
        for text in (
            "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1, 2 } }",
            "CLEAR ALL",
            "INSERT DATA { <urn:a> <urn:p> 3 }",
        ):
            execute(store, text)
        replica = LivingReplica(path / "replica")
        applied(replica, database)
        replica.position = 0
        applied(replica, database)
        assert quads_of(replayed(database)) == list(replica._store)
        assert list(replica._store.named_graphs()) == []
        database.close()
