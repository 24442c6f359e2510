"""SEPA's queries and updates over HTTP: content, graphs, what an update answers, and errors in SEPA's form."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.node.http.serving import Api, api_of
from tests.node.sepa.serving import QUERY, UPDATE, served

APP, OTHER = "https://app.example", "https://other.example"
FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}
# What SEPA's clients for JavaScript and Python send.
JAVASCRIPT, PYTHON = "application/json, text/plain, */*", "application/sparql-results+json"
NOBODY = {"Authorization": ""}


def is_refusal(answer: httpx.Response, status: int, error: str) -> bool:
    """Whether an answer is an error in SEPA's form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert set(body) == {"error", "status_code", "error_description"}
    assert body["status_code"] == status
    assert body["error_description"]
    return bool(body["error"] == error)


async def update(api: Api, text: str, **headers: str) -> Any:
    answer = await api.post("/sepa/update", content=text.encode(), headers=UPDATE | headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def rows(api: Api, text: str, **headers: str) -> Any:
    answer = await api.post("/sepa/query", content=text.encode(), headers=QUERY | headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]["bindings"]


@pytest.mark.parametrize("accept", [JAVASCRIPT, PYTHON, "application/json", "*/*", ""])
async def test_what_sepas_clients_accept_gets_sparql_json(tmp_path: Path, accept: str):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 'é' }", Accept=accept)
        for sparql, member in (("SELECT ?o { ?s ?p ?o }", "results"), ("ASK { ?s ?p ?o }", "boolean")):
            answer = await api.post("/sepa/query", content=sparql, headers=QUERY | {"Accept": accept})
            assert answer.headers["content-type"] == PYTHON
            assert answer.json()[member] in (True, {"bindings": [{"o": {"type": "literal", "value": "é"}}]})


async def test_other_syntaxes_are_given_if_they_are_asked_for(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        answer = await api.post("/sepa/query", content="SELECT ?s { ?s ?p ?o }", headers=QUERY | {"Accept": "text/csv"})
        assert answer.text.split() == ["s", "urn:a"]
        answer = await api.post(
            "/sepa/query", content="DESCRIBE <urn:a>", headers=QUERY | {"Accept": "application/n-triples"}
        )
        assert answer.text.startswith("<urn:a> <urn:p>")


@pytest.mark.parametrize("accept", [JAVASCRIPT, PYTHON])
@pytest.mark.parametrize("sparql", ["CONSTRUCT { ?s <urn:p> ?o } WHERE { ?s <urn:p> ?o }", "DESCRIBE <urn:a>"])
async def test_triples_are_solutions_where_json_is_wanted(tmp_path: Path, accept: str, sparql: str):
    async with api_of(tmp_path) as api:
        empty = await api.post("/sepa/query", content=sparql, headers=QUERY | {"Accept": accept})
        assert empty.json() == {"head": {"vars": ["subject", "predicate", "object"]}, "results": {"bindings": []}}
        await update(api, "INSERT DATA { <urn:a> <urn:p> 'x'@en }")
        [row] = await rows(api, sparql, Accept=accept)
        assert row == {
            "subject": {"type": "uri", "value": "urn:a"},
            "predicate": {"type": "uri", "value": "urn:p"},
            "object": {"type": "literal", "value": "x", "xml:lang": "en"},
        }


async def test_queries_and_updates_come_in_every_way(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for path in ("/sepa", "/secure"):
            text = f"INSERT DATA {{ <urn:{path[1:]}> <urn:p> 1 }}"
            assert (await api.post(f"{path}/update", data={"update": text}, headers=FORM)).status_code == 200
        with_charset = {"Content-Type": "application/sparql-update; charset=UTF-8", "Content-Encoding": "gzip"}
        body = gzip.compress(b"INSERT DATA { <urn:c> <urn:p> 1 }")
        assert (await api.post("/sepa/update", content=body, headers=with_charset)).status_code == 200
        sparql = "SELECT ?s { ?s <urn:p> 1 } ORDER BY ?s"
        found = []
        for path in ("/sepa/query", "/secure/query"):
            found += [
                await api.get(path, params={"query": sparql}),
                await api.post(path, data={"query": sparql}, headers=FORM),
                await api.post(
                    path, content=sparql, headers={"Content-Type": "application/sparql-query;charset=utf-8"}
                ),
            ]
        assert len({answer.text for answer in found}) == 1
        assert [row["s"]["value"] for row in found[0].json()["results"]["bindings"]] == [
            "urn:c", "urn:secure", "urn:sepa"
        ]  # fmt: skip


async def test_graphs_that_a_request_names_are_its_dataset(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 . GRAPH <urn:g> { <urn:a> <urn:p> 2 } }")
        for parameters, expected in (({}, "1"), ({"default-graph-uri": "urn:g"}, "2")):
            answer = await api.post("/sepa/query", content="SELECT ?o { ?s ?p ?o }", headers=QUERY, params=parameters)
            assert [row["o"]["value"] for row in answer.json()["results"]["bindings"]] == [expected]
        copied = await api.post(
            "/sepa/update",
            content="INSERT { <urn:b> ?p ?o } WHERE { ?s ?p ?o }",
            headers=UPDATE,
            params={"using-graph-uri": "urn:g"},
        )
        assert [quad["object"]["value"] for quad in copied.json()["quads"]["added"]] == ["2"]


async def test_an_update_answers_with_the_quads_that_came_and_went(tmp_path: Path):
    async with api_of(tmp_path) as api:
        done = await update(api, "INSERT DATA { <urn:a> <urn:p> 'x' . GRAPH <urn:g> { <urn:a> <urn:p> 2 } }")
        assert done["response"] == {"body": "", "isJson": False}
        a, p = ({"type": "uri", "value": name} for name in ("urn:a", "urn:p"))
        two = {"type": "literal", "value": "2", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}
        graph = {"type": "uri", "value": "urn:g"}
        in_default = {"subject": a, "predicate": p, "object": {"type": "literal", "value": "x"}}
        in_graph = {"graph": graph, "subject": a, "predicate": p, "object": two}
        assert done["quads"] == {"added": [in_default, in_graph], "removed": []}
        again = await update(api, "INSERT DATA { <urn:a> <urn:p> 'x' }")
        assert again["quads"] == {"added": [], "removed": []}
        gone = await update(api, "CLEAR ALL")
        assert gone["quads"] == {"added": [], "removed": [in_default, in_graph]}


async def test_relative_iris_count_from_the_host_that_was_asked(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <integration> <tests> </ok> }")
        [row] = await rows(api, "SELECT * { ?s ?p ?o FILTER(?s = <integration>) }")
        spelled = {name: term["value"].removeprefix("http://localhost") for name, term in row.items()}
        assert spelled == {"s": "/sepa/integration", "p": "/sepa/tests", "o": "/ok"}
        # Who says nonsense there has no base.
        answer = await api.post("/sepa/query", content="ASK { <a> ?p ?o }", headers=QUERY | {"Host": "localhost:<"})
        assert answer.status_code in (400, 403)


# Errors


async def test_errors_are_in_sepas_form_whoever_raises_them(tmp_path: Path):
    async with api_of(tmp_path / "open", event_bytes=1_000, allow_origin=APP) as api:
        post = api.post
        assert is_refusal(await post("/sepa/query", content="SELECT ?s {", headers=QUERY), 400, "syntax-problem")
        assert is_refusal(await post("/sepa/update", content="INSERT DATA { ?s <urn:p> 1 }", headers=UPDATE), 400,
                          "syntax-problem")  # fmt: skip
        assert is_refusal(await post("/sepa/update", content="LOAD <urn:x>", headers=UPDATE), 400, "refused-feature")
        assert is_refusal(await post("/sepa/update", content="x", headers=QUERY), 415, "unknown-format")
        assert is_refusal(await post("/sepa/query", content="x" * 300_000, headers=QUERY), 413, "limit-exceeded")
        assert is_refusal(await api.get("/sepa/query"), 422, "malformed-request")
        assert is_refusal(await api.get("/sepa/nowhere"), 404, "http")
        wrong = await api.delete("/sepa/query")
        assert is_refusal(wrong, 405, "http")
        assert wrong.headers["allow"] == "GET, POST"
        # The name under which an open node answers is asked for before anything of the application is there.
        rebound = await api.get("/sepa/query?query=ASK{}", headers={"Host": "evil.example"})
        assert is_refusal(rebound, 403, "forbidden")
        elsewhere = await api.get("/sepa/query?query=ASK{}", headers={"Origin": OTHER})
        assert is_refusal(elsewhere, 403, "forbidden")
        unacceptable = await post("/sepa/query", content="ASK {}", headers=QUERY | {"Accept": "image/png"})
        assert is_refusal(unacceptable, 406, "http")
    async with api_of(tmp_path / "closed", open=False) as api:
        for path in ("/sepa/query", "/secure/query"):
            refused = await api.post(path, content="ASK {}", headers=QUERY | NOBODY)
            assert is_refusal(refused, 401, "unauthenticated")
            assert refused.headers["www-authenticate"].startswith("Bearer")
        basic = {"Authorization": "Basic YTpi"}
        assert is_refusal(await api.post("/sepa/update", content="x", headers=UPDATE | basic), 401, "unauthenticated")


async def test_elsewhere_errors_are_problem_details_as_ever(tmp_path: Path):
    async with api_of(tmp_path) as api:
        answer = await api.post("/update", content="LOAD <urn:x>", headers=UPDATE)
        assert answer.headers["content-type"] == "application/problem+json"


async def test_a_bug_is_told_in_sepas_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with api_of(tmp_path) as api:
        with monkeypatch.context() as broken:
            broken.setattr(api.node, "replica", None)
            answer = await api.post("/sepa/query", content="ASK {}", headers=QUERY)
        assert is_refusal(answer, 500, "bug")


async def test_limits_of_a_client_hold(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        slow = await api.register(rights={"quotas": {"events_per_second": 0.001}})
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }", **slow)
        refused = await api.post("/sepa/update", content="CLEAR ALL", headers=UPDATE | slow)
        assert is_refusal(refused, 429, "quota-exceeded")
        assert int(refused.headers["retry-after"]) >= 1
        reader = await api.register(rights={"publish": None})
        assert is_refusal(
            await api.post("/sepa/update", content="CLEAR ALL", headers=UPDATE | reader), 403, "forbidden"
        )


# Pages


@pytest.mark.parametrize("is_open", [True, False])
async def test_pages_of_allowed_origins_may_ask_and_change(tmp_path: Path, is_open: bool):
    async with api_of(tmp_path, open=is_open, allow_origin=APP) as api:
        asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
        for path in ("/sepa/query", "/sepa/update", "/oauth/token"):
            preflight = await api.options(path, headers={"Origin": APP, **NOBODY, **asks})
            assert (preflight.status_code, preflight.content) == (204, b"")
            assert preflight.headers["access-control-allow-origin"] == APP
            assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
            assert (await api.options(path, headers={"Origin": OTHER, **asks})).status_code == 400
        answer = await api.post("/sepa/query", content="ASK {}", headers=QUERY | {"Origin": APP})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, APP)
        refused = await api.post("/sepa/query", content="ASK", headers=QUERY | {"Origin": APP})
        assert refused.headers["access-control-allow-origin"] == APP, "a page may read why it was refused"


async def test_a16_a_request_that_is_late_is_refused_in_sepas_form(tmp_path: Path):
    async with served(tmp_path, body_seconds=0.2) as node:
        for path, media_type in (("/sepa/update", b"application/json"), ("/update", b"application/problem+json")):
            reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-update\r\n"
            writer.write(f"{head}Content-Length: 100\r\n\r\nINSERT".encode())
            answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"content-type: " + media_type in answer
            assert (b'"status_code":408' in answer) == (path == "/sepa/update")
            writer.close()
