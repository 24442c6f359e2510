"""SEPA's own clients, unchanged, of JavaScript and Python, and a real node. Run by `make test-sepa`.

TRIPLEWIRE_SEPA_JSAP may name a JSAP file of another server; what is about the node itself goes to a node all the same.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.node.processes import Process, free_port, running
from tests.sepa.cases import CASES
from tests.sepa.clients import LANGUAGES, RealClient, real_client
from tests.sepa.profiles import APPLICATION, TLS_PORT, profile, tls_profile
from tests.sepa.tls import own_address, tls_proxy


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    given = os.environ.get("TRIPLEWIRE_SEPA_JSAP")
    if given:
        yield json.loads(Path(given).read_text("utf-8"))
        return
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as node:
        yield profile(node.port)


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


def test_many_subscriptions_of_one_client(client: RealClient) -> None:
    names = [f"n{number}" for number in range(40)]
    for name in names:
        client.subscribe(name, f"SELECT ?o {{ <urn:{name}> <urn:p> ?o }}")
    everything = " ".join(f"<urn:{name}> <urn:p> '{name}' ." for name in names)
    client.update(f"INSERT DATA {{ {everything} }}")
    for name in names:
        assert values(client.told(name)["added"]) == [{"o": name}]
    assert client.unheard == []


# A node that asks for secrets

IDENTITY = "the invitation of the application"
SAID = "SELECT ?o { <urn:a> <urn:p> ?o }"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("secured")
    (folder / "invitations").write_text(f"{IDENTITY}\n")
    flags = ("--sepa-invitations", str(folder / "invitations"))
    with running(folder / "data", *flags, port=free_port()) as node:
        [node.secret] = re.findall(r"secret, shown this once: (\S+)", node.words())
        yield node


@pytest.fixture(scope="module")
def behind_tls(secured: Process, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Path]]:
    host = own_address()
    with tls_proxy(host, TLS_PORT, secured.port, tmp_path_factory.mktemp("tls")) as certificate:
        yield tls_profile(host), certificate


def asks_changes_and_is_told(client: RealClient) -> None:
    client.update("CLEAR ALL")
    assert client.subscribe("said", SAID)["added"] == []
    client.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    assert values(client.query(SAID)) == [{"o": "1"}]
    assert values(client.told("said")["added"]) == [{"o": "1"}]
    client.update("DELETE WHERE { <urn:a> <urn:p> ?o }")
    assert values(client.told("said")["removed"]) == [{"o": "1"}]
    assert client.does("unsubscribe", name="said")["event"] == "done"
    assert client.told("said", "unsubscribed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_client_registers_with_its_identity_and_works_with_a_token(
    behind_tls: tuple[dict[str, Any], Path], tmp_path: Path, language: str
) -> None:
    profile, certificate = behind_tls
    file = tmp_path / "application.jsap"
    file.write_text(json.dumps(profile | APPLICATION), "utf-8")
    # Each of them twice: who registers again does not throw out the one before.
    with real_client(language, file, "identity", IDENTITY, authority=certificate) as first:
        asks_changes_and_is_told(first)
        with real_client(language, file, "identity", IDENTITY, authority=certificate) as second:
            asks_changes_and_is_told(second)
            asks_changes_and_is_told(first)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stranger_is_not_registered(behind_tls: tuple[dict[str, Any], Path], tmp_path: Path, language: str) -> None:
    profile, certificate = behind_tls
    file = tmp_path / "application.jsap"
    file.write_text(json.dumps(profile | APPLICATION), "utf-8")
    with real_client(language, file, "identity", "somebody or other", authority=certificate) as client:
        for what in ("update", "subscribe"):
            answer = client.does(what, name="x", sparql="CLEAR ALL" if what == "update" else SAID)
            assert answer["event"] == "failed"
            assert answer["status"] in (403, None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_credentials_nobody_asks_or_subscribes(secured: Process, tmp_path: Path, language: str) -> None:
    file = tmp_path / "application.jsap"
    file.write_text(json.dumps(profile(secured.port) | APPLICATION), "utf-8")
    with real_client(language, file) as client:
        for what, sparql in (("query", SAID), ("update", "CLEAR ALL")):
            answer = client.does(what, sparql=sparql)
            assert (answer["event"], answer["status"] in (401, None)) == ("failed", True)
        first = client.does("subscribe", name="x", sparql=SAID)
        problem = first if first["event"] == "error" else client.told("x", "error")
        assert problem["status"] == 401 or problem["text"] == "timeout"


def test_a_client_of_the_administrators_works_with_a_token_and_gets_another_when_that_has_ended(
    secured: Process, tmp_path: Path
) -> None:
    """Only JavaScript's client takes credentials that it did not get itself."""
    made = httpx.post(
        f"{secured.url}/clients",
        json={"name": "application"},
        headers={"Authorization": f"Bearer {secured.secret}"},
        trust_env=False,
    ).json()
    file = tmp_path / "application.jsap"
    file.write_text(json.dumps(profile(secured.port) | APPLICATION), "utf-8")
    with real_client("javascript", file, "client", made["id"], "tws_wrong") as stranger:
        assert stranger.does("query", sparql=SAID)["status"] == 401
    with real_client("javascript", file, "client", made["id"], made["secret"]) as client:
        asks_changes_and_is_told(client)
        # Tokens end with the process, as they do with time.
        secured.stop(signal.SIGKILL)
        secured.start()
        assert client.query(SAID) == []
        asks_changes_and_is_told(client)


def test_a_client_that_connects_again_gets_the_whole_answer(tmp_path: Path) -> None:
    """JavaScript's does so by itself, and subscribes once more, with the alias that it had."""
    with running(tmp_path / "data", "--open", port=free_port()) as node:
        file = tmp_path / "application.jsap"
        file.write_text(json.dumps(profile(node.port) | APPLICATION), "utf-8")
        with real_client("javascript", file) as client:
            client.update("INSERT DATA { <urn:a> <urn:p> 1 }")
            client.subscribe("said", SAID)
            node.stop(signal.SIGKILL)
            node.start()
            told = client.told("said")
            assert (told["sequence"], values(told["added"])) == (0, [{"o": "1"}])
            client.update("INSERT DATA { <urn:a> <urn:p> 2 }")
            told = client.told("said")
            assert (told["sequence"], values(told["added"])) == (1, [{"o": "2"}])
