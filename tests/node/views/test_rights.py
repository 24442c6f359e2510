"""Who may have views, how many, and how much may wait: grants and quotas (row A15)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.node.http.serving import QUERY, Api, api_of, is_problem
from tests.node.views.test_http import SAID, UPDATE, told, update

from triplewire.store.tables.identities import Grant

LIMITED = {"subscribe": {"namespaces": ["urn:p"]}}


async def client_id(api: Api, headers: dict[str, str]) -> str:
    made = await api.put("/views/mine", content=SAID, headers=headers | QUERY)
    assert made.status_code == 201, made.text
    return made.json()["owner"]


@pytest.mark.parametrize("rights", [LIMITED, {"subscribe": {"graphs": ["urn:g"]}}, {"subscribe": None}])
async def test_a15_a_client_with_a_limited_grant_has_no_views_and_no_queries(tmp_path: Path, rights: dict):
    async with api_of(tmp_path, open=False) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:secret> 1 }")
        limited = await api.register(rights=rights)
        refused = await api.put("/views/all", content="SELECT * { ?s ?p ?o }", headers=limited | QUERY)
        assert is_problem(refused, 403, "forbidden")
        assert is_problem(await api.post("/sparql", content=SAID, headers=limited | QUERY), 403, "forbidden")


async def test_a15_a_grant_that_is_taken_away_ends_the_views_and_what_waits_is_not_read(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        mine = await api.register()
        owner = await client_id(api, mine)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        node = api.node
        known = next(client for client in node.clients if client.id == owner)
        rights = msgspec.structs.replace(known.rights, subscribe=Grant(namespaces=("urn:q",)))
        secret = await node.register(msgspec.structs.replace(known, rights=rights))
        limited = {"Authorization": f"Bearer {secret}"}
        assert is_problem(await api.get("/views/mine/notifications", headers=limited), 403, "forbidden")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        shown = (await api.get("/views/mine", headers=limited)).json()
        assert shown["state"] == "quarantined"
        assert "no longer read everything" in shown["reason"]


async def test_views_are_their_owners_and_administrators_see_all(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        mine, yours = await api.register(), await api.register()
        owner = await client_id(api, mine)
        for path in ("/views/mine", "/views/mine/notifications", "/views/mine/explain"):
            assert is_problem(await api.get(path, headers=yours), 404, "unknown-subscription")
        assert is_problem(await api.delete("/views/mine", headers=yours), 404, "unknown-subscription")
        assert (await api.get("/views", headers=yours)).json() == {"views": []}
        assert [one["owner"] for one in (await api.get("/views")).json()["views"]] == [owner]
        assert (await api.get("/views/mine", params={"owner": owner})).status_code == 200
        assert (await api.delete(f"/clients/{owner}")).status_code == 204
        assert (await api.get("/views")).json() == {"views": []}
        assert len(api.node.broker.views.follower) == 0


async def test_quotas_count_views_and_subscriptions_together(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        mine = await api.register(rights={"quotas": {"subscriptions": 2}})
        await client_id(api, mine)
        assert (await api.put("/subscriptions/s", content=SAID, headers=mine | QUERY)).status_code == 201
        for path in ("/views/more", "/subscriptions/more"):
            assert is_problem(await api.put(path, content=SAID, headers=mine | QUERY), 429, "quota-exceeded")


async def test_a_view_for_which_too_much_waits_is_quarantined_and_can_be_reset(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        mine = await api.register(rights={"quotas": {"outbox_bytes": 600}})
        await client_id(api, mine)
        for number in range(5):
            text = f"INSERT DATA {{ <urn:a{number}> <urn:p> {number} }}"
            assert (await api.post("/update", content=text, headers=UPDATE)).status_code == 200
        shown = (await api.get("/views/mine", headers=mine)).json()
        assert (shown["state"], shown["reason"]) == ("quarantined", "more waits for its owner than may")
        page = (await api.get("/views/mine/notifications", headers=mine)).json()["notifications"]
        assert "failed" in page[-1]
        assert all("added" in one for one in page[1:-1])
        assert (await api.post("/views/mine/reset", headers=mine)).json()["state"] == "live"
        [first] = (await api.get("/views/mine/notifications", headers=mine)).json()["notifications"]
        assert len(first["answer"]) == 5


async def test_a_view_that_is_put_while_somebody_else_puts_it(tmp_path: Path):
    async with api_of(tmp_path) as api:
        answers = await asyncio.gather(*(api.put("/views/same", content=SAID, headers=QUERY) for _ in range(5)))
        assert {answer.status_code for answer in answers} <= {200, 201}
        assert len(await told(api, "same")) == 1
