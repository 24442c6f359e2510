"""Views by the clients and by the command line, against a real node."""

from __future__ import annotations

from itertools import islice

import pytest
from tests.node.processes import running

from triplewire.client import AsyncClient, Client
from triplewire.errors import NodeRefused
from triplewire.rdf.terms import Literal, NamedNode, Triple

TITLES = "SELECT ?title { ?book <urn:title> ?title OPTIONAL { ?book <urn:lent> ?to } FILTER(!BOUND(?to)) }"


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


def test_a_view_is_followed_each_once(node):
    with Client(node.url, timeout=300) as client:
        made = client.put_view("books", TITLES)
        assert (made.id, made.state, made.window) == ("books", "live", None)
        client.update('INSERT DATA { <urn:1> <urn:title> "Faust" }')
        change = client.update('INSERT DATA { <urn:1> <urn:lent> "Ann" }').position
        first, come, gone = islice(client.follow_view("books"), 3)
        assert (first.is_first, first.answer, first.added) == (True, [], None)
        assert first.answer is not True
        assert (come.is_first, come.added, come.removed) == (False, [{"title": Literal("Faust")}], [])
        assert (gone.added, gone.removed, gone.change) == ([], [{"title": Literal("Faust")}], change)
        assert gone.json["removed"] == [{"title": {"type": "literal", "value": "Faust"}}]
        client.acknowledge_view("books", come.position)
        assert client.read_view("books").notifications == [gone]
        assert "kept up to date" in client.explain_view("books").text
        assert client.reset_view("books").state == "live"
        assert [view.id for view in client.views()] == ["books"]
        with pytest.raises(NodeRefused, match="books"):
            client.put_view("books", "ASK {}")


def test_triples_and_yes_and_no(node):
    with Client(node.url, timeout=300) as client:
        client.put_view("made", "CONSTRUCT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }")
        client.put_view("any", "ASK { ?s <urn:p> ?o }")
        client.update("INSERT DATA { <urn:a> <urn:p> <urn:b> }")
        _, made = islice(client.follow_view("made"), 2)
        assert made.added == [Triple(NamedNode("urn:a"), NamedNode("urn:q"), NamedNode("urn:b"))]
        first, now = islice(client.follow_view("any"), 2)
        assert (first.answer, first.is_first, now.added, now.removed) == (False, True, True, False)


async def test_the_same_on_an_event_loop(node):
    async with AsyncClient(node.url, timeout=300) as client:
        await client.put_view("books", TITLES, window=0.1)
        assert (await client.view("books")).window == 0.1
        await client.update('INSERT DATA { <urn:1> <urn:title> "Faust" }')
        told = []
        async for one in client.follow_view("books"):
            told.append(one)
            if len(told) == 2:
                break
        assert told[1].added == [{"title": Literal("Faust")}]
        assert (await client.read_view("books", told[0].position)).notifications == [told[1]]
        assert (await client.explain_view("books")).queries == 1
        await client.acknowledge_view("books", told[1].position)
        assert (await client.reset_view("books")).id == "books"
        assert len(await client.views()) == 1
        await client.delete_view("books")
