"""F1: kill -9 a real node while views are told of changes: what each has said makes up its answer."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from tests.node.living.test_kills import Counter, counted_on
from tests.node.node_process import NodeProcess
from tests.node.views.following import Reader, items

QUERY = {"Content-Type": "application/sparql-query"}
RESULTS = QUERY | {"Accept": "application/sparql-results+json"}
TRIPLES = QUERY | {"Accept": "application/n-triples"}
VIEWS = {
    "now": "SELECT ?n { <urn:counter> <urn:is> ?n }",
    "joined": "SELECT ?n ?m { ?s <urn:is> ?n GRAPH <urn:seen> { ?s <urn:was> ?m } FILTER(?m < ?n) }",
    "count": "SELECT (COUNT(*) AS ?count) (MAX(?n) AS ?most) { GRAPH <urn:seen> { ?s <urn:was> ?n } }",
    "first": "SELECT ?n { GRAPH ?g { ?s <urn:was> ?n } } ORDER BY DESC(?n) LIMIT 3",
    "even": "ASK { <urn:counter> <urn:is> ?n FILTER(FLOOR(?n / 2) * 2 = ?n) }",
    "made": "CONSTRUCT { ?s <urn:near> ?n } WHERE { ?s <urn:is> ?n OPTIONAL { GRAPH <urn:seen> { ?s <urn:was> ?m } } }",
}


def asked(node: NodeProcess, text: str) -> Any:
    answer = node.http.post("/sparql", content=text, headers=TRIPLES if text.startswith("CONSTRUCT") else RESULTS)
    assert answer.status_code == 200, answer.text
    if text.startswith("CONSTRUCT"):
        return items(answer.text.splitlines())
    found = answer.json()
    return items(found["boolean"] if "boolean" in found else found["results"]["bindings"])


def read_on(node: NodeProcess, name: str, reader: Reader) -> None:
    while True:
        page = node.http.get(f"/views/{name}/notifications", params={"after": reader.position, "limit": 7}).json()
        for one in page["notifications"]:
            reader.take(one)
        if page["next"] is None:
            return


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="twice"), pytest.param(20, marks=pytest.mark.slow, id="twenty-times")]
)
def test_f1_killed_while_views_are_told_nothing_is_lost_or_told_twice(tmp_path: Path, kills: int) -> None:
    chance = random.Random(20260701)
    readers: dict[str, Reader] = {}
    for kill in range(kills + 1):
        node = NodeProcess(tmp_path / "node", "--open")
        for name, reader in readers.items():
            read_on(node, name, reader)
            assert reader.answer == asked(node, VIEWS[name]), name
        if kill == kills:
            node.kill()
            break
        begun = Counter(node)
        begun.start()
        for name in chance.sample(sorted(VIEWS), 3) if kill == 0 else sorted(VIEWS):
            # While it counts on: the whole answer is of some change, and what follows is about those behind it.
            node.http.put(f"/views/{name}", content=VIEWS[name], headers=QUERY).raise_for_status()
            readers.setdefault(name, Reader())
        counted_on([begun], 8 + chance.randrange(20))
        time.sleep(chance.uniform(0.0, 0.05))
        node.kill()
        begun.join(60)
    assert all(reader.count > kills for reader in readers.values())
