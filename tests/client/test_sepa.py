"""The requests of a JSAP file, sent to a node."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.node.processes import free_port, running

from triplewire.client import sepa
from triplewire.client.jsap import JsapQuery, JsapUpdate
from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.rdf.terms import Literal

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process.port


@pytest.fixture
def port(node: int) -> int:
    """An empty node's."""
    update(node, "CLEAR ALL")
    return node


def query(port: int, text: str, **graphs: Any) -> JsapQuery:
    return JsapQuery(text, f"http://127.0.0.1:{port}/sepa/query", f"ws://127.0.0.1:{port}/sepa/subscribe", **graphs)


def update(port: int, text: str, secret: str | None = None) -> None:
    sepa.send(JsapUpdate(text, f"http://127.0.0.1:{port}/sepa/update"), secret)


def test_update_and_query(port: int) -> None:
    update(port, "INSERT DATA { <urn:a> <urn:p> 'é' }")
    answer = sepa.ask(query(port, "SELECT ?o { <urn:a> <urn:p> ?o }"))
    assert isinstance(answer, Solutions)
    assert [row["o"] for row in answer] == [Literal("é")]


def test_the_other_forms(port: int) -> None:
    update(port, "INSERT DATA { <urn:a> <urn:p> 'é' }")
    assert sepa.ask(query(port, "ASK { <urn:a> ?p ?o }")) is True
    made = sepa.ask(query(port, "CONSTRUCT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }"))
    assert isinstance(made, Triples)
    assert [str(triple.predicate) for triple in made] == ["<urn:q>"]


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


def test_a_node_that_goes_ends_the_subscription_and_one_that_asks_for_secrets_gets_one(tmp_path: Path) -> None:
    with running(tmp_path / "data") as node:
        [secret] = re.findall(r"secret, shown this once: (\S+)", node.words())
        for ask in (sepa.ask, lambda asked: next(sepa.subscribe(asked))):
            with pytest.raises(NodeRefused, match="wanted a bearer secret") as refused:
                ask(query(node.port, "ASK {}"))
            assert refused.value.status == 401
        update(node.port, "INSERT DATA { <urn:a> <urn:p> 1 }", secret)
        assert sepa.ask(query(node.port, "ASK { <urn:a> <urn:p> 1 }"), secret) is True
        told = sepa.subscribe(query(node.port, "ASK { <urn:a> <urn:p> 1 }"), secret)
        assert next(told).added.bindings == ({},)
    with pytest.raises(NodeUnreachable):
        next(told)
