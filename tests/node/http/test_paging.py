"""Pages of long lists, and searches in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.http.serving import QUERY, api_of


async def test_a_list_is_read_page_by_page(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for number in range(7):
            query = f"SELECT ?s {{ ?s <urn:p{number}> ?o }}"
            await api.put(f"/subscriptions/name-{number}", content=query, headers=QUERY)
        whole = (await api.get("/subscriptions")).json()
        assert ("total" in whole, len(whole["subscriptions"])) == (False, 7)
        page = (await api.get("/subscriptions", params={"limit": 3, "offset": 6})).json()
        assert ([one["id"] for one in page["subscriptions"]], page["total"]) == (["name-6"], 7)
        found = (await api.get("/subscriptions", params={"limit": 3, "search": "URN:P4 name"})).json()
        assert ([one["id"] for one in found["subscriptions"]], found["total"]) == (["name-4"], 1)


@pytest.mark.parametrize("path", ["/views", "/rules"])
async def test_views_and_rules_have_pages_as_well(tmp_path: Path, path: str):
    async with api_of(tmp_path) as api:
        assert (await api.get(path, params={"limit": 5, "search": "x"})).json()["total"] == 0


async def test_dead_letters_are_found_by_subscription(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for name in ("alarms", "books"):
            await api.put(f"/subscriptions/{name}", content="SELECT ?s { ?s <urn:p> ?o }", headers=QUERY)
        nquads = {"Content-Type": "application/n-quads"}
        await api.post("/events", content='<urn:s> <urn:p> "1" <urn:e:1> .', headers=nquads)
        broker = api.node.broker
        for record in broker.subscriptions.index:
            await broker.dead_letters.add(record.number, 1, "nobody answered", 3)
        found = (await api.get("/dead-letters", params={"search": "BOOK"})).json()
        assert [letter["subscription"] for letter in found["dead_letters"]] == ["books"]
        assert (await api.get("/dead-letters", params={"search": "none"})).json()["dead_letters"] == []
        assert len((await api.get("/dead-letters")).json()["dead_letters"]) == 2
