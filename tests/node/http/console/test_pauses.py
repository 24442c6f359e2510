"""A subscription that is paused hands nothing out, and loses nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.node.http.serving import NQUADS, QUERY, api_of, is_problem

ALL = "SELECT ?o { ?s <urn:p> ?o }"


async def publish(api, number: int):
    body = f'<urn:s> <urn:p> "{number}" <urn:e:{number}> .'
    assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201


async def positions(api, **params: str) -> list[int]:
    page = (await api.get("/subscriptions/all/notifications", params={"after": "0", **params})).json()
    return [one["position"] for one in page["notifications"]]


async def test_what_comes_while_it_is_paused_waits(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await publish(api, 1)
        assert (await api.post("/subscriptions/all/pause")).status_code == 204
        await publish(api, 2)
        assert await positions(api) == []
        assert (await api.get("/subscriptions/all")).json()["paused"] is True
        assert (await api.post("/subscriptions/all/resume")).status_code == 204
        assert await positions(api) == [1, 2]
        assert (await api.get("/subscriptions/all")).json()["matched"] == 2
        assert (await api.get("/subscriptions/all")).json()["delivered"] == 2


async def test_who_waits_is_woken_when_it_is_resumed(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await api.post("/subscriptions/all/pause")
        await publish(api, 1)
        waiting = asyncio.create_task(positions(api, wait="60"))
        await publish(api, 2)
        assert not waiting.done()
        await api.post("/subscriptions/all/resume")
        assert await waiting == [1, 2]


async def test_a_pause_outlives_the_node_and_other_options(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await api.post("/subscriptions/all/pause")
        changed = await api.put("/subscriptions/all", params={"payload": "event"}, content=ALL, headers=QUERY)
        assert (changed.json()["payload"], changed.json()["paused"]) == ("event", True)
    async with api_of(tmp_path) as api:
        await publish(api, 1)
        assert await positions(api) == []
        await api.post("/subscriptions/all/resume")
        assert await positions(api) == [1]


async def test_a_view_is_paused_as_well(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/views/every", content="SELECT ?s { ?s ?p ?o }", headers=QUERY)
        assert (await api.post("/views/every/pause")).status_code == 204
        page = await api.get("/views/every/notifications", params={"after": 0})
        assert page.json()["notifications"] == []
        assert (await api.post("/views/every/resume")).status_code == 204
        page = await api.get("/views/every/notifications", params={"after": 0})
        assert len(page.json()["notifications"]) == 1


async def test_anothers_is_not_there_to_be_paused(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        other = await api.register()
        refused = await api.post("/subscriptions/all/pause", headers=other)
        assert is_problem(refused, 404, "unknown-subscription")
