"""Views of a real node, told in every way: streams that are cut and resumed, WebSocket, webhooks, dead letters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from tests.node.delivery.receiving import Answer, agreeable, eventually, receiver
from tests.node.http.serving import api_of
from tests.node.processes import Process, running
from tests.node.views.following import Reader, items

from triplewire.client.views import ViewFollower
from triplewire.node.delivery.delivery_step import RetryPolicy

QUERY = {"Content-Type": "application/sparql-query"}
UPDATE = {"Content-Type": "application/sparql-update"}
SAID = "SELECT ?s ?o { ?s <urn:p> ?o OPTIONAL { ?s <urn:q> ?x } }"
_names = count()


@pytest.fixture(scope="module")
def node(tmp_path_factory) -> Iterator[Process]:
    with running(tmp_path_factory.mktemp("node") / "data", "--open", "--allow-loopback-webhooks") as process:
        yield process


@pytest.fixture
async def http(node) -> Any:
    async with httpx.AsyncClient(base_url=node.url, timeout=300, trust_env=False) as client:
        await update(client, "CLEAR ALL")
        yield client


async def update(http: httpx.AsyncClient, text: str) -> int:
    answer = await http.post("/update", content=text, headers=UPDATE)
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


async def put(http: httpx.AsyncClient, **params: Any) -> str:
    """A view with a name of its own."""
    name = f"view{next(_names)}"
    answer = await http.put(f"/views/{name}", content=SAID, headers=QUERY, params=params)
    assert answer.status_code == 201, answer.text
    return name


async def changed(http: httpx.AsyncClient, times: int) -> None:
    for number in range(times):
        await update(http, f"INSERT DATA {{ <urn:a> <urn:p> {number} }}")
        await update(
            http, f"DELETE DATA {{ <urn:a> <urn:p> {number - 1} }} ; INSERT DATA {{ <urn:a> <urn:q> {number} }}"
        )


async def answered(http: httpx.AsyncClient) -> Any:
    found = await http.post("/sparql", content=SAID, headers=QUERY)
    return items(found.json()["results"]["bindings"])


async def read_some(http: httpx.AsyncClient, name: str, follower: ViewFollower, reader: Reader, most: int) -> int:
    """Read a stream until so many bytes have come, and break it off; returns how many came of notifications."""
    seen = 0
    headers = follower.headers() | {"Accept": "text/event-stream"}
    async with http.stream("GET", f"/views/{name}/notifications", headers=headers) as stream:
        assert stream.status_code == 200
        async for part in stream.aiter_raw():
            for byte in part:
                for item in follower.received(bytes([byte])):
                    reader.take(item.json)
                seen += 1
                if seen == most:
                    return seen
            if reader.count and not reader.answer - await answered(http) and reader.answer == await answered(http):
                return seen
    return seen


async def test_a_stream_that_is_cut_anywhere_goes_on_and_tells_each_change_once(http):
    name = await put(http)
    await changed(http, 3)
    for cut in (1, 40, 150, 333, 500, 700, 1_000):
        follower, reader = ViewFollower(), Reader()
        await read_some(http, name, follower, reader, cut)
        await read_some(http, name, follower, reader, 10**9)
        assert reader.answer == await answered(http)
        assert reader.count > 5


async def test_a_websocket_has_the_whole_answer_and_acknowledges(http, node):
    name = await put(http)
    await changed(http, 2)
    reader = Reader()
    address = f"{node.url.replace('http', 'ws', 1)}/views/{name}/notifications"
    async with websockets.connect(address) as socket:
        while not reader.count or reader.answer != await answered(http):
            said = json.loads(await socket.recv())
            assert said["type"] == "notification"
            reader.take(said)
        await socket.send(json.dumps({"acknowledge": reader.position}))
        change = await update(http, "INSERT DATA { <urn:b> <urn:p> 9 }")
        last = json.loads(await socket.recv())
        assert last["change"] == change
        reader.take(last)
    async with websockets.connect(address) as socket:
        # What was acknowledged does not come again.
        assert json.loads(await socket.recv()) == last


async def test_a_webhook_is_told_in_order_and_no_more_once_the_view_is_deleted(http):
    async with receiver() as hook:
        name = await put(http, delivery="webhook", callback=hook.url)
        await changed(http, 3)
        wanted = await answered(http)
        reader = Reader()

        def is_told() -> bool:
            told = [body for body in hook.bodies if body["type"] == "notification"]
            for one in told[reader.count :]:
                assert one["subscription"] == name
                reader.take(one)
            return reader.answer == wanted

        await eventually(is_told, "the answer as it is now")
        await http.delete(f"/views/{name}")
        before = len(hook.bodies)
        other = await put(http, delivery="webhook", callback=hook.url)
        await update(http, "INSERT DATA { <urn:b> <urn:p> 9 }")
        await eventually(lambda: len(hook.bodies) == before + 3, "the other view's challenge, answer and change")
        assert {body["subscription"] for body in hook.bodies[before:]} == {other}


async def test_what_a_webhook_does_not_take_is_a_dead_letter_that_can_be_sent_again(tmp_path: Path):
    accepts = asyncio.Event()

    def moody(headers: dict[str, str], body: bytes) -> Answer:
        return agreeable(headers, body) if b"challenge" in body or accepts.is_set() else (503, {}, b"")

    async with receiver(moody) as hook, api_of(tmp_path, allow_loopback_webhooks=True) as api:
        api.node.webhooks._retry = RetryPolicy(first_delay=0.01, longest_delay=0.02, tries=2)
        params = {"delivery": "webhook", "callback": hook.url}
        made = await api.put("/views/mine", content=SAID, headers=QUERY, params=params)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        number = api.node.broker.views.require(made.json()["owner"], "mine").number
        cursor = lambda: api.node.broker.subscriptions.index.require(number).cursor  # noqa: E731
        await eventually(lambda: cursor() == 2, "two dead letters")
        letters = (await api.get("/dead-letters")).json()["dead_letters"]
        assert [letter["subscription"] for letter in letters] == ["mine", "mine"]
        accepts.set()
        before = len(hook.bodies)
        for letter in letters:
            assert (await api.post(f"/dead-letters/{letter['id']}/delivery")).status_code == 204
        reader = Reader()
        for body in hook.bodies[before:]:
            reader.take(body)
        assert reader.answer == await answered(api)
        assert (await api.get("/dead-letters")).json()["dead_letters"] == []
