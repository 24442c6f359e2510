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
from tests.sepa.clients import LANGUAGES, RealClient, real_client
from tests.sepa.stub import stub_server

G = "GRAPH <urn:sepa:g>"


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


# What SEPA answers wrongly: each update, with what SPARQL says was added and removed by it.

Step = tuple[str, list[dict[str, str]], list[dict[str, str]]]
T, E = "urn:thing", "urn:event"
CASES: dict[str, tuple[str, list[Step]]] = {
    "issue 32, OPTIONAL": (
        "SELECT ?thing ?event { ?thing a <urn:Thing> OPTIONAL { ?thing <urn:has> ?event } }",
        [
            (f"INSERT DATA {{ <{T}> a <urn:Thing> }}", [{"thing": T}], []),
            (f"INSERT DATA {{ <{T}> <urn:has> <{E}> }}", [{"event": E, "thing": T}], [{"thing": T}]),
            (f"DELETE DATA {{ <{T}> <urn:has> <{E}> }}", [{"thing": T}], [{"event": E, "thing": T}]),
        ],
    ),
    "issue 68, the default graph": (
        "SELECT ?o { ?s <urn:p> ?o }",
        [
            ("INSERT DATA { <urn:s> <urn:p> 1, 2 }", [{"o": "1"}, {"o": "2"}], []),
            ("DELETE DATA { <urn:s> <urn:p> 1 }", [], [{"o": "1"}]),
            ("DELETE WHERE { ?s <urn:p> ?o }", [], [{"o": "2"}]),
        ],
    ),
    "issue 94, ASK": (
        f"ASK {{ {G} {{ <urn:s> <urn:p> ?o }} }}",
        [
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} }}", [{}], []),
            (f"DELETE WHERE {{ {G} {{ <urn:s> <urn:p> ?o }} }}", [], [{}]),
        ],
    ),
    "a second value is the same solution once more": (
        f"SELECT ?s {{ {G} {{ ?s <urn:v> ?v }} }}",
        [
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 1 }} }}", [{"s": "urn:s"}], []),
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 2 }} }}", [{"s": "urn:s"}], []),
            (f"DELETE DATA {{ {G} {{ <urn:s> <urn:v> 2 }} }}", [], [{"s": "urn:s"}]),
        ],
    ),
    "GRAPH inside OPTIONAL": (
        f"SELECT ?s ?v {{ ?s a <urn:C> OPTIONAL {{ {G} {{ ?s <urn:v> ?v }} }} }}",
        [
            ("INSERT DATA { <urn:s> a <urn:C> }", [{"s": "urn:s"}], []),
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 1 }} }}", [{"s": "urn:s", "v": "1"}], [{"s": "urn:s"}]),
        ],
    ),
    "GRAPH inside UNION and a sub-select": (
        f"SELECT ?v {{ {{ ?s <urn:v> ?v }} UNION {{ SELECT ?v {{ {G} {{ ?s <urn:v> ?v }} }} }} }}",
        [(f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 1 }} }}", [{"v": "1"}], [])],
    ),
    "INSERT into a graph that WHERE finds": (
        f"SELECT ?o {{ {G} {{ <urn:s> <urn:q> ?o }} }}",
        [
            (
                f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} }} ; "
                "INSERT { GRAPH ?g { ?s <urn:q> ?o } } WHERE { GRAPH ?g { ?s <urn:p> ?o } }",
                [{"o": "1"}],
                [],
            )
        ],
    ),
    "MOVE": (
        f"SELECT ?o {{ {G} {{ ?s ?p ?o }} }}",
        [
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} }}", [{"o": "1"}], []),
            ("MOVE <urn:sepa:g> TO <urn:sepa:h>", [], [{"o": "1"}]),
        ],
    ),
    "a second blank node with the same value": (
        f"SELECT ?v {{ {G} {{ ?b <urn:v> ?v }} }}",
        [
            (f"INSERT DATA {{ {G} {{ [] <urn:v> 1 }} }}", [{"v": "1"}], []),
            (f"INSERT DATA {{ {G} {{ [] <urn:v> 1 }} }}", [{"v": "1"}], []),
        ],
    ),
    "insert and delete of the same in one request": (
        "SELECT ?o { <urn:s> <urn:p> ?o }",
        [
            (
                "INSERT DATA { <urn:s> <urn:p> 1 } ; DELETE DATA { <urn:s> <urn:p> 1 } ; "
                "INSERT DATA { <urn:s> <urn:p> 2 }",
                [{"o": "2"}],
                [],
            ),
        ],
    ),
    "COUNT": (
        "SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?o }",
        [("INSERT DATA { <urn:s> <urn:p> 1, 2 }", [{"n": "2"}], [{"n": "0"}])],
    ),
    "ORDER BY with LIMIT": (
        "SELECT ?o { ?s <urn:p> ?o } ORDER BY ?o LIMIT 2",
        [
            ("INSERT DATA { <urn:s> <urn:p> 2, 3 }", [{"o": "2"}, {"o": "3"}], []),
            ("INSERT DATA { <urn:s> <urn:p> 1 }", [{"o": "1"}], [{"o": "3"}]),
            ("DELETE DATA { <urn:s> <urn:p> 2 }", [{"o": "3"}], [{"o": "2"}]),
        ],
    ),
    "NOT EXISTS and a path": (
        "SELECT ?o { <urn:a> <urn:p>+ ?o FILTER NOT EXISTS { ?o a <urn:Hidden> } }",
        [
            ("INSERT DATA { <urn:a> <urn:p> <urn:b> . <urn:b> <urn:p> <urn:c> }", [{"o": "urn:b"}, {"o": "urn:c"}], []),
            ("INSERT DATA { <urn:c> a <urn:Hidden> }", [], [{"o": "urn:c"}]),
        ],
    ),
    "FROM and FROM NAMED": (
        "SELECT ?o ?g FROM <urn:sepa:g> FROM NAMED <urn:sepa:h> { ?s <urn:p> ?o GRAPH ?g { ?s <urn:p> ?o } }",
        [
            (
                f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} GRAPH <urn:sepa:h> {{ <urn:s> <urn:p> 1 }} }}",
                [{"g": "urn:sepa:h", "o": "1"}],
                [],
            ),
        ],
    ),
    "CLEAR ALL": (
        f"SELECT ?o {{ {{ ?s <urn:p> ?o }} UNION {{ {G} {{ ?s <urn:p> ?o }} }} }}",
        [
            (f"INSERT DATA {{ <urn:s> <urn:p> 1 . {G} {{ <urn:s> <urn:p> 2 }} }}", [{"o": "1"}, {"o": "2"}], []),
            ("CLEAR ALL", [], [{"o": "1"}, {"o": "2"}]),
        ],
    ),
    "CONSTRUCT": (
        "CONSTRUCT { ?o <urn:q> ?s } WHERE { ?s <urn:p> ?o }",
        [
            (
                "INSERT DATA { <urn:s> <urn:p> <urn:o> }",
                [{"object": "urn:s", "predicate": "urn:q", "subject": "urn:o"}],
                [],
            )
        ],
    ),
    "DESCRIBE": (
        "DESCRIBE <urn:s>",
        [
            (
                "INSERT DATA { <urn:s> <urn:p> <urn:o> }",
                [{"object": "urn:o", "predicate": "urn:p", "subject": "urn:s"}],
                [],
            )
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_sepa_answers_wrongly_or_rightly_is_right_here(client: RealClient, case: str) -> None:
    query, steps = CASES[case]
    client.subscribe(case, query)
    for sparql, added, removed in steps:
        client.update(sparql)
        told = client.told(case)
        assert (values(told["added"]), values(told["removed"])) == (added, removed)
