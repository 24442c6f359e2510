"""Both clients change and read the living graph of a real process."""

from __future__ import annotations

import pytest
from tests.node.processes import running

from triplewire.client import EVENTS, AsyncClient, Client
from triplewire.errors import NodeRefused
from triplewire.rdf.terms import Literal, NamedNode, Triple

P = NamedNode("urn:p")


def triple(subject: str, value: str) -> Triple:
    return Triple(NamedNode(subject), P, Literal(value))


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


def test_update_graphs_patch_and_changes(node, tmp_path):
    (tmp_path / "g.ttl").write_text('<urn:b> <urn:p> "2" . <#c> <urn:p> "3" .')
    with Client(node.url, timeout=300) as client:
        before = client.changes().head
        done = client.update('INSERT DATA { <urn:a> <urn:p> "1" }', idempotency_key="k")
        assert (done.position, done.added, done.removed) == (before + 1, 1, 0)
        assert client.update('INSERT DATA { <urn:a> <urn:p> "1" }', idempotency_key="k") == done
        assert client.query("SELECT ?o { <urn:a> <urn:p> ?o }") == [{"o": Literal("1")}]
        assert client.query("ASK { GRAPH ?event { <urn:a> <urn:p> ?o } }", over=EVENTS) is True, (
            "the event of the change"
        )
        assert client.put_graph("urn:g", tmp_path / "g.ttl").created
        [own] = client.query("SELECT ?s { GRAPH <urn:g> { ?s <urn:p> '3' } }")
        assert own["s"].value == f"{(tmp_path / 'g.ttl').as_uri()}#c"
        assert client.put_graph("urn:g", '<urn:b> <urn:p> "2" .').removed == 1
        assert client.add_to_graph("urn:g", b'<urn:d> <urn:p> "4" .', "ntriples").added == 1
        assert set(client.graph("urn:g")) == {triple("urn:b", "2"), triple("urn:d", "4")}
        assert set(client.graph()) == {triple("urn:a", "1")}
        assert b"urn:a" in client.graph_document()
        patch = client.changes_document(after=before)
        assert client.delete_graph("urn:g").removed == 2
        with pytest.raises(NodeRefused, match="urn:g"):
            client.graph("urn:g")
        assert client.patch(patch).added == 2
        page = client.changes(after=done.position, limit=1)
        assert (len(page.changes), page.position) == (1, done.position + 1)
        assert client.publish('<urn:e> <urn:p> "5" <urn:event:m> .', merge=True)
        assert set(client.graph("urn:event:m")) == {triple("urn:e", "5")}


async def test_the_asynchronous_client_does_the_same(node):
    async with AsyncClient(node.url, timeout=300) as client:
        done = await client.update('INSERT DATA { GRAPH <urn:x> { <urn:a> <urn:p> "1" } }')
        assert await client.query("ASK { GRAPH <urn:x> { ?s ?p ?o } }") is True
        assert list(await client.graph("urn:x")) == [triple("urn:a", "1")]
        assert (await client.put_graph("urn:x", "<urn:a> <urn:p> '2' .")).removed == 1
        assert (await client.add_to_graph("urn:x", "<urn:a> <urn:p> '3' .")).added == 1
        assert b"urn:p" in await client.graph_document("urn:x", "application/n-triples")
        assert (await client.delete_graph("urn:x")).removed == 2
        page = await client.changes(after=done.position, wait=1)
        assert [change.position for change in page.changes] == [done.position + n for n in (1, 2, 3)]
        assert (await client.patch(await client.changes_document(after=done.position, limit=1))).added == 1
