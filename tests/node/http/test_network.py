"""What `/network` tells, and what is advertised for clients that advertise nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.node.http.serving import NQUADS, QUERY, TURTLE, api_of, is_problem
from tests.node.http.test_status import numbers

from triplewire import Advertisement
from triplewire.node.transport.keys import NetworkKey


@pytest.fixture
def key(tmp_path: Path) -> Path:
    NetworkKey.new().write(tmp_path / "key")
    return tmp_path / "key"


async def rows(api, of: str = "peers") -> list[tuple[str, str, list]]:
    found = (await api.get("/network")).json()[of]["rows"]
    return [(row["level"], row["element"], row["targets"]) for row in found]


async def publish(api, name: str, predicate: str) -> None:
    answer = await api.post("/events", content=f'<urn:s> <{predicate}> "x" <{name}> .', headers=NQUADS)
    assert answer.status_code == 201


async def soon(condition) -> None:
    async with asyncio.timeout(120):
        while not await condition():
            await asyncio.sleep(0.02)


async def test_a_founder_shows_itself_its_indices_and_its_poset(tmp_path, key):
    async with api_of(tmp_path / "node", network_key=key) as api:
        shown = (await api.get("/network")).json()
        assert shown["id"].startswith("sp-")
        assert (shown["stage"], shown["slot"], shown["label"]) == ("in", 0, "")
        assert [member["status"] for member in shown["members"]] == ["alive"]
        assert shown["address"].startswith("tcp://127.0.0.1:")
        await api.put("/subscriptions/wide", content="SELECT ?s { ?s <urn:p> ?o }", headers=QUERY)
        narrow = 'SELECT ?s { ?s <urn:p> "x" }'
        await api.put("/subscriptions/narrow", content=narrow, headers=QUERY)
        await soon(lambda: has_poset(api, 2))
        assert (await api.get("/network")).json()["poset"] == [
            "SELECT ?s { ?s <urn:p> ?o }  [anonymous/wide]",
            '  SELECT ?s { ?s <urn:p> "x" }  [anonymous/narrow]',
        ]
        few = (await api.get("/network", params={"limit": 1})).json()
        assert (len(few["poset"]), few["subscriptions"]) == (1, 2)


async def has_poset(api, length: int) -> bool:
    return len((await api.get("/network")).json()["poset"]) == length


async def test_only_an_administrator_sees_the_network(tmp_path, key):
    async with api_of(tmp_path / "node", open=False, network_key=key) as api:
        client = await api.register()
        assert is_problem(await api.get("/network", headers=client), 403, "forbidden")
        assert (await api.get("/network")).status_code == 200


async def test_metrics_tell_of_the_network(tmp_path, key):
    async with api_of(tmp_path / "node", network_key=key) as api:
        found = numbers((await api.get("/metrics")).text)
        assert found["triplewire_network_members"] == 1
        api.node.overlay.counters.events["accepted"] += 3
        found = numbers((await api.get("/metrics")).text)
        assert found['triplewire_network_events_total{outcome="accepted"}'] == 3


async def test_a_client_that_advertises_nothing_is_advertised_by_what_it_publishes(tmp_path, key):
    async with api_of(tmp_path / "node", network_key=key, network_patience=0.2) as api:
        await publish(api, "urn:e:1", "urn:a:p")
        await publish(api, "urn:e:2", "urn:a:q")
        await publish(api, "urn:e:3", "urn:a:p")

        async def both() -> bool:
            return await rows(api) == [("property", "<urn:a:p>, <urn:a:q>", ["anonymous"])]

        # What was replaced counts for some seconds yet: its events may have to be recalled.
        assert ("property", "<urn:a:p>, <urn:a:q>", ["anonymous"]) in await rows(api)
        await soon(both)
        [listed] = (await api.get("/advertisements")).json()["advertisements"]
        assert (listed["owner"], listed["derived"]) == ("anonymous", True)
    async with api_of(tmp_path / "node", network_key=key) as api:
        assert await rows(api) == [("property", "<urn:a:p>, <urn:a:q>", ["anonymous"])]
        own = Advertisement.schemas(["urn:b:"]).to_turtle()
        await api.put("/advertisements/own", content=own, headers=TURTLE)
        await publish(api, "urn:e:4", "urn:a:r")
        listed = (await api.get("/advertisements")).json()["advertisements"]
        assert [(one["id"], one["derived"]) for one in listed] == [("own", False)]
        assert ("schema", "<urn:b:>", ["anonymous"]) in await rows(api)


async def test_many_properties_become_their_namespaces(tmp_path, key, monkeypatch):
    monkeypatch.setattr("triplewire.node.overlay.derived_advertisements._MOST_PROPERTIES", 3)

    async with api_of(tmp_path / "node", network_key=key) as api:
        for number in range(5):
            await publish(api, f"urn:e:{number}", f"urn:many:{number}")
        await publish(api, "urn:e:x", "urn:other:p")

        async def found() -> bool:
            return ("schema", "<urn:many:>, <urn:other:>", ["anonymous"]) in await rows(api)

        await soon(found)
        [listed] = (await api.get("/advertisements")).json()["advertisements"]
        assert Advertisement.parse(listed["rdf"].encode()) == Advertisement.schemas(["urn:many:", "urn:other:"])


async def test_two_names_for_the_same_count_until_both_are_withdrawn(tmp_path, key):
    async with api_of(tmp_path / "node", network_key=key) as api:
        said = Advertisement.properties(["urn:p"]).to_turtle()
        for name in ("a", "b"):
            await api.put(f"/advertisements/{name}", content=said, headers=TURTLE)
        withdrawn: list[str] = []
        overlay = api.node.overlay
        overlay.withdraw, withdraw = lambda k, owner: (withdrawn.append(owner), withdraw(k, owner)), overlay.withdraw
        await api.delete("/advertisements/a")
        assert withdrawn == []
        await api.delete("/advertisements/b")
        assert withdrawn == ["anonymous"]
