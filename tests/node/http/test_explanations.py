"""`/explain`, and a subscription that begins again."""

from __future__ import annotations

from pathlib import Path

from tests.node.http.serving import NQUADS, QUERY, api_of, is_problem

ALL = "SELECT ?o { ?s <urn:p> ?o }"
OLD = "SELECT ?s { ?s <urn:age> ?a FILTER(?a > 25) }"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


async def publish(api, first: int, last: int):
    body = "".join(f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(first, last + 1))
    assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201


async def positions(api, name: str = "all") -> list[int]:
    page = (await api.get(f"/subscriptions/{name}/notifications", params={"after": 0})).json()
    return [one["position"] for one in page["notifications"]]


async def test_a_query_is_explained_before_anybody_subscribes(tmp_path: Path):
    async with api_of(tmp_path) as api:
        answer = (await api.post("/explain", content=OLD, headers=QUERY)).json()
        assert (answer["lane"], answer["unindexed"]) == ("fast", False)
        assert answer["patterns"] == ["?s <urn:age> ?a"]
        assert "matches" not in answer


async def test_an_event_is_told_why_it_matches_or_not(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = f'<urn:a> <urn:age> "30"^^<{INTEGER}> <urn:old> .\n<urn:a> <urn:age> "20"^^<{INTEGER}> <urn:young> .'
        assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201
        yes = (await api.post("/explain", params={"event": "urn:old"}, content=OLD, headers=QUERY)).json()
        assert yes["matches"] is True
        assert yes["solutions"] == [{"s": {"type": "uri", "value": "urn:a"}}]
        await api.put("/subscriptions/old", content=OLD, headers=QUERY)
        no = (await api.get("/explain", params={"event": "urn:young", "subscription": "old"})).json()
        assert (no["matches"], no["solutions"]) == (False, [])
        assert "20" in no["reason"]
        missing = await api.get("/explain", params={"event": "urn:none", "subscription": "old"})
        assert is_problem(missing, 404, "unknown-event")
        assert is_problem(await api.get("/explain", params={"subscription": "none"}), 404, "unknown-subscription")


async def test_a15_a_reason_names_nothing_outside_the_grant(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        body = '<urn:a> <http://open/p> "1" <urn:e> .\n<urn:a> <http://secret/p> "2" <urn:e> .'
        assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201
        reader = await api.register(rights={"subscribe": {"namespaces": ["http://open/"]}})
        for query in ("SELECT ?o { ?s <http://secret/p> ?o }", "SELECT ?o { ?s ?p ?o FILTER(?p != <http://open/p>) }"):
            answer = await api.post("/explain", params={"event": "urn:e"}, content=query, headers=QUERY | reader)
            assert answer.status_code == 200, answer.text
            assert answer.json()["matches"] is False
            assert '"2"' not in answer.json()["reason"]


async def test_a_subscription_begins_again_where_it_is_told_to(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await publish(api, 1, 4)
        await api.post("/subscriptions/all/ack", params={"position": 4})
        assert await positions(api) == []
        answer = await api.post("/subscriptions/all/reset", params={"start": "beginning"})
        assert (answer.status_code, answer.json()["acknowledged"]) == (200, 0)
        assert await positions(api) == [1, 2, 3, 4]
        await api.post("/subscriptions/all/reset", params={"start": "2"})
        assert await positions(api) == [3, 4]
        await api.post("/subscriptions/all/reset")
        await publish(api, 5, 5)
        assert await positions(api) == [5]
        assert is_problem(await api.post("/subscriptions/none/reset"), 404, "unknown-subscription")


async def test_what_began_again_is_still_there_after_a_restart(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await publish(api, 1, 3)
        await api.post("/subscriptions/all/ack", params={"position": 3})
        await api.post("/subscriptions/all/reset", params={"start": "1"})
    async with api_of(tmp_path) as api:
        assert await positions(api) == [2, 3]
