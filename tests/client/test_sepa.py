"""The requests of a JSAP file, sent to a server of SEPA's protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.node.processes import free_port
from tests.sepa.stub import stub_server

from triplewire.client import sepa
from triplewire.client.jsap import JsapQuery, JsapUpdate
from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.terms import Literal


@pytest.fixture
def port() -> Iterator[int]:
    with stub_server() as found:
        yield found


def query(port: int, text: str, **graphs: Any) -> JsapQuery:
    return JsapQuery(text, f"http://127.0.0.1:{port}/query", f"ws://127.0.0.1:{port}/subscribe", **graphs)


def update(port: int, text: str) -> None:
    sepa.send(JsapUpdate(text, f"http://127.0.0.1:{port}/update"))


def test_update_and_query(port: int) -> None:
    update(port, "INSERT DATA { <urn:a> <urn:p> 'é' }")
    answer = sepa.ask(query(port, "SELECT ?o { <urn:a> <urn:p> ?o }"))
    assert isinstance(answer, Solutions)
    assert [row["o"] for row in answer] == [Literal("é")]


def test_a_subscription_has_the_answer_first_and_then_what_comes_and_goes(port: int) -> None:
    told = sepa.subscribe(query(port, "SELECT ?o { <urn:a> <urn:p> ?o }"))
    first = next(told)
    assert (first.sequence, first.added.bindings, first.removed.bindings) == (0, (), ())
    update(port, "INSERT DATA { <urn:a> <urn:p> 'x' }")
    second = next(told)
    assert (second.sequence, second.added.bindings) == (1, ({"o": {"type": "literal", "value": "x"}},))
    told.close()


def test_the_graphs_of_the_profile_are_those_of_the_subscription(port: int) -> None:
    told = sepa.subscribe(query(port, "SELECT ?o { ?s ?p ?o }", default_graphs=("urn:g",)))
    next(told)
    update(port, "INSERT DATA { <urn:a> <urn:p> 1 }")
    update(port, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 2 } }")
    assert [row["o"]["value"] for row in next(told).added.bindings] == ["2"]
    told.close()


def test_a_server_that_says_no_is_quoted(port: int) -> None:
    with pytest.raises(NodeRefused, match="the end of the text") as refused:
        sepa.ask(query(port, "SELECT ?o {"))
    assert refused.value.status == 400
    with pytest.raises(NodeRefused, match="wanted no variable in data"):
        update(port, "INSERT DATA { ?a <urn:p> 1 }")
    with pytest.raises(NodeRefused, match="the end of the text"):
        next(sepa.subscribe(query(port, "SELECT ?o {")))


def test_a_server_that_is_not_there() -> None:
    nobody = free_port()
    with pytest.raises(NodeUnreachable, match="wanted a node at http"):
        sepa.ask(query(nobody, "ASK {}"))
    with pytest.raises(NodeUnreachable, match="wanted a node at ws"):
        next(sepa.subscribe(query(nobody, "ASK {}")))


def test_a_server_that_goes_ends_the_subscription() -> None:
    with stub_server() as port:
        told = sepa.subscribe(query(port, "ASK {}"))
        next(told)
    with pytest.raises(NodeUnreachable):
        next(told)
