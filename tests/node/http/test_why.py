"""`?why=true` on subscriptions: what each solution stands on, in every language and lane, however it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.node.http.serving import NQUADS, QUERY, TURTLE, Api, api_of

from triplewire.node.matching import live_matchers
from triplewire.store.database import FILE
from triplewire.store.disk import LocalDisk
from triplewire.store.schema import MIGRATIONS, migrate

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
UP = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
EX = "http://example.org/"
BOOKS = f"<{EX}Novel> {UP} <{EX}Book> ."
ON = f"""<urn:b> <{TYPE}> <{EX}Novel> <urn:e> .
<urn:b> <urn:title> "Faust" <urn:e> .
<urn:c> <urn:p> <urn:d> <urn:e> .
"""
FORMULA = {"Content-Type": "text/x-triplewire-formula"}
GRAPH = {"Content-Type": "text/x-triplewire-graph"}

FAST = f"SELECT ?t {{ ?b <urn:title> ?t FILTER(<urn:triplewire:isA>(?b, <{EX}Book>)) }}"
GENERAL = FAST.replace("FILTER", "OPTIONAL { ?b <urn:never> ?n } FILTER")
INFERRED = {
    "quad": f"<urn:b> <{TYPE}> <{EX}Book>",
    "kind": "inferred",
    "axioms": [f"<{EX}Novel> {UP} <{EX}Book>"],
    "premises": [f"<urn:b> <{TYPE}> <{EX}Novel> <urn:e>"],
}


def said(quad: str) -> dict[str, Any]:
    return {"quad": f"{quad} <urn:e>", "kind": "asserted"}


REASON = [said(f"<urn:b> <{TYPE}> <{EX}Novel>"), said('<urn:b> <urn:title> "Faust"'), INFERRED]


async def publish(api: Api, body: str = ON) -> None:
    answer = await api.post("/events", content=body, headers=NQUADS)
    assert answer.status_code == 201, answer.text


async def subscribe(api: Api, query: str, headers: dict[str, str] | None = None, **params: Any) -> dict[str, Any]:
    answer = await api.put("/subscriptions/one", content=query, headers=QUERY | (headers or {}), params=params)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def told(api: Api, headers: dict[str, str] | None = None, **params: Any) -> list[dict[str, Any]]:
    answer = await api.get("/subscriptions/one/notifications", params=params, headers=headers)
    return answer.json()["notifications"]


def in_order(reason: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(reason["quads"], key=lambda one: (one["kind"], one["quad"]))


@pytest.mark.parametrize("query", [FAST, GENERAL], ids=["fast", "general"])
async def test_each_solution_comes_with_what_it_stands_on(tmp_path: Path, query: str):
    async with api_of(tmp_path) as api:
        assert (await api.put("/taxonomy", content=BOOKS, headers=TURTLE)).status_code == 204
        assert (await subscribe(api, query, why=True))["why"] is True
        await publish(api)
        [one] = await told(api)
        [reason] = one["why"]
        assert in_order(reason) == REASON
        # The same afterwards, whether anybody subscribed or not.
        found = await api.post("/explain", params={"event": "urn:e"}, content=query, headers=QUERY)
        assert found.json()["why"] == one["why"]


async def test_the_formula_language(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await subscribe(api, f'T: t(B, <{TYPE}>, C) ^ t(B, <urn:title>, T) ^ (T sqsupseteq "au")', FORMULA, why=True)
        await publish(api)
        [one] = await told(api)
        assert [in_order(reason) for reason in one["why"]] == [REASON[:2]]


async def test_the_graph_language_asks_the_taxonomy(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/taxonomy", content=BOOKS, headers=TURTLE)
        await subscribe(api, f"?b(<= <{EX}Book>) <urn:title> ?t", GRAPH, why=True)
        await publish(api)
        [one] = await told(api)
        assert [in_order(reason) for reason in one["why"]] == [REASON]


async def test_it_is_an_option_that_changes(tmp_path: Path):
    query = "SELECT ?t { ?b <urn:title> ?t }"
    async with api_of(tmp_path) as api:
        await subscribe(api, query)
        await publish(api)
        assert "why" not in (await told(api))[0]
        assert (await subscribe(api, query, why=True))["why"] is True
        await publish(api, ON.replace("urn:e", "urn:f"))
        assert "why" in (await told(api))[1]
    async with api_of(tmp_path) as api:
        await publish(api, ON.replace("urn:e", "urn:g"))
        assert "why" in (await told(api))[2], "also after a restart"
        assert (await api.get("/subscriptions/one")).json()["why"] is True


async def test_history_is_explained_as_what_is_new_is(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/taxonomy", content=BOOKS, headers=TURTLE)
        await publish(api)
        await subscribe(api, FAST, why=True, start="beginning")
        [one] = await told(api, wait=20)
        assert in_order(one["why"][0]) == REASON


@pytest.mark.parametrize("pattern", ["?s ?p ?o", "?s ?p ?o OPTIONAL { ?s <urn:never> ?n }"], ids=["fast", "general"])
async def test_a15_a_reason_shows_nothing_that_the_grant_does_not(tmp_path: Path, pattern: str):
    secret = f'<urn:a> <http://secret/p> "2" <urn:e> .\n<urn:a> <{TYPE}> <http://secret/Class> <urn:e> .\n'
    async with api_of(tmp_path, open=False) as api:
        reader = await api.register(rights={"subscribe": {"namespaces": ["http://open/"]}})
        await subscribe(api, f"SELECT ?s {{ {pattern} }}", reader, why=True)
        exists = "SELECT ?s { ?s <http://open/p> ?o FILTER(EXISTS { ?s ?q ?x }) }"
        made = await api.put("/subscriptions/two", content=exists, headers=QUERY | reader, params={"why": True})
        assert made.status_code == 201
        await publish(api, f'<urn:a> <http://open/p> "1" <urn:e> .\n{secret}')
        for name in ("one", "two"):
            answer = await api.get(f"/subscriptions/{name}/notifications", headers=reader)
            [one] = answer.json()["notifications"]
            assert [reason["quads"] for reason in one["why"]] == [[said('<urn:a> <http://open/p> "1"')]]
            assert "secret" not in answer.text
        query = "SELECT ?s { ?s ?p ?o }"
        found = await api.post("/explain", params={"event": "urn:e"}, content=query, headers=QUERY | reader)
        assert (found.json()["matches"], "secret" in found.text) == (True, False)


async def test_a_subscription_of_an_earlier_version_asks_for_nothing(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / FILE)
    migrate(connection, MIGRATIONS[:10])
    connection.execute(
        "INSERT INTO subscriptions (owner, name, language, text, options, created, cursor) "
        "VALUES ('anonymous', 'one', 'sparql', 'SELECT ?t { ?b <urn:title> ?t }', CAST('{}' AS BLOB), 0, 0)"
    )
    connection.execute("INSERT INTO quads (quad) VALUES ('<urn:a> <urn:p> <urn:b>')")
    connection.close()
    async with api_of(tmp_path) as api:
        await publish(api)
        assert "why" not in (await told(api))[0]
        query = "SELECT * { ?s <urn:p> ?o }"
        found = (await api.post("/explain", params={"over": "graph"}, content=query, headers=QUERY)).json()
        [reason] = found["why"]["answer"]
        assert reason["quads"][0]["origin"] == {"lost": "it was asserted before this was kept"}


@pytest.mark.parametrize("query", [FAST, GENERAL], ids=["fast", "general"])
async def test_a6_what_is_published_at_once_has_one_budget_for_reasons(
    tmp_path: Path, query: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(live_matchers, "REASON_STEPS", 0)
    async with api_of(tmp_path) as api:
        await api.put("/taxonomy", content=BOOKS, headers=TURTLE)
        await subscribe(api, query, why=True)
        await publish(api)
        [one] = await told(api)
        assert (one["why"], len(one["solutions"])) == ([{"truncated": True}], 1)
        monkeypatch.undo()
        await publish(api, ON.replace("urn:e", "urn:f"))
        assert "quads" in (await told(api))[1]["why"][0], "the next one has a budget of its own"
