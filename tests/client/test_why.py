"""Why, by the clients and by the command line, against a real node: pages, streams, WebSockets, and afterwards."""

from __future__ import annotations

import json
from itertools import islice

import pytest
import websockets
from tests.node.processes import running

from triplewire.client import AsyncClient, Client
from triplewire.wire.reasons import Reason

TITLES = "SELECT ?t { ?b <urn:title> ?t }"
EVENT = '<urn:b> <urn:title> "Faust" <urn:event:{0}> .\n<urn:b> <urn:other> "1" <urn:event:{0}> .\n'


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


@pytest.fixture(autouse=True)
def empty(node):
    with Client(node.url, timeout=300) as client:
        client.update("CLEAR ALL")
        yield
        for view in client.views():
            client.delete_view(view.id)
        for known in client.subscriptions():
            client.unsubscribe(known.name)


def behind(reason: Reason) -> list[str]:
    return [one.quad for one in reason.quads]


async def test_a_subscription_says_why_in_a_stream_and_over_a_websocket(node):
    with Client(node.url, timeout=300) as client:
        made = client.put_subscription(TITLES, name="titles", why=True)
        assert (made.why, client.subscription("titles").why) == (True, True)
        client.publish(EVENT.format(1))
        told = next(client.follow("titles"))
        assert told.why is not None
        assert list(map(behind, told.why)) == [['<urn:b> <urn:title> "Faust" <urn:event:1>']]
        assert told.json["why"] == [{"quads": [{"quad": behind(told.why[0])[0], "kind": "asserted"}]}]
    async with AsyncClient(node.url, timeout=300) as client:
        async for again in client.subscribe(TITLES, name="titles", why=True):
            assert again.why == told.why
            break
    url = f"ws://127.0.0.1:{node.port}/subscriptions/titles/notifications"
    async with websockets.connect(url) as connection:
        assert json.loads(await connection.recv())["why"] == told.json["why"]


def test_without_asking_nothing_is_said(node):
    with Client(node.url, timeout=300) as client:
        client.put_subscription(TITLES, name="titles")
        client.publish(EVENT.format(2))
        told = next(client.follow("titles"))
        assert told.why is None
        assert "why" not in told.json


def test_a_view_says_why_and_so_does_its_answer_afterwards(node):
    with Client(node.url, timeout=300) as client:
        assert client.put_view("titles", TITLES, why=True).why
        change = client.update('INSERT DATA { <urn:b> <urn:title> "Faust" }').position
        client.update('DELETE DATA { <urn:b> <urn:title> "Faust" }')
        first, come, gone = islice(client.follow_view("titles"), 3)
        assert first.why is not None
        assert first.why.answer == ()
        assert come.why is not None
        assert gone.why is not None
        [reason] = come.why.added or ()
        assert reason.quads[0].origin is not None
        assert (reason.quads[0].origin.change, reason.quads[0].origin.author) == (change, "anonymous")
        assert gone.why.removed == (reason,)
        assert gone.json["why"]["removed"][0]["quads"][0]["quad"] == '<urn:b> <urn:title> "Faust"'
        assert client.explain_view_answer("titles").nearest == "nothing matches ?b <urn:title> ?t"
        found = client.explain_answer("ASK { ?s a <urn:T> }")
        assert (found.answer, found.why.answer) == (False, ())


async def test_the_asynchronous_client_explains_too(node):
    async with AsyncClient(node.url, timeout=300) as client:
        await client.update('INSERT DATA { <urn:b> <urn:title> "Faust" }')
        await client.put_view("titles", TITLES, why=True)
        found = await client.explain_view_answer("titles")
        assert (await client.explain_answer(TITLES)).why == found.why
        async for told in client.follow_view("titles"):
            assert told.why == found.why
            break


def test_an_event_that_is_kept_is_explained_with_reasons(node):
    with Client(node.url, timeout=300) as client:
        client.publish(EVENT.format(3))
        found = client.explain(TITLES, event="urn:event:3")
        assert list(map(behind, found.why)) == [['<urn:b> <urn:title> "Faust" <urn:event:3>']]
