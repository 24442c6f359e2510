"""Both clients against a real process: publish, subscribe, reconnect after a restart, query, register."""

from __future__ import annotations

import re
import signal
import threading
from itertools import islice
from pathlib import Path

import httpx
import pytest
import rdflib
from tests.node.processes import Process, free_port, running

from triplewire import Event
from triplewire.client import EVENTS, AsyncClient, Client, calls
from triplewire.errors import InputError, NodeRefused, NodeUnreachable, TriplewireError, UnknownFormat
from triplewire.rdf.terms import Literal, NamedNode

# One log for all of them, and some look at its beginning.
pytestmark = pytest.mark.xdist_group("clients of one node")

QUERY = "SELECT ?o WHERE { ?s <urn:p> ?o }"


def events(*numbers: int) -> list[Event]:
    return [Event.parse(f'<urn:s> <urn:p> "{number}" <urn:event:{number}> .')[0] for number in numbers]


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


def test_publish_subscribe_query(node):
    with Client(node.url, timeout=300) as client:
        receipts = client.publish(events(1, 2), idempotency_key="k")
        assert [receipt.event for receipt in receipts] == ["urn:event:1", "urn:event:2"]
        assert client.publish(events(1, 2), idempotency_key="k") == receipts
        found = list(islice(client.subscribe(QUERY, start="beginning"), 2))
        assert [one.event for one in found] == ["urn:event:1", "urn:event:2"]
        assert found[0].solutions == [{"o": Literal("1")}]
        assert found[0].json["solutions"] == [{"o": {"type": "literal", "value": "1"}}]
        text = "SELECT DISTINCT ?s ?x WHERE { GRAPH ?g { ?s <urn:p> ?o } }"
        # A query waits some seconds for the repository to catch up; a busy machine may need more.
        assert any(b"urn:s" in client.query_document(text, "text/csv", over=EVENTS) for _ in range(60))
        rows = client.query(text, over=EVENTS)
        assert (rows, rows.variables) == ([{"s": NamedNode("urn:s")}], ("s", "x"))
        assert client.query("ASK { ?s <urn:p> ?o }", over=EVENTS) is True
        made = client.query("CONSTRUCT { ?s <urn:q> 1 } WHERE { ?s <urn:p> ?o }", over=EVENTS)
        assert len(made.to_rdflib()) == 1


def test_whatever_people_hold_is_published(node, tmp_path):
    graph = rdflib.Graph(identifier=rdflib.URIRef("urn:event:held:1"))
    graph.add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:held"), rdflib.Literal("1")))
    (tmp_path / "two.trig").write_text('<urn:event:held:2> { <urn:s> <urn:held> "2" }')
    with Client(node.url, timeout=300) as client:
        assert [r.event for r in client.publish(graph)] == ["urn:event:held:1"]
        assert [r.event for r in client.publish(tmp_path / "two.trig")] == ["urn:event:held:2"]
        assert [r.event for r in client.publish(str(tmp_path / "two.trig"))] == ["urn:event:held:2"]
        assert [r.event for r in client.publish('<urn:s> <urn:held> "3" <urn:event:held:3> .')] == ["urn:event:held:3"]
        text = 'GRAPH <urn:event:held:4> { <urn:s> <urn:held> "4" }'
        assert [r.event for r in client.publish(text, "trig")] == ["urn:event:held:4"]
        with pytest.raises(InputError, match="wanted an Event, an rdflib Graph"):
            client.publish(3)
        rows = client.query("SELECT ?o WHERE { ?s <urn:held> ?o } ORDER BY ?o", over=EVENTS)
        assert [row["o"].value for row in rows] == ["1", "2", "3", "4"]


def test_subscriptions_are_listed_shown_reset_and_deleted(node):
    with Client(node.url, timeout=300) as client:
        client.publish(events(21, 22))
        made = client.put_subscription(QUERY, name="mine")
        assert (made.is_new, client.put_subscription(QUERY, name="mine").is_new) == (True, False)
        assert "mine" in [one.name for one in client.subscriptions()]
        assert client.subscription("mine").text == QUERY
        assert client.reset("mine", "beginning").acknowledged == 0
        assert next(client.follow("mine")).position == 1
        assert client.explain(QUERY, event="urn:event:21").matches is True
        client.unsubscribe("mine")
        with pytest.raises(NodeRefused):
            client.subscription("mine")


async def test_the_log_is_read_page_by_page(node):
    with Client(node.url, timeout=300) as client:
        client.publish(events(11, 12))
        page = client.read_log(limit=1)
        assert (page.nquads.count(b"\n"), page.position, page.gap, page.is_last) == (1, 1, None, False)
        rest = client.read_log(page.position)
        assert rest.is_last
        assert events(12)[0].nquads in rest.nquads
        assert client.read_log(rest.position).nquads == b""
        assert client.node_id()

    async with AsyncClient(node.url, timeout=300) as client:
        assert await client.read_log(limit=1) == page
        assert await client.node_id()


async def test_the_asynchronous_client_does_the_same(node):
    async with AsyncClient(node.url, timeout=300) as client:
        receipts = await client.publish(events(1, 2))
        seen = []
        # Other tests may have published to the same node before.
        async for one in client.subscribe(QUERY, name="async", start=receipts[0].position - 1):
            seen.append(one.event)
            if len(seen) == 2:
                break
        assert seen == ["urn:event:1", "urn:event:2"]
        made = await client.subscribe(QUERY, name="awaited")
        assert made.status is not None
        assert made.status.is_new
        assert [one.name for one in await client.subscriptions() if one.name == "awaited"] == ["awaited"]
        assert await client.query("ASK { ?s <urn:p> ?o }", over=EVENTS) is True
        assert (await client.reset("awaited")).name == "awaited"
        assert (await client.explain(QUERY, event="urn:event:1")).matches is True
        assert [letter async for letter in client.dead_letters()] == []


def test_a_refused_request_carries_the_nodes_own_words(node):
    with Client(node.url) as client:
        with pytest.raises(NodeRefused, match="1:") as refused:
            client.publish(b"<urn:s> nonsense")
        assert refused.value.status == 400
        with pytest.raises(NodeRefused) as refused:
            next(client.follow("no-such-subscription"))
        assert refused.value.status == 404
        assert (refused.value.wanted, refused.value.found) == (
            "the subscription 'no-such-subscription'",
            "none of that name",
        )
        with pytest.raises(UnknownFormat):
            client.subscribe("x", language="prolog")


def test_no_node_is_told_as_such():
    with Client(f"http://127.0.0.1:{free_port()}") as client, pytest.raises(NodeUnreachable):
        client.publish(events(1))


@pytest.mark.parametrize("answer", [b"", b"<html>", b"[]", b'{"events": 3}', b"\xff"])
def test_an_answer_of_something_else_is_an_error_of_ours(answer):
    with pytest.raises(TriplewireError, match="Triplewire node"):
        calls.receipts(answer)


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"\xff\xfe"])
def test_a_problem_without_details_still_has_its_status(content):
    with pytest.raises(NodeRefused, match="502 Bad Gateway"):
        calls.check(502, "Bad Gateway", content)


@pytest.mark.parametrize("facts", [b'{"wanted": 3, "found": null}', b'{"wanted": []}'])
def test_facts_that_are_no_text_are_none(facts):
    with pytest.raises(NodeRefused) as refused:
        calls.check(400, "Bad Request", facts)
    assert (refused.value.wanted, refused.value.found) == (None, None)


def test_an_iterator_goes_on_over_a_kill_and_a_restart_each_notification_once(tmp_path: Path):
    process = Process(tmp_path / "data", "--open")
    process.start()
    seen: list[str] = []
    arrived = threading.Semaphore(0)

    def follow() -> None:
        with Client(process.url, timeout=60) as client:
            for one in islice(client.follow("all"), 4):
                seen.append(one.event)
                arrived.release()

    try:
        with Client(process.url, timeout=300) as client:
            client.subscribe(QUERY, name="all")
            reader = threading.Thread(target=follow, daemon=True)
            reader.start()
            client.publish(events(1, 2))
            assert arrived.acquire(timeout=60)
            assert arrived.acquire(timeout=60)
            process.stop(signal.SIGKILL)
            process.start()
            client.publish(events(3, 4))
            reader.join(60)
        assert seen == [f"urn:event:{number}" for number in (1, 2, 3, 4)]
    finally:
        process.stop()


def test_a12_a_node_with_identities_lets_in_whom_it_knows(tmp_path: Path):
    with running(tmp_path / "data") as process:
        [admin] = re.findall(r"secret, shown this once: (\S+)", process.words())
        with Client(process.url) as nobody, pytest.raises(NodeRefused, match="401"):
            nobody.publish(events(1))
        with Client(process.url, admin, timeout=300) as client:
            alice = client.register("alice")
            bob = client.register("bob")
            assert {"alice", "bob"} <= {one["name"] for one in client.clients()}
        with Client(process.url, alice.secret, timeout=300) as client:
            client.publish(events(1))
            [one] = islice(client.subscribe(QUERY, name="mine", start="beginning"), 1)
            assert one.event == "urn:event:1"
            with pytest.raises(NodeRefused, match="403"):
                client.clients()
        with Client(process.url, bob.secret) as client, pytest.raises(NodeRefused, match="404"):
            next(client.follow("mine"))
        headers = {"authorization": f"Bearer {alice.id}"}
        assert httpx.get(f"{process.url}/subscriptions", headers=headers).status_code == 401
