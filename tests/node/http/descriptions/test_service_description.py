"""What `/sparql` says of itself (SPARQL 1.1 Service Description)."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from tests.node.http.serving import api_of, is_problem

SD = rdflib.Namespace("http://www.w3.org/ns/sparql-service-description#")
SYNTAXES = {
    "text/turtle": "turtle",
    "application/n-triples": "nt",
    "application/rdf+xml": "xml",
    "application/ld+json": "json-ld",
}


@pytest.mark.parametrize("accept", SYNTAXES)
async def test_an_endpoint_describes_itself_in_the_syntax_that_is_asked_for(tmp_path: Path, accept: str):
    async with api_of(tmp_path) as api:
        answer = await api.get("/sparql", headers={"Accept": accept})
    assert answer.headers["content-type"].startswith(accept)
    graph = rdflib.Graph().parse(data=answer.text, format=SYNTAXES[accept])
    [service] = graph.subjects(rdflib.RDF.type, SD.Service)
    assert graph.value(service, SD.endpoint) == rdflib.URIRef("http://localhost/sparql")
    assert graph.value(service, SD.supportedLanguage) == SD.SPARQL11Query
    [dataset] = graph.objects(service, SD.defaultDataset)
    assert graph.value(dataset, SD.defaultGraph) is not None
    assert len(list(graph.objects(service, SD.resultFormat))) == 9


async def test_over_events_the_default_graph_is_the_union(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for path, features in (("/sparql", []), ("/events/sparql", [SD.UnionDefaultGraph])):
            graph = rdflib.Graph().parse(data=(await api.get(path)).text, format="turtle")
            assert list(graph.objects(None, SD.feature)) == features


async def test_a_result_format_that_is_described_can_be_had(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for accept in ("application/sparql-results+json", "text/csv", "text/tab-separated-values"):
            answer = await api.get("/sparql", params={"query": "SELECT * {}"}, headers={"Accept": accept})
            assert answer.headers["content-type"].startswith(accept)
        for accept in (*SYNTAXES, "application/trig"):
            answer = await api.get("/sparql", params={"query": "CONSTRUCT {} {}"}, headers={"Accept": accept})
            assert answer.headers["content-type"].startswith(accept)


async def test_whoever_may_not_ask_is_not_told(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        limited = await api.register(rights={"subscribe": {"namespaces": ["urn:a:"]}})
        assert is_problem(await api.get("/sparql", headers=limited), 403, "forbidden")
        assert is_problem(await api.get("/sparql", headers={"Authorization": "Bearer no"}), 401, "unauthenticated")


async def test_a_request_that_means_a_query_and_has_none_is_told(tmp_path: Path):
    async with api_of(tmp_path) as api:
        answer = await api.get("/sparql", params={"qeury": "SELECT * {}"})
        assert is_problem(answer, 400, "input-error")
        assert answer.json()["found"] == "qeury"
        assert is_problem(await api.get("/sparql", headers={"Accept": "text/html"}), 406, "http")
