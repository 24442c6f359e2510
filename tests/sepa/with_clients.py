"""SEPA's own clients, unchanged, of JavaScript and Python. Run by `make test-sepa`.

They talk to the server of the JSAP file that TRIPLEWIRE_SEPA_JSAP names, or else to a stub.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.sepa.cases import CASES
from tests.sepa.clients import LANGUAGES, RealClient, real_client
from tests.sepa.stub import stub_server


def profile(port: int) -> dict[str, Any]:
    """A JSAP file for a server that has everything on one port."""
    path = {"method": "POST", "format": "JSON"}
    return {
        "host": "127.0.0.1",
        "sparql11protocol": {
            "protocol": "http",
            "port": port,
            "query": {"path": "/query", **path},
            "update": {"path": "/update", **path},
        },
        "sparql11seprotocol": {
            "protocol": "ws",
            "availableProtocols": {"ws": {"port": port, "path": "/subscribe"}},
        },
    }


APPLICATION = {
    "namespaces": {"ex": "http://example.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"},
    "extended": {},
    "updates": {
        "ADD": {
            "sparql": "INSERT DATA { ?person ex:says ?text }",
            "forcedBindings": {
                "person": {"type": "uri", "value": "http://example.org/nobody"},
                "text": {"type": "literal", "value": ""},
            },
        },
    },
    "queries": {
        "SAID": {
            "sparql": "SELECT ?text WHERE { ?person ex:says ?text }",
            "forcedBindings": {"person": {"type": "uri", "value": "http://example.org/nobody"}},
        },
    },
}


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    given = os.environ.get("TRIPLEWIRE_SEPA_JSAP")
    if given:
        yield json.loads(Path(given).read_text("utf-8"))
        return
    with stub_server() as port:
        yield profile(port)


@pytest.fixture(params=LANGUAGES)
def client(request: pytest.FixtureRequest, server: dict[str, Any], tmp_path: Path) -> Iterator[RealClient]:
    """A client of an empty dataset."""
    file = tmp_path / "application.jsap"
    file.write_text(json.dumps(server | APPLICATION), "utf-8")
    with real_client(request.param, file) as made:
        made.update("CLEAR ALL")
        yield made


def values(bindings: list[dict[str, Any]]) -> list[dict[str, str]]:
    return sorted(({name: term["value"] for name, term in row.items()} for row in bindings), key=str)


def test_query_and_update(client: RealClient) -> None:
    client.update("INSERT DATA { <urn:a> <urn:p> 'é', 2 }")
    assert values(client.query("SELECT ?o { <urn:a> <urn:p> ?o }")) == [{"o": "2"}, {"o": "é"}]
    client.update("DELETE WHERE { ?s <urn:p> 2 }")
    assert values(client.query("SELECT ?o { <urn:a> <urn:p> ?o }")) == [{"o": "é"}]


def test_relative_iris_as_in_the_clients_own_tests(client: RealClient) -> None:
    client.update("INSERT DATA { <integration> <tests> <ok> }")
    assert len(client.query("SELECT ?s { ?s <tests> <ok> }")) == 1


def test_the_first_notification_is_the_answer_as_it_stands(client: RealClient) -> None:
    assert client.subscribe("empty", "SELECT ?o { <urn:a> <urn:p> ?o }")["added"] == []
    client.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    told = client.subscribe("full", "SELECT ?o { <urn:a> <urn:p> ?o }")
    assert (values(told["added"]), told["removed"]) == ([{"o": "1"}], [])
    assert told.get("sequence", 0) == 0


def test_added_and_removed(client: RealClient) -> None:
    client.subscribe("both", "SELECT ?o { <urn:a> <urn:p> ?o }")
    client.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    told = client.told("both")
    assert (values(told["added"]), told["removed"]) == ([{"o": "1"}], [])
    client.update("DELETE { <urn:a> <urn:p> ?o } INSERT { <urn:a> <urn:p> 2 } WHERE { <urn:a> <urn:p> ?o }")
    told = client.told("both")
    assert (values(told["added"]), values(told["removed"])) == ([{"o": "2"}], [{"o": "1"}])
    assert told.get("sequence", 2) == 2


def test_many_subscriptions_each_hear_of_their_own(client: RealClient) -> None:
    for name in ("one", "two", "three"):
        client.subscribe(name, f"SELECT ?o {{ <urn:{name}> <urn:p> ?o }}")
    for name in ("three", "one", "two"):
        client.update(f"INSERT DATA {{ <urn:{name}> <urn:p> '{name}' }}")
        assert values(client.told(name)["added"]) == [{"o": name}]
    assert client.unheard == []


def test_after_unsubscribing_nothing_more_is_heard(client: RealClient) -> None:
    client.subscribe("ended", "SELECT ?s { ?s <urn:p> ?o }")
    client.subscribe("barrier", "SELECT ?s { ?s <urn:p> ?o }")
    assert client.does("unsubscribe", name="ended")["event"] == "done"
    assert client.told("ended", "unsubscribed")
    client.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    assert client.told("barrier")["added"]
    assert client.unheard == []


def test_errors_of_queries_and_updates(client: RealClient) -> None:
    for what, sparql in (
        ("query", "SELECT ?s {"),
        ("update", "INSERT DATA { ?s <urn:p> 1 }"),
        ("update", "LOAD <urn:x>"),
    ):
        answer = client.does(what, sparql=sparql)
        assert answer["event"] == "failed"
        assert answer["status"] in (400, None)
    assert client.query("SELECT * { ?s ?p ?o }") == []


def test_an_error_of_a_subscription_reaches_whoever_subscribed(client: RealClient) -> None:
    """The Python client cannot be told: it waits ten seconds, and then says so."""
    client.subscribe("barrier", "SELECT ?s { ?s <urn:p> ?o }")
    first = client.does("subscribe", name="wrong", sparql="SELECT ?s {")
    problem = first if first["event"] == "error" else client.told("wrong", "error")
    assert problem["status"] == 400 or problem["text"] == "timeout"
    client.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    assert client.told("barrier")["added"], "the others of the socket go on"


def test_a_jsap_file(client: RealClient) -> None:
    ann = {"person": "http://example.org/ann"}
    client.does("jsap subscribe", name="ann", id="SAID", bindings=ann)
    assert client.told("ann")["added"] == []
    assert client.does("jsap update", id="ADD", bindings=ann | {"text": "hello"})["event"] == "done"
    assert values(client.told("ann")["added"]) == [{"text": "hello"}]
    answer = client.does("jsap query", id="SAID", bindings=ann)
    assert values(answer["result"]["results"]["bindings"]) == [{"text": "hello"}]


@pytest.mark.parametrize("case", CASES)
def test_what_sepa_answers_wrongly_or_rightly_is_right_here(client: RealClient, case: str) -> None:
    query, steps = CASES[case]
    client.subscribe(case, query)
    for sparql, added, removed in steps:
        client.update(sparql)
        told = client.told(case)
        assert (values(told["added"]), values(told["removed"])) == (added, removed)
