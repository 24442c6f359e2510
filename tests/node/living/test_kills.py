"""F1: kill -9 a real node while its living graph is changed: a change is there with all that tells of it, or not."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.node.living.test_agreement import replayed
from tests.node.node_process import NodeProcess
from tests.node.rules.change_events import records_of_changes

from triplewire import Event
from triplewire.node.living.store import LivingStore
from triplewire.node.store import Store
from triplewire.rdf.terms import TW
from triplewire.store import Database
from triplewire.store.tables import outbox

UPDATE = {"Content-Type": "application/sparql-update"}
QUERY = {"Content-Type": "application/sparql-query", "Accept": "text/csv"}
CHANGES = "SELECT ?e { ?e a ?kind FILTER(?kind IN (<urn:triplewire:Inserted>, <urn:triplewire:Deleted>)) }"
COUNT = "SELECT ?n { <urn:counter> <urn:is> ?n }"
# Everybody counts on: what two have read at the same time would be lost.
COUNTING = """DELETE { <urn:counter> <urn:is> ?n } INSERT { <urn:counter> <urn:is> ?next }
WHERE { OPTIONAL { <urn:counter> <urn:is> ?n } BIND(COALESCE(?n, 0) + 1 AS ?next) } ;
INSERT { GRAPH <urn:seen> { <urn:counter> <urn:was> ?n } } WHERE { <urn:counter> <urn:is> ?n }"""


class Counter(threading.Thread):
    """Counts on until the node is gone."""

    def __init__(self, node: NodeProcess) -> None:
        super().__init__(daemon=True)
        self._url = str(node.http.base_url)
        self.begun = self.done = 0

    def run(self) -> None:
        with httpx.Client(base_url=self._url, trust_env=False, timeout=60) as http:
            while True:
                self.begun += 1
                try:
                    answer = http.post("/update", content=COUNTING, headers=UPDATE)
                except httpx.TransportError:
                    return
                assert answer.status_code == 200, answer.text
                self.done += 1


def counted_on(counters: list[Counter], wanted: int) -> None:
    """Wait until they have counted so far."""
    while sum(counter.done for counter in counters) < wanted:
        assert any(counter.is_alive() for counter in counters)
        time.sleep(0.001)


def counted(folder: Path) -> int:
    """How far the counter is, once everything in the folder is shown to agree."""
    database = Database(folder)
    try:
        lines = {str(quad) for quad in LivingStore(Store(database)).read(lambda living: list(living.repository.store))}
        assert replayed(database) == lines
        assert told(database) == lines
        waiting = database.read(lambda tx: outbox.after(tx, 1, 0, 1_000_000))
        assert [entry.position for entry in waiting] == [record.position for record in records_of_changes(database)]
        seen = sum("<urn:was>" in line for line in lines)
        assert sum("<urn:is>" in line for line in lines) == min(seen, 1)
        assert not seen or any(f'<urn:is> "{seen}"' in line for line in lines), "nobody's count was lost"
        return seen
    finally:
        database.close()


def told(database: Database) -> set[str]:
    """The quads that hold after all that the events in the log tell."""
    holding: set[str] = set()
    for record in records_of_changes(database):
        [event] = Event.parse(record.nquads)
        graph = next((f" {t.object}" for t in event.triples if t.predicate == TW["graph"]), "")
        lines = {f"{triple}{graph}" for triple in event.triples if triple.subject != event.graph}
        inserted = any(triple.object == TW["Inserted"] for triple in event.triples)
        holding = holding | lines if inserted else holding - lines
    return holding


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="twice"), pytest.param(20, marks=pytest.mark.slow, id="twenty-times")]
)
def test_f1_killed_while_it_changes_everything_agrees(tmp_path: Path, kills: int) -> None:
    chance = random.Random(20240701)
    folder = tmp_path / "node"
    before = 0
    for kill in range(kills):
        node = NodeProcess(folder, "--open")
        if kill == 0:
            node.http.put("/subscriptions/changes", content=CHANGES, headers=QUERY).raise_for_status()
        else:
            answer = node.http.post("/sparql", content=COUNT, headers=QUERY)
            assert answer.text.split()[1:] == [str(before)], "queries see what survived"
        counters = [Counter(node) for _ in range(3)]
        for counter in counters:
            counter.start()
        counted_on(counters, 5 + chance.randrange(20))
        time.sleep(chance.uniform(0.0, 0.05))
        node.kill()
        for counter in counters:
            counter.join(60)
        now = counted(folder)
        assert sum(counter.done for counter in counters) <= now - before <= sum(counter.begun for counter in counters)
        before = now
