"""Solid's notifications: what others find, what they are given, what they are told, and what they may not have."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import msgspec
import pytest
import pytest_asyncio
import rdflib
from tests.node.delivery.receiving import Answer, eventually, receiver
from tests.node.http.serving import NQUADS, QUERY, Api, api_of, is_problem
from tests.node.processes import running
from websockets.sync.client import connect

from triplewire.client import Client

NOTIFY = rdflib.Namespace("http://www.w3.org/ns/solid/notifications#")
CONTEXT = "https://www.w3.org/ns/solid/notification/v1"
SELECT = "SELECT ?o { ?s <urn:p> ?o }"
TOPIC = "http://localhost/subscriptions/all/notifications"
JSONLD = {"Content-Type": "application/ld+json"}
TURTLE = {"Content-Type": "text/turtle", "Accept": "text/turtle"}


def silent(_headers: dict[str, str], _body: bytes) -> Answer:
    """A receiver that was made for Solid: it accepts, and knows no challenges."""
    return 200, {}, b""


@pytest_asyncio.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with api_of(tmp_path, allow_loopback_webhooks=True) as opened:
        await opened.put("/subscriptions/all", content=SELECT, headers=QUERY)
        yield opened


async def ask(api: Api, kind: str, **members: str):
    body = {"@context": [CONTEXT], "type": kind, "topic": TOPIC} | members
    return await api.post(f"/solid/{kind}", content=json.dumps(body), headers=JSONLD)


async def test_a_topic_leads_to_the_services(api: Api):
    found = await api.head("/subscriptions/all/notifications")
    address = found.links["http://www.w3.org/ns/solid/terms#storageDescription"]["url"]
    graph = rdflib.Graph().parse(data=(await api.get(address, headers={"Accept": "text/turtle"})).text, format="turtle")
    services = {str(one) for one in graph.objects(None, NOTIFY.subscription)}
    assert services == {f"http://localhost/solid/{kind}" for kind in ("WebSocketChannel2023", "WebhookChannel2023")}
    for one in services:
        node = rdflib.URIRef(one)
        assert graph.value(node, NOTIFY.channelType) == NOTIFY[one.rpartition("/")[2]]
        assert graph.value(node, NOTIFY.feature) == NOTIFY.state
        described = (await api.get(one)).json()
        assert (described["id"], described["channelType"]) == (one, one.rpartition("/")[2])
    assert len((await api.get(address)).json()["subscription"]) == 2


async def test_a_websocket_channel_is_given_in_the_clients_syntax(api: Api):
    given = (await ask(api, "WebSocketChannel2023", state="7")).json()
    assert (given["type"], given["topic"]) == ("WebSocketChannel2023", TOPIC)
    assert given["receiveFrom"].startswith("ws://localhost/solid/channels/all?after=7&token=")
    body = f"[] a <{NOTIFY}WebSocketChannel2023> ; <{NOTIFY}topic> <{TOPIC}> ."
    answer = await api.post("/solid/WebSocketChannel2023", content=body, headers=TURTLE)
    graph = rdflib.Graph().parse(data=answer.text, format="turtle")
    [address] = graph.objects(None, NOTIFY.receiveFrom)
    assert str(address).startswith("ws://localhost/solid/channels/all?")


async def test_a_webhook_channel_tells_and_ends(tmp_path: Path):
    async with (
        receiver(silent) as found,
        api_of(tmp_path, allow_loopback_webhooks=True, solid_receivers=f"http://127.0.0.1:{found.port}") as api,
    ):
        await api.put("/subscriptions/all", content=SELECT, headers=QUERY)
        given = (await ask(api, "WebhookChannel2023", sendTo=found.url)).json()
        assert given["sendTo"] == found.url
        assert given["endAt"].endswith("Z")
        await api.post("/events", content='<urn:s> <urn:p> "1" <urn:e:1> .', headers=NQUADS)
        await eventually(lambda: len(found.requests) == 1, "a notification")
        [(headers, body)] = found.requests
        assert headers["content-type"] == "application/ld+json"
        told = msgspec.json.decode(body)
        assert told["@context"] == ["https://www.w3.org/ns/activitystreams", CONTEXT]
        assert (told["type"], told["target"], told["state"]) == ("Add", TOPIC, "1")
        assert (await api.get(told["object"])).text == '<urn:s> <urn:p> "1" <urn:e:1> .\n'
        assert told["id"].startswith("urn:uuid:")
        assert (await api.delete(given["id"])).status_code == 204
        assert len((await api.get("/subscriptions")).json()["subscriptions"]) == 1
        assert is_problem(await api.delete("/solid/channels/all"), 400, "input-error")


async def test_a_receiver_that_nobody_vouches_for_has_to_answer_a_challenge(api: Api):
    """Row A14."""
    async with receiver(silent) as found:
        assert is_problem(await ask(api, "WebhookChannel2023", sendTo=found.url), 502, "delivery-failed")
    async with receiver() as found:
        assert (await ask(api, "WebhookChannel2023", sendTo=found.url)).status_code == 200
    assert len((await api.get("/subscriptions")).json()["subscriptions"]) == 2


async def test_a_webhook_may_not_lead_into_a_private_network_whoever_vouches_for_it(tmp_path: Path):
    """Row A13."""
    async with api_of(tmp_path, solid_receivers="http://127.0.0.1:1") as api:
        await api.put("/subscriptions/all", content=SELECT, headers=QUERY)
        await api.post("/events", content='<urn:s> <urn:p> "1" <urn:e:1> .', headers=NQUADS)
        answer = await ask(api, "WebhookChannel2023", sendTo="http://10.0.0.1/")
        assert is_problem(answer, 400, "address-refused")


async def test_one_has_channels_of_ones_own_topics_and_no_other(tmp_path: Path):
    """Row A15."""
    async with api_of(tmp_path, open=False) as api:
        await api.put("/subscriptions/all", content=SELECT, headers=QUERY)
        other = await api.register()
        body = json.dumps({"type": "WebSocketChannel2023", "topic": TOPIC})
        for headers, status, kind in (
            (other, 404, "unknown-subscription"),
            ({"Authorization": ""}, 401, "unauthenticated"),
        ):
            answer = await api.post("/solid/WebSocketChannel2023", content=body, headers=JSONLD | headers)
            assert is_problem(answer, status, kind)


@pytest.mark.parametrize(
    "members",
    [{"topic": "http://elsewhere/"}, {"type": "StreamingHTTPChannel2023"}, {"rate": "PT1S"}, {"state": "x"},
     {"sendTo": "http://a.example/"}],
)  # fmt: skip
async def test_what_a_node_does_not_do_is_refused_by_name(api: Api, members: dict[str, str]):
    body = {"type": "WebSocketChannel2023", "topic": TOPIC} | members
    answer = await api.post("/solid/WebSocketChannel2023", content=json.dumps(body), headers=JSONLD)
    assert is_problem(answer, 400, "input-error")
    assert (await api.get("/solid/StreamingHTTPChannel2023")).status_code == 422


@pytest.mark.parametrize(("body", "headers"), [(b"[", JSONLD), (b"\xff", JSONLD), (b"<a", TURTLE), (b"", TURTLE)])
async def test_what_is_no_channel_is_refused(api: Api, body: bytes, headers: dict[str, str]):
    assert is_problem(await api.post("/solid/WebSocketChannel2023", content=body, headers=headers), 400, "input-error")


@pytest.mark.system
def test_a_websocket_tells_what_comes_and_after_a_state_what_came(tmp_path: Path):
    with running(tmp_path / "node", "--open") as node, Client(node.url) as client:
        client.put_subscription(SELECT, name="all")
        client.publish('<urn:s> <urn:p> "1" <urn:e:1> .')
        topic = f"{node.url}/subscriptions/all/notifications"
        states = []
        for more in ({}, {"state": "0"}):
            body = {"type": "WebSocketChannel2023", "topic": topic} | more
            given = httpx.post(f"{node.url}/solid/WebSocketChannel2023", json=body, headers=JSONLD).json()
            with connect(given["receiveFrom"], proxy=None) as channel:
                client.publish(f'<urn:s> <urn:p> "2" <urn:e:{2 + len(states)}> .')
                told = json.loads(channel.recv(timeout=60))
                assert (told["type"], told["target"]) == ("Add", topic)
                states.append(told["state"])
        assert states == ["2", "1"]
