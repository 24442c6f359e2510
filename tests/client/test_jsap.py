"""JSAP files: what they say, what they may not, and requests from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.client.jsap import MOST_BYTES, Jsap
from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.sparql import parse_update

FILE: dict[str, Any] = {
    "host": "sepa.example.org",
    "oauth": {"enable": False, "register": "https://sepa.example.org:8443/oauth/register"},
    "sparql11protocol": {
        "protocol": "http",
        "port": 8000,
        "query": {"path": "/query", "method": "POST", "format": "JSON"},
        "update": {"path": "/update", "method": "POST", "format": "JSON"},
    },
    "sparql11seprotocol": {
        "protocol": "ws",
        "reconnect": True,
        "availableProtocols": {"ws": {"port": 9000, "path": "/subscribe"}, "wss": {"port": 9443, "path": "/secure"}},
    },
    "graphs": {"default-graph-uri": ["urn:g"], "named-graph-uri": "urn:h", "using-graph-uri": ["urn:g", "urn:i"]},
    "namespaces": {"ex": "http://example.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"},
    "extended": {"anything": 1},
    "updates": {
        "SAY": {
            "sparql": "INSERT DATA { ?person ex:says ?text ; ex:at ?time . ?node ex:of ?person }",
            "forcedBindings": {
                "person": {"type": "uri"},
                "text": {"type": "literal", "language": "en"},
                "time": {"type": "literal", "value": "2004-06-01", "datatype": "xsd:date"},
                "node": {"type": "bnode", "value": "n1"},
            },
        },
        "COUNT": {
            "sparql": "DELETE { ?s ex:n ?old } INSERT { ?s ex:n ?new } WHERE { ?s ex:n ?old }",
            "forcedBindings": {"new": {"type": "literal", "value": 7, "datatype": "xsd:integer"}},
        },
        "RELATIVE": {"sparql": "INSERT DATA { <integration> <tests> <ok> }"},
    },
    "queries": {
        "SAID": {
            "sparql": "SELECT ?person ?text { ?person ex:says ?text }",
            "forcedBindings": {"person": {"type": "uri"}},
        },
        "ELSEWHERE": {
            "sparql": "SELECT * { ?s ?p ?o }",
            "host": "other.example.org",
            "sparql11protocol": {"protocol": "https", "port": 8443, "query": {"path": "/secure/query"}},
            "sparql11seprotocol": {"protocol": "wss"},
            "graphs": {"default-graph-uri": []},
        },
        "WRONG": {"sparql": "SELECT * {\n ?s ?p }"},
    },
}


def jsap(**changes: Any) -> Jsap:
    return Jsap.parse(json.dumps(FILE | changes), "chat.jsap")


class TestRequests:
    def test_a_query_with_prefixes_and_terms(self) -> None:
        query = jsap().query("SAID", {"person": "http://example.org/ann"})
        assert query.text == (
            "SELECT (<http://example.org/ann> AS ?person) ?text "
            "WHERE { <http://example.org/ann> <http://example.org/says> ?text . }"
        )
        assert query.url == "http://sepa.example.org:8000/query"
        assert query.socket_url == "ws://sepa.example.org:9000/subscribe"
        assert (query.default_graphs, query.named_graphs) == (("urn:g",), ("urn:h",))

    def test_a_name_with_a_prefix_of_the_file(self) -> None:
        assert "<http://example.org/ann>" in jsap().query("SAID", {"person": "ex:ann"}).text
        assert "<mailto:ann>" in jsap().query("SAID", {"person": "mailto:ann"}).text

    def test_a_query_without_a_value_keeps_the_variable(self) -> None:
        assert jsap().query("SAID").text.startswith("SELECT ?person ?text WHERE { ?person")

    def test_an_update_with_every_kind_of_value(self) -> None:
        update = jsap().update("SAY", {"person": "ex:ann", "text": 'Robert"); DROP ALL #'})
        assert update.text == (
            "INSERT DATA { "
            '<http://example.org/ann> <http://example.org/says> "Robert\\"); DROP ALL #"@en . '
            '<http://example.org/ann> <http://example.org/at> "2004-06-01"^^<http://www.w3.org/2001/XMLSchema#date> . '
            "_:n1 <http://example.org/of> <http://example.org/ann> . }"
        )
        assert (update.url, update.using_graphs) == ("http://sepa.example.org:8000/update", ("urn:g", "urn:i"))

    def test_a_number_of_json_is_a_value(self) -> None:
        assert '"7"^^<http://www.w3.org/2001/XMLSchema#integer>' in jsap().update("COUNT").text

    def test_members_of_an_entry_win_one_by_one(self) -> None:
        query = jsap().query("ELSEWHERE")
        assert query.url == "https://other.example.org:8443/secure/query"
        assert query.socket_url == "wss://other.example.org:9443/secure"
        assert (query.default_graphs, query.named_graphs) == ((), ("urn:h",))

    def test_relative_iris_count_from_where_they_are_sent(self) -> None:
        assert "<http://sepa.example.org:8000/integration>" in jsap().update("RELATIVE").text

    def test_what_a_file_leaves_out_is_as_sepa_has_it(self) -> None:
        small = Jsap.parse('{"host": "h", "queries": {"Q": {"sparql": "ASK {}"}}, "updates": null}')
        assert (small.query("Q").url, small.query("Q").socket_url) == ("http://h/query", "ws://h/subscribe")
        assert (small.queries, small.updates) == (("Q",), ())

    @given(st.text(st.characters(exclude_categories=["Cs"])))
    def test_no_value_is_taken_for_syntax(self, value: str) -> None:
        (operation,) = parse_update(jsap().update("SAY", {"person": "ex:ann", "text": value}).text)
        assert len(operation.quads) == 3  # type: ignore[union-attr]
        assert operation.quads[0].object.value == value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("kind", "name", "bindings", "message"),
    [
        ("query", "SAY", {}, "chat.jsap: wanted the name of a query (SAID, ELSEWHERE, WRONG), found 'SAY'"),
        ("update", "SAID", {}, "wanted the name of an update (SAY, COUNT, RELATIVE)"),
        ("query", "SAID", {"who": "x"}, "chat.jsap: SAID: wanted a forced binding (?person), found ?who"),
        ("query", "ELSEWHERE", {"s": "x"}, "wanted a forced binding (none), found ?s"),
        ("update", "SAY", {"person": "ex:a"}, "chat.jsap: SAY: wanted a value for ?text, found none, and no default"),
        ("query", "SAID", {"person": "ann"}, "chat.jsap: SAID: ?person: wanted an absolute IRI, found 'ann'"),
        ("query", "SAID", {"person": "ex:a> }"}, "wanted an absolute IRI"),
        ("update", "SAY", {"person": "ex:a", "text": "x", "node": "a b"}, "wanted a label of a blank node"),
        ("query", "WRONG", {}, "chat.jsap: WRONG:2:8: wanted"),
    ],
)
def test_a_wrong_call_says_what_was_wanted(kind: str, name: str, bindings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as refused:
        getattr(jsap(), kind)(name, bindings)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"host": 7}, "chat.jsap: SAID: wanted a JSAP file, found another: Expected `str`"),
        ({"host": None}, "missing required field `host`"),
        ({"host": "a/b"}, "wanted a host, a port and a path that begins with /"),
        ({"host": "user@evil"}, "wanted a host, a port and a path that begins with /"),
        ({"sparql11protocol": {"protocol": "ftp"}}, "Invalid enum value 'ftp'"),
        ({"sparql11protocol": {"query": {"path": "query"}}}, "a path that begins with /"),
        ({"namespaces": {"ex": "no IRI"}}, "chat.jsap: namespaces: ex: wanted an absolute IRI"),
        ({"namespaces": {"e x": "urn:x"}}, "namespaces: wanted a prefix, found 'e x'"),
        ({"namespaces": []}, "Expected `object`, got `array` - at `$.namespaces`"),
        ({"queries": {"SAID": {}}}, "missing required field `sparql`"),
        ({"queries": {"SAID": {"sparql": "ASK {}", "forcedBindings": {"x": {"type": "iri"}}}}}, "Invalid enum value"),
        ({"queries": {"SAID": {"sparql": "ASK {}", "forcedBindings": {"x y": {"type": "uri"}}}}}, "name of a variable"),
    ],
)
def test_a_wrong_file_says_where(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        jsap(**changes).query("SAID")
    assert message in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"host: localhost", b"[]", b"\xff", b'{"a":' * 50_000])
def test_what_is_no_json_object_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="wanted a JSAP file in JSON"):
        Jsap.parse(content, "chat.jsap")


def test_a7_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.jsap"
    file.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(LimitExceeded, match=r"large\.jsap"):
        Jsap.load(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the file"):
        Jsap.load(tmp_path / "none.jsap")
