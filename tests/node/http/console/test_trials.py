"""Trials: what a query would have said about events of the log, and why the nearest others did not match."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.node.http.serving import NQUADS, QUERY, api_of, is_problem

from triplewire.wire.console import MatchHistory, Trial

OLD = "SELECT ?s { ?s <urn:age> ?a FILTER(?a > 25) }"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def aged(*ages: int) -> str:
    return "".join(f'<urn:s{n}> <urn:age> "{age}"^^<{INTEGER}> <urn:e:{n}> .\n' for n, age in enumerate(ages, 1))


async def trial(api, query: str, headers: dict[str, str] = QUERY, **params: int) -> Trial:
    answer = await api.post("/trials", params=params, content=query, headers=headers)
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=Trial)


async def test_matches_come_with_solutions_and_the_nearest_misses_with_reasons(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.post("/events", content=aged(20, 30, 40) + '<urn:x> <urn:y> "z" <urn:e:other> .', headers=NQUADS)
        found = await trial(api, OLD)
        assert (found.events, found.first, found.last, found.matched) == (4, 1, 4, 2)
        assert [(match.position, match.solution_count) for match in found.matches] == [(3, 1), (2, 1)]
        assert found.matches[0].solutions == [{"s": {"type": "uri", "value": "urn:s3"}}]
        nearest, farthest = found.misses
        assert (nearest.event, farthest.event) == ("urn:e:1", "urn:e:other")
        assert nearest.closeness > farthest.closeness
        assert "20" in nearest.reason
        assert "<urn:age>" in farthest.reason
        assert found.explanation.lane == "fast"


async def test_only_the_newest_are_tried(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.post("/events", content=aged(30, 30, 30, 30), headers=NQUADS)
        found = await trial(api, OLD, limit=2)
        assert (found.events, found.first, found.matched) == (2, 3, 2)


@pytest.mark.parametrize(
    ("media_type", "query"),
    [
        ("text/x-triplewire-formula", "X : t(X, <urn:age>, A) ^ A > 25"),
        ("text/x-triplewire-graph", "?s <urn:age> ?a(> 25)"),
        ("application/sparql-query", "SELECT ?s { ?s <urn:age> ?a OPTIONAL { ?s <urn:p> ?o } FILTER(?a > 25) }"),
    ],
)
async def test_every_language_and_lane_is_tried(tmp_path: Path, media_type: str, query: str):
    async with api_of(tmp_path) as api:
        await api.post("/events", content=aged(20, 30), headers=NQUADS)
        found = await trial(api, query, {"Content-Type": media_type})
        assert [match.event for match in found.matches] == ["urn:e:2"]


async def test_what_is_wrong_with_a_query_has_a_place(tmp_path: Path):
    async with api_of(tmp_path) as api:
        refused = await api.post("/trials", content="SELECT ?s {\n ?s ?p }", headers=QUERY)
        assert refused.status_code == 400
        assert (refused.json()["line"], refused.json()["column"]) == (2, 8)
        assert (await trial(api, OLD)).events == 0


async def test_a15_a_trial_sees_no_more_than_its_client(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        body = '<urn:a> <http://open/p> "1" <urn:e> .\n<urn:a> <http://secret/p> "2" <urn:e> .'
        await api.post("/events", content=body, headers=NQUADS)
        reader = await api.register(rights={"subscribe": {"namespaces": ["http://open/"]}})
        found = await trial(api, "SELECT ?o { ?s <http://secret/p> ?o }", QUERY | reader)
        assert (found.events, found.matched) == (1, 0)
        assert all('"2"' not in miss.reason for miss in found.misses)


async def test_a11_a_trial_that_takes_too_much_work_says_so(tmp_path: Path):
    async with api_of(tmp_path) as api:
        triples = "".join(f'<urn:s{n}> <urn:p> "{n}" <urn:e> .\n' for n in range(400))
        await api.post("/events", content=triples, headers=NQUADS)
        query = "SELECT * { " + " ".join(f"?a{n} <urn:p> ?b{n} ." for n in range(8)) + " FILTER(?b0 = ?b7) }"
        refused = await api.post("/trials", content=query, headers=QUERY)
        assert is_problem(refused, 503, "budget-exceeded")


async def test_matches_are_counted_over_time(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/old", content=OLD, headers=QUERY)
        for number, age in enumerate((20, 30, 40, 10), 1):
            body = f'<urn:s> <urn:age> "{age}"^^<{INTEGER}> <urn:h:{number}> .'
            await api.post("/events", content=body, headers=NQUADS)
        answer = await api.get("/subscriptions/old/history", params={"bins": 5})
        found = msgspec.json.decode(answer.content, type=MatchHistory)
        assert (found.first, found.last, found.events, found.matches, len(found.bins)) == (1, 4, 4, 2, 5)
        assert sum(span.events for span in found.bins) == 4
        assert sum(span.matches for span in found.bins) == 2
        assert [span.position for span in found.bins] == sorted(span.position for span in found.bins)
        assert found.bins[0].position == 0


async def test_an_empty_log_has_an_empty_history(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/old", content=OLD, headers=QUERY)
        assert (await api.get("/subscriptions/old/history")).json()["bins"] == []
        missing = await api.get("/subscriptions/none/history")
        assert is_problem(missing, 404, "unknown-subscription")
