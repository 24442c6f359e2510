"""Who may have views, how many, and how much may wait: grants and quotas (row A15)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.node.delivery.receiving import Answer, agreeable, eventually, receiver
from tests.node.http.serving import QUERY, Api, api_of, is_problem
from tests.node.views.test_http import SAID, UPDATE, told, update

from triplewire.node.delivery.delivery_step import RetryPolicy
from triplewire.node.delivery.streams import event_stream
from triplewire.store.tables import outbox
from triplewire.store.tables.identities import Grant

LIMITED = {"subscribe": {"namespaces": ["urn:p"]}}


async def client_id(api: Api, headers: dict[str, str]) -> str:
    made = await api.put("/views/mine", content=SAID, headers=headers | QUERY)
    assert made.status_code == 201, made.text
    return made.json()["owner"]


def view_number(api: Api, owner: str) -> int:
    return api.node.broker.views.require(owner, "mine").number


@pytest.mark.parametrize("rights", [LIMITED, {"subscribe": {"graphs": ["urn:g"]}}, {"subscribe": None}])
async def test_a15_a_client_with_a_limited_grant_has_no_views_and_no_queries(tmp_path: Path, rights: dict):
    async with api_of(tmp_path, open=False) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:secret> 1 }")
        limited = await api.register(rights=rights)
        refused = await api.put("/views/all", content="SELECT * { ?s ?p ?o }", headers=limited | QUERY)
        assert is_problem(refused, 403, "forbidden")
        assert is_problem(await api.post("/sparql", content=SAID, headers=limited | QUERY), 403, "forbidden")


async def take_away(api: Api, owner: str) -> dict[str, str]:
    """Limit what a client may read. Returns the headers that it asks with from now on."""
    known = next(client for client in api.node.clients if client.id == owner)
    rights = msgspec.structs.replace(known.rights, subscribe=Grant(namespaces=("urn:q",)))
    secret = await api.node.register(msgspec.structs.replace(known, rights=rights))
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("window", [None, 60])
async def test_a15_a_grant_that_is_taken_away_ends_the_views_and_what_waits_is_not_read(
    tmp_path: Path, window: int | None
):
    async with api_of(tmp_path, open=False) as api:
        mine = await api.register()
        owner = await client_id(api, mine)
        if window:
            again = {"window": window}
            assert (await api.put("/views/mine", content=SAID, headers=mine | QUERY, params=again)).status_code == 200
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        limited = await take_away(api, owner)
        page = "/views/mine/notifications"
        assert is_problem(await api.get(page, headers=limited), 403, "forbidden")
        stream = {"Accept": "text/event-stream"}
        assert is_problem(await api.get(page, headers=limited | stream), 403, "forbidden")
        assert is_problem(await api.post("/views/mine/reset", headers=limited), 403, "forbidden")
        assert is_problem(await api.post("/views/mine/reset", params={"owner": owner}), 403, "forbidden")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        shown = (await api.get("/views/mine", headers=limited)).json()
        assert shown["state"] == "quarantined", "as soon as the change is acknowledged"
        assert "no longer read everything" in shown["reason"]
        kept = await api.node.broker.store.read(lambda tx: outbox.after(tx, view_number(api, owner), 0, 10))
        assert b"failed" in kept[-1].answer
        assert all(b'"2"' not in entry.answer for entry in kept), "what changed since is not even kept"


async def test_a15_a_stream_ends_when_the_grant_is_taken_away(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        owner = await client_id(api, await api.register())
        stream = event_stream(api.node.streams.pages(view_number(api, owner), 0))
        read = [await anext(stream), await anext(stream)]
        assert b'"answer":[]' in read[-1]
        await take_away(api, owner)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        assert [frame async for frame in stream] == []


async def test_a15_a_webhook_and_its_dead_letters_end_when_the_grant_is_taken_away(tmp_path: Path):
    accepts = asyncio.Event()

    def moody(headers: dict[str, str], body: bytes) -> Answer:
        is_challenge = b"challenge" in body
        return agreeable(headers, body) if is_challenge or accepts.is_set() else (503, {}, b"")

    hasty = RetryPolicy(first_delay=0.01, longest_delay=0.02, tries=3)
    async with receiver(moody) as hook, api_of(tmp_path, open=False, allow_loopback_webhooks=True) as api:
        api.node.webhooks._retry = hasty
        mine = await api.register()
        params = {"delivery": "webhook", "callback": hook.url}
        made = await api.put("/views/mine", content=SAID, headers=mine | QUERY, params=params)
        assert made.status_code == 201, made.text
        owner = made.json()["owner"]
        number = view_number(api, owner)
        await eventually(lambda: api.node.broker.subscriptions.index.require(number).cursor > 0, "a dead letter")
        [letter] = (await api.get("/dead-letters", headers=mine)).json()["dead_letters"]
        assert letter["subscription"] == "mine"
        limited = await take_away(api, owner)
        accepts.set()
        before = len(hook.requests)
        sent = await api.post(f"/dead-letters/{letter['id']}/delivery", headers=limited)
        assert is_problem(sent, 403, "forbidden")
        assert len(hook.requests) == before


async def test_a15_between_two_tries_of_a_webhook_the_grant_is_asked_for_again(tmp_path: Path):
    bodies: list[bytes] = []

    def refuses(headers: dict[str, str], body: bytes) -> Answer:
        bodies.append(body)
        return agreeable(headers, body) if b"challenge" in body else (503, {}, b"")

    slow = RetryPolicy(first_delay=0.2, longest_delay=0.2, tries=1_000)
    async with receiver(refuses) as hook, api_of(tmp_path, open=False, allow_loopback_webhooks=True) as api:
        api.node.webhooks._retry = slow
        mine = await api.register()
        params = {"delivery": "webhook", "callback": hook.url}
        made = await api.put("/views/mine", content=SAID, headers=mine | QUERY, params=params)
        await eventually(lambda: len(bodies) == 2, "a first try")
        owner = made.json()["owner"]
        await take_away(api, owner)
        task = f"webhook {view_number(api, owner)}"
        await eventually(lambda: task not in api.node.webhooks._tasks, "an end of the delivery")
        assert len(bodies) <= 3, "one may have been on its way"


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
