"""SPARQL 1.1 Protocol and Graph Store HTTP Protocol on a node: the W3C's protocol tests, by their names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.node.http.serving import QUERY, Api, api_of

UPDATE = {"Content-Type": "application/sparql-update"}
JSON, XML = "application/sparql-results+json", "application/sparql-results+xml"
NTRIPLES = "application/n-triples"
DONE = (200, 204)
DATA = "INSERT DATA { GRAPH <urn:g1> { <urn:a> a <urn:T1> } GRAPH <urn:g2> { <urn:b> a <urn:T2> } }"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ALL = "SELECT ?t { ?s a ?t }"
NAMED = "SELECT ?t { GRAPH ?g { ?s a ?t } }"


async def update(api: Api, text: str, **more: Any) -> httpx.Response:
    answer = await api.post("/update", content=text, headers=UPDATE, **more)
    assert answer.status_code == 200, answer.text
    return answer


async def types(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return sorted(row["t"]["value"] for row in answer.json()["results"]["bindings"])


@pytest.mark.parametrize(
    ("method", "path", "content", "headers"),
    [
        pytest.param("PUT", "/sparql?query=ASK%20%7B%7D", b"", {}, id="bad_query_method"),
        pytest.param("GET", "/sparql?query=ASK%20%7B%7D&query=SELECT%20*%20%7B%7D", b"", {}, id="bad_multiple_queries"),
        pytest.param("POST", "/sparql", b"query=ASK%7B%7D&query=ASK%7B%7D", FORM, id="bad_multiple_queries_form"),
        pytest.param("POST", "/sparql", b"ASK {}", {"Content-Type": "text/plain"}, id="bad_query_wrong_media_type"),
        pytest.param("POST", "/sparql", b"query=ASK%20%7B%7D", {}, id="bad_query_missing_form_type"),
        pytest.param("POST", "/sparql", b"ASK {}", {}, id="bad_query_missing_direct_type"),
        pytest.param("POST", "/sparql", "ASK { }".encode("utf-16"), QUERY, id="bad_query_non_utf8"),
        pytest.param("GET", "/sparql?query=ASK%20%7B%20%3Curn%3Aa%3E%20%3Curn%3Ap%3E%20%22%FF%22%7D", b"", {},
                     id="bad_query_non_utf8_get"),
        pytest.param("GET", "/sparql?query=ASK%20%7B", b"", {}, id="bad_query_syntax"),
        pytest.param("GET", "/update?update=CLEAR%20ALL", b"", {}, id="bad_update_get"),
        pytest.param("POST", "/update", b"update=CLEAR+ALL&update=CLEAR+NAMED", FORM, id="bad_multiple_updates"),
        pytest.param("POST", "/update", b"CLEAR ALL", {"Content-Type": "text/plain"}, id="bad_update_wrong_media_type"),
        pytest.param("POST", "/update", b"update=CLEAR%20ALL", {}, id="bad_update_missing_form_type"),
        pytest.param("POST", "/update", "CLEAR ALL".encode("utf-16"), UPDATE, id="bad_update_non_utf8"),
        pytest.param("POST", "/update", b"CLEAR XYZ", UPDATE, id="bad_update_syntax"),
        pytest.param("POST", "/update?using-graph-uri=urn:g1",
                     b"INSERT { ?s <urn:p> 1 } USING <urn:g2> WHERE { ?s ?p ?o }", UPDATE,
                     id="bad_update_dataset_conflict"),
    ],
)  # fmt: skip
async def test_what_the_protocol_forbids(tmp_path: Path, method: str, path: str, content: bytes, headers: dict):
    async with api_of(tmp_path) as api:
        await update(api, DATA)
        answer = await api.request(method, path, content=content, headers=headers)
        assert 400 <= answer.status_code < 500
        assert answer.headers["content-type"] == "application/problem+json"
        assert len(await types(await api.get("/sparql", params={"query": NAMED}))) == 2, "nothing has changed"


@pytest.mark.parametrize(
    ("query", "graphs", "expected"),
    [
        pytest.param(ALL, {"default-graph-uri": "urn:g1"}, ["urn:T1"], id="query_dataset_default_graph"),
        pytest.param(ALL, {"default-graph-uri": ["urn:g1", "urn:g2"]}, ["urn:T1", "urn:T2"],
                     id="query_dataset_default_graphs"),
        pytest.param(NAMED, {"named-graph-uri": ["urn:g1", "urn:g2"]}, ["urn:T1", "urn:T2"],
                     id="query_dataset_named_graphs"),
        pytest.param("SELECT ?t { { ?s a ?t } UNION { GRAPH ?g { ?s a ?t } } }",
                     {"default-graph-uri": "urn:g1", "named-graph-uri": "urn:g2"}, ["urn:T1", "urn:T2"],
                     id="query_dataset_full"),
        pytest.param("SELECT ?t FROM <urn:g1> { ?s a ?t }", {"default-graph-uri": "urn:g2"}, ["urn:T2"],
                     id="query_multiple_dataset"),
        pytest.param(ALL, {}, [], id="query_no_dataset"),
    ],
)  # fmt: skip
async def test_the_dataset_of_a_query(tmp_path: Path, query: str, graphs: dict[str, Any], expected: list[str]):
    async with api_of(tmp_path) as api:
        await update(api, DATA)
        assert await types(await api.get("/sparql", params={"query": query, **graphs})) == expected
        assert await types(await api.post("/sparql", data={"query": query, **graphs})) == expected
        assert await types(await api.post("/sparql", content=query, headers=QUERY, params=graphs)) == expected


@pytest.mark.parametrize(
    ("request_", "graphs", "expected"),
    [
        ("INSERT { <urn:x> a ?t } WHERE { ?s a ?t }", {"using-graph-uri": "urn:g1"}, ["urn:T1"]),
        ("INSERT { <urn:x> a ?t } WHERE { ?s a ?t }", {"using-graph-uri": ["urn:g1", "urn:g2"]}, ["urn:T1", "urn:T2"]),
        ("INSERT { <urn:x> a ?t } WHERE { GRAPH ?g { ?s a ?t } }", {"using-named-graph-uri": "urn:g2"}, ["urn:T2"]),
        ("INSERT { <urn:x> a ?t } WHERE { { ?s a ?t } UNION { GRAPH ?g { ?s a ?t } } }",
         {"using-graph-uri": "urn:g1", "using-named-graph-uri": "urn:g2"}, ["urn:T1", "urn:T2"]),
    ],
    ids=["default_graph", "default_graphs", "named_graphs", "full"],
)  # fmt: skip
async def test_the_dataset_of_an_update(tmp_path: Path, request_: str, graphs: dict[str, Any], expected: list[str]):
    async with api_of(tmp_path) as api:
        await update(api, DATA)
        await update(api, request_, params=graphs)
        assert await types(await api.get("/sparql", params={"query": ALL})) == expected
        await update(api, "CLEAR DEFAULT")
        assert (await api.post("/update", data={"update": request_, **graphs})).status_code == 200
        assert await types(await api.get("/sparql", params={"query": ALL})) == expected


async def test_update_base_uri_and_that_of_a_query(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:s> <urn:p> <test> }")
        found = (await api.get("/sparql", params={"query": "SELECT ?o { <urn:s> <urn:p> ?o }"})).json()
        assert found["results"]["bindings"] == [{"o": {"type": "uri", "value": "http://localhost/test"}}]
        assert (await api.get("/sparql", params={"query": "ASK { <urn:s> <urn:p> <test> }"})).json()["boolean"]
        based = {"query": "ASK { <urn:s> <urn:p> <test> }", "base": "http://localhost/other/"}
        assert not (await api.get("/sparql", params=based)).json()["boolean"]
        await update(api, "INSERT DATA { <urn:s> <urn:p> <test> }", params={"base": "http://localhost/other/"})
        assert (await api.get("/sparql", params=based)).json()["boolean"]


@pytest.mark.parametrize(
    ("query", "accept", "given"),
    [
        ("SELECT (1 AS ?n) {}", None, JSON),
        ("SELECT (1 AS ?n) {}", "application/json", JSON),
        ("SELECT (1 AS ?n) {}", XML, XML),
        ("SELECT (1 AS ?n) {}", "application/xml", XML),
        ("SELECT (1 AS ?n) {}", "text/csv", "text/csv; charset=utf-8"),
        ("SELECT (1 AS ?n) {}", "text/tab-separated-values", "text/tab-separated-values; charset=utf-8"),
        ("SELECT (1 AS ?n) {}", f"{XML};q=0.5, {JSON};q=0.9", JSON),
        ("SELECT (1 AS ?n) {}", "text/turtle", None),
        ("ASK {}", XML, XML),
        ("ASK {}", "image/png", None),
        ("CONSTRUCT WHERE { ?s ?p ?o }", None, "application/n-triples"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "text/turtle", "text/turtle; charset=utf-8"),
        ("DESCRIBE <urn:a>", "application/rdf+xml", "application/rdf+xml"),
        ("DESCRIBE <urn:a>", "text/*", "text/turtle; charset=utf-8"),
        ("DESCRIBE <urn:a>", "text/csv", None),
    ],
)
async def test_the_content_type_of_an_answer(tmp_path: Path, query: str, accept: str | None, given: str | None):
    async with api_of(tmp_path) as api:
        headers = QUERY | ({} if accept is None else {"Accept": accept})
        answer = await api.post("/sparql", content=query, headers=headers)
        assert answer.status_code == (406 if given is None else 200)
        assert answer.headers["content-type"] == (given or "application/problem+json")


async def test_columns_are_as_in_the_query(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        csv = {"Accept": "text/csv"}
        for text, first in (
            ("SELECT * { ?s ?p ?o }", "s,p,o"),
            ("SELECT * { ?s ?p ?o BIND(1 AS ?a) }", "s,p,o,a"),
            ("SELECT DISTINCT * { ?z <urn:p> [] OPTIONAL { ?b <urn:q> ?c } } VALUES ?a { 1 }", "z,b,c,a"),
            ("SELECT * { <urn:a> <urn:p> 1 }", ""),
        ):
            answer = await api.post("/sparql", content=text, headers=QUERY | csv)
            assert answer.text.splitlines()[0] == first
            assert len(answer.text.splitlines()) == 2


Graph = Callable[..., Awaitable[httpx.Response]]


async def test_the_graph_store_protocol(tmp_path: Path):
    """Its test cases in their order; a graph is named by `?graph=`, an indirect name."""
    async with api_of(tmp_path) as api:

        async def graph(method: str, content: str = "", name: str = "urn:g", **headers: str) -> httpx.Response:
            kind = {"Content-Type": headers.get("kind", "text/turtle")} if content or method in ("PUT", "POST") else {}
            accept = {"Accept": headers["accept"]} if "accept" in headers else {}
            where = {} if name == "default" else {"graph": name}
            path = "/graph?default" if name == "default" else "/graph"
            return await api.request(method, path, params=where or None, content=content, headers=kind | accept)

        await changes_of_graphs(graph)
        await readings_of_a_graph(graph)


async def changes_of_graphs(graph: Graph) -> None:
    john, jane = "<urn:a> <urn:name> 'John' .", "<urn:a> <urn:name> 'Jane' ."
    assert (await graph("PUT", john)).status_code == 201, "put__initial_state"
    assert (await graph("GET", accept=NTRIPLES)).text == '<urn:a> <urn:name> "John" .\n', "get_of_put__initial_state"
    assert (await graph("PUT", jane)).status_code in DONE, "put__graph_already_in_store"
    assert "Jane" in (await graph("GET")).text
    assert (await graph("PUT", john, "default")).status_code in DONE, "put__default_graph"
    assert "John" in (await graph("GET", name="default")).text
    assert (await graph("PUT", "<urn:a", kind="application/rdf+xml")).status_code == 400, "put__mismatched_payload"
    assert "Jane" in (await graph("GET")).text
    assert (await graph("PUT")).status_code in DONE, "put__empty_graph"
    assert (await graph("GET")).status_code == 404, "what holds nothing is not there"
    await graph("PUT", john)
    assert (await graph("DELETE")).status_code in DONE, "delete__existing_graph"
    assert (await graph("GET")).status_code == 404, "get_of_delete__existing_graph"
    assert (await graph("DELETE")).status_code == 404, "delete__nonexistent_graph"
    assert (await graph("POST", john)).status_code == 201, "post__create__new_graph"
    assert (await graph("POST", jane)).status_code in DONE, "post__existing_graph"
    assert (await graph("POST")).status_code in DONE, "post__empty_graph"
    assert len((await graph("GET", accept=NTRIPLES)).text.splitlines()) == 2, "get_of_post"


async def readings_of_a_graph(graph: Graph) -> None:
    head = await graph("HEAD")
    assert (head.status_code, head.headers["content-type"][:11]) == (200, "text/turtle"), "head_on_an_existing_graph"
    assert (await graph("HEAD", name="urn:none")).status_code == 404, "head_on_a_nonexisting_graph"
    for accept in ("text/turtle", NTRIPLES, "application/ld+json", "application/rdf+xml"):
        shown = await graph("GET", accept=accept)
        assert shown.headers["content-type"].startswith(accept), "content negotiation"
    assert (await graph("GET", accept="image/png")).status_code == 406
    assert (await graph("PUT", "<urn:a> <urn:p> 1 .", kind="image/png")).status_code == 415
    assert (await graph("PUT", "<urn:a> <urn:p> 1 .", kind="")).status_code == 415
    assert (await graph("PUT", "<urn:a> <urn:p> 1 .", name="relative")).status_code == 400
