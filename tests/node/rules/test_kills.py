"""F1: kill -9 a real node in the middle of cascades: it recovers to before or after one, never between.

What the repository holds, what its journal, the log and the outboxes tell must agree, and each published event is taken
once by the rule that listens.
"""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.node.node_process import NodeProcess
from tests.node.rules.change_events import records_of_changes, told_in
from tests.rules.execution.town import PREAMBLE, elements
from tests.rules.family import EX, FAMILY

from triplewire import Event
from triplewire.node.living import journal
from triplewire.node.living.store import LivingStore
from triplewire.node.store import Store
from triplewire.rdf.terms import Literal
from triplewire.store import Database
from triplewire.store.tables import living_graph, log, outbox
from triplewire.store.tables.log import Record

STEPS = 20
RDFTL = {"Content-Type": "text/x-triplewire-rdftl"}
NQUADS = {"Content-Type": "application/n-quads"}
START = "TRANSACTION t DELETE (resource(ex:ann), ex:name, _);; INSERT (resource(ex:ann), ex:name, '1');;"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def prepare(node: NodeProcess) -> None:
    """A chain of rules, of which each appends to a queue; one rule that listens; and one who subscribes to it all."""
    schema = "".join(f"{triple} .\n" for triple in FAMILY.triples)
    query = "SELECT ?e { ?e a ?kind FILTER(?kind IN (<urn:triplewire:Inserted>, <urn:triplewire:Deleted>)) }"
    sparql = {"Content-Type": "application/sparql-query"}
    node.http.put("/subscriptions/changes", content=query, headers=sparql).raise_for_status()
    node.http.put("/schema", content=schema, headers={"Content-Type": "text/turtle"}).raise_for_status()
    people = "INSERT resource(ex:ann) AS INSTANCE OF Person;;"
    queues = "INSERT resource(ex:log) AS INSTANCE OF Queue;; INSERT resource(ex:box) AS INSTANCE OF Queue;;"
    node.http.post("/updates", content=PREAMBLE + people + queues, headers=RDFTL).raise_for_status()
    for step in range(1, STEPS + 1):
        text = (
            f"ON INSERT (resource(ex:ann), ex:name, '{step}') IF True DO "
            "INSERT (resource(ex:log), seq++, resource(ex:ann));"
            f"DELETE (resource(ex:ann), ex:name, _); INSERT (resource(ex:ann), ex:name, '{step + 1}')"
        )
        node.http.put(f"/rules/step{step}", content=PREAMBLE + text, headers=RDFTL).raise_for_status()
    text = "ON INSERT resource() AS INSTANCE OF Being IF True DO INSERT (resource(ex:box), seq++, $delta)"
    listening = {"listens": "events"}
    node.http.put("/rules/hear", content=PREAMBLE + text, headers=RDFTL, params=listening).raise_for_status()


class Worker(threading.Thread):
    """Sends cascades, and an event after each, until the node is gone."""

    def __init__(self, node: NodeProcess, name: str) -> None:
        super().__init__(daemon=True)
        self._url = str(node.http.base_url)
        self._name = name
        self.begun = 0
        self.done = 0
        self.published: list[str] = []

    def run(self) -> None:
        with httpx.Client(base_url=self._url, trust_env=False, timeout=60) as http:
            while True:
                self.begun += 1
                being = EX[f"{self._name}-{self.begun}"]
                event = f"{being} {TYPE} {EX['Being']} <urn:e:{self._name}:{self.begun}> ."
                try:
                    answer = http.post("/updates", content=PREAMBLE + START, headers=RDFTL)
                    assert answer.status_code == 200, answer.text
                    assert len(answer.json()["firings"]) == STEPS
                    self.done += 1
                    http.post("/events", content=event, headers=NQUADS).raise_for_status()
                except httpx.TransportError:
                    return
                self.published.append(being.value)


def whole_cascades(folder: Path) -> int:
    """How many cascades a folder holds, once everything in it is shown to agree."""
    database = Database(folder)
    try:
        store = LivingStore(Store(database))
        names = store.read(lambda living: [t.object for t in living.repository.match(EX["ann"], EX["name"], None)])
        appended = store.read(lambda living: len(elements(living.repository, "log")))
        assert appended % STEPS == 0, "a cascade that stopped on its way"
        assert names == ([Literal(f"{STEPS + 1}")] if appended else [])
        assert told_in(database) == store.read(lambda living: {str(triple) for triple in living.repository})
        assert _replayed(database) == told_in(database)
        told = [record.position for record in records_of_changes(database)]
        waiting = database.read(lambda tx: outbox.after(tx, 1, 0, 1_000_000))
        assert [notice.position for notice in waiting] == told
        assert sum(_firings(database, f"step{step}") for step in range(1, STEPS + 1)) == appended
        return appended // STEPS
    finally:
        database.close()


def _firings(database: Database, rule: str) -> int:
    return len(database.read(lambda tx: journal.firings(tx, rule, 0, 1_000_000)))


def _replayed(database: Database) -> set[str]:
    lines: set[str] = set()
    for schedule in database.read(lambda tx: living_graph.after(tx, 0, 1_000_000)):
        lines = (lines - set(schedule.removed)) | set(schedule.added)
    return lines


def beings(folder: Path) -> tuple[list[str], list[str]]:
    """Whom the events in the log tell of, and whom the rule that listens has put into its box."""
    database = Database(folder)
    try:
        records = database.read(lambda tx: log.after(tx, 0, 1_000_000))
        told = [event.triples[0].subject.value for record in records for event in _published(record)]
        box = LivingStore(Store(database)).read(lambda living: elements(living.repository, "box"))
        return told, [term.value for term in box]
    finally:
        database.close()


def _published(record: Record) -> list[Event]:
    return Event.parse(record.nquads) if record.graph.startswith("urn:e:") else []


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="twice"), pytest.param(20, marks=pytest.mark.slow, id="twenty-times")]
)
def test_f1_killed_in_the_middle_of_cascades_everything_agrees(tmp_path: Path, kills: int) -> None:
    chance = random.Random(20240601)
    folder = tmp_path / "node"
    published: list[str] = []
    before = 0
    for kill in range(kills):
        node = NodeProcess(folder, "--open")
        if kill == 0:
            prepare(node)
        workers = [Worker(node, f"{kill}-{number}") for number in range(2)]
        for worker in workers:
            worker.start()
        wanted = 2 + chance.randrange(6)
        while sum(worker.done for worker in workers) < wanted:
            assert any(worker.is_alive() for worker in workers)
            time.sleep(0.001)
        time.sleep(chance.uniform(0.0, 0.05))
        node.kill()
        for worker in workers:
            worker.join(60)
            published += worker.published
        now = whole_cascades(folder)
        assert sum(worker.done for worker in workers) <= now - before <= sum(worker.begun for worker in workers)
        before = now
    told, taken = beings(folder)
    assert set(published) <= set(told)
    assert taken
    assert taken == told[: len(taken)], "each event once, in the order of the log"
