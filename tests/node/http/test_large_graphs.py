"""Graphs as large as Schema.org, the DBpedia ontology and Brick: one event where that is allowed, else many."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, Store
from tests.node.http.serving import NQUADS, QUERY, TURTLE, api_of, is_problem

from triplewire.rdf.limits import MIB, limits_for
from triplewire.rdf.parsing.reading_options import ReadingOptions
from triplewire.testing.workloads import BRICK, DBPEDIA, SCHEMA_ORG, Shape, vocabulary

BASE = "http://example.org/vocabulary"
PREFIXES = f"PREFIX : <{BASE}#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
BY_LANE = {
    "fast": PREFIXES + "SELECT ?c ?l WHERE { ?c rdfs:subClassOf :class3 . ?c rdfs:label ?l }",
    "general": PREFIXES + "SELECT ?c ?p WHERE { ?c rdfs:subClassOf :class3 OPTIONAL { ?p rdfs:domain ?c } }",
}
ROOM = {"event_bytes": 16 * MIB, "event_quads": 100_000}
SHAPES = (SCHEMA_ORG, DBPEDIA, BRICK)


def expected(text: str, query: str) -> int:
    store = Store()
    store.load(text.encode(), RdfFormat.TURTLE, base_iri=BASE)
    return sum(1 for _ in store.query(query))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
async def test_a_vocabulary_is_one_event_where_the_limits_allow_it(tmp_path: Path, shape: Shape):
    text = vocabulary(shape)

    async with api_of(tmp_path, **ROOM) as api:
        for name, query in BY_LANE.items():
            assert (await api.put(f"/subscriptions/{name}", content=query, headers=QUERY)).status_code == 201
        url = f"/events?base={BASE}&graph=urn:vocabulary"
        answer = await api.post(url, content=text, headers=TURTLE, timeout=60)
        assert answer.status_code == 201, answer.text
        for name, query in BY_LANE.items():
            [found] = (await api.get(f"/subscriptions/{name}/notifications")).json()["notifications"]
            assert len(found["solutions"]) == expected(text, query) > 0
        whole = (await api.get("/events/urn:vocabulary")).content
        assert whole.count(b"\n") > 15_000
        assert (await api.post("/events", content=whole, headers=NQUADS, timeout=60)).json() == answer.json()


@pytest.mark.parametrize(
    ("settings", "status"), [({}, 413), ({"event_bytes": 16 * MIB}, 400), ({"event_quads": 100_000}, 413)]
)
async def test_a7_without_both_limits_raised_it_is_refused(tmp_path: Path, settings, status: int):
    async with api_of(tmp_path, **settings) as api:
        whole = "".join(f"<urn:s> <urn:p> <urn:{'o' * 100}:{n}> <urn:e> .\n" for n in range(12_000))
        answer = await api.post("/events", content=whole, headers=NQUADS)
        assert is_problem(answer, status, "limit-exceeded")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
async def test_by_subject_it_needs_no_other_limits(tmp_path: Path, shape: Shape):
    text = vocabulary(shape)
    query = BY_LANE["fast"]

    async with api_of(tmp_path) as api:
        assert (await api.put("/subscriptions/children", content=query, headers=QUERY)).status_code == 201
        events = iter(ReadingOptions(base=BASE, limits=limits_for(None, None)).subjects(text.encode(), "turtle"))
        positions = set()
        while batch := list(islice(events, 500)):
            body = b"".join(event.nquads for event in batch)
            answer = await api.post("/events", content=body, headers=NQUADS, timeout=60)
            positions |= {receipt["position"] for receipt in answer.json()["events"]}
        assert len(positions) == shape.classes + shape.properties
        page = (await api.get("/subscriptions/children/notifications?limit=1000")).json()["notifications"]
        assert sum(len(one["solutions"]) for one in page) == expected(text, query) > 0


async def test_a_client_is_told_what_a_node_takes(tmp_path: Path):
    async with api_of(tmp_path, event_bytes=20 * MIB, event_quads=7) as api:
        limits = (await api.get("/health")).json()["limits"]
        assert limits == {"event_bytes": 20 * MIB, "event_quads": 7, "request_bytes": 20 * MIB}
