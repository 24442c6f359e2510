"""The log as a Linked Data Event Stream: what leads to a page, what is on it, what may be cached, and who may read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import rdflib
from tests.node.http.serving import NQUADS, Api, api_of, is_problem

from triplewire.node.http.protocols.ldes import layout, routes
from triplewire.store.retention import Retention
from triplewire.store.tables import log

TREE = rdflib.Namespace("https://w3id.org/tree#")
LDES = rdflib.Namespace("https://w3id.org/ldes#")
DCTERMS = rdflib.Namespace("http://purl.org/dc/terms/")
STREAM = rdflib.URIRef("http://localhost/ldes#stream")
pytestmark = pytest.mark.filterwarnings("ignore:Dataset.default_context:DeprecationWarning")
FOR_EVER = "public, max-age=31536000, immutable"


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three events on a page, two pages in an index."""
    monkeypatch.setattr(layout, "PAGE_EVENTS", 3)
    monkeypatch.setattr(layout, "INDEX_PAGES", 2)
    monkeypatch.setattr(layout, "_INDEX_EVENTS", 6)


@pytest_asyncio.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with api_of(tmp_path) as opened:
        yield opened


async def publish(api: Api, *numbers: int, size: int = 1) -> None:
    lines = [f'<urn:s{n}> <urn:p> "{"x" * size}" <urn:e:{n}> .\n' for n in numbers]
    assert (await api.post("/events", content="".join(lines), headers=NQUADS)).status_code == 201


async def read(api: Api, path: str, **headers: str) -> rdflib.Dataset:
    answer = await api.get(path, headers={"Accept": "application/n-quads", **headers})
    assert answer.status_code == 200, answer.text
    return rdflib.Dataset(default_union=True).parse(data=answer.text, format="nquads")


def leads_to(graph: rdflib.Graph) -> list[str]:
    """The nodes of the relations, each once, without the host."""
    return sorted({str(node).removeprefix("http://localhost") for node in graph.objects(None, TREE.node)})


def members(graph: rdflib.Graph) -> list[str]:
    return sorted(map(str, graph.objects(STREAM, TREE.member)))


async def followed(api: Api, path: str = "/ldes", **headers: str) -> list[str]:
    """Every member that a client finds from here."""
    graph = await read(api, path, **headers)
    found = members(graph)
    for address in leads_to(graph):
        found += await followed(api, address, **headers)
    return found


async def test_a_client_that_follows_every_relation_finds_every_event_once(api: Api):
    await publish(api, *range(1, 15))
    assert sorted(await followed(api)) == sorted(f"urn:e:{n}" for n in range(1, 15))


async def test_the_root_describes_the_stream(api: Api):
    graph = await read(api, "/ldes")
    assert (STREAM, rdflib.RDF.type, LDES.EventStream) in graph
    assert graph.value(STREAM, TREE.view) == rdflib.URIRef("http://localhost/ldes")
    assert graph.value(STREAM, LDES.timestampPath) == DCTERMS.created
    assert graph.value(STREAM, LDES.versionOfPath) == DCTERMS.isVersionOf
    assert leads_to(graph) == []


async def test_a_member_is_dated_and_its_event_is_its_graph(api: Api):
    await publish(api, 1)
    graph = await read(api, "/ldes/pages/0")
    event = rdflib.URIRef("urn:e:1")
    assert graph.value(event, DCTERMS.created).datatype == rdflib.XSD.dateTime
    assert graph.value(event, DCTERMS.isVersionOf) == event
    assert (rdflib.URIRef("urn:s1"), rdflib.URIRef("urn:p"), rdflib.Literal("x")) in graph.graph(event)


async def test_blank_nodes_of_two_events_stay_two(api: Api):
    lines = [f'_:b <urn:p> "{n}" <urn:e:{n}> .\n' for n in (1, 2)]
    await api.post("/events", content="".join(lines), headers=NQUADS)
    graph = await read(api, "/ldes/pages/0")
    assert len(set(graph.subjects(rdflib.URIRef("urn:p")))) == 2


async def test_what_is_full_never_changes_and_may_be_cached_for_ever(api: Api):
    await publish(api, *range(1, 9))
    paths = ("/ldes", "/ldes/index/0", "/ldes/pages/1", "/ldes/index/1", "/ldes/pages/2")
    before = {path: await api.get(path) for path in paths}
    cached = {path: answer.headers["cache-control"] for path, answer in before.items()}
    assert [path for path in paths if cached[path] == FOR_EVER] == ["/ldes/index/0", "/ldes/pages/1"]
    assert {cached[path] for path in ("/ldes", "/ldes/index/1", "/ldes/pages/2")} == {"public, no-cache"}
    await publish(api, *range(9, 12))
    for path, answer in before.items():
        is_same = (await api.get(path)).text == answer.text
        assert is_same == (cached[path] == FOR_EVER or path == "/ldes"), path


async def test_relations_bound_the_times_of_what_is_behind_them(api: Api):
    await publish(api, 1, 2, 3)
    await publish(api, 4)
    graph = await read(api, "/ldes/index/0")
    bounds = {}
    for relation in graph.objects(None, TREE.relation):
        kind = str(graph.value(relation, rdflib.RDF.type)).rpartition("#")[2]
        page = str(graph.value(relation, TREE.node)).rpartition("/")[2]
        assert graph.value(relation, TREE.path) == DCTERMS.created
        bounds[page, kind] = graph.value(relation, TREE.value)
    assert set(bounds) == {
        ("0", "GreaterThanOrEqualToRelation"),
        ("0", "LessThanOrEqualToRelation"),
        ("1", "GreaterThanOrEqualToRelation"),
    }
    for page in ("0", "1"):
        found = await read(api, f"/ldes/pages/{page}")
        created = sorted(found.objects(None, DCTERMS.created))
        assert bounds[page, "GreaterThanOrEqualToRelation"] == created[0]


async def test_what_retention_has_removed_is_said_and_not_linked(tmp_path: Path):
    async with api_of(tmp_path, retention_age=3600.0) as api:
        await publish(api, *range(1, 12))
        await api.node.broker.housekeeping.trim(Retention(None, 150, 1.0))
        floor = await api.node.broker.store.read(log.floor)
        assert floor > 3
        graph = await read(api, "/ldes")
        kinds = {
            str(kind).rpartition("#")[2]
            for policy in graph.objects(None, LDES.retentionPolicy)
            for kind in graph.objects(policy, rdflib.RDF.type)
        }
        assert kinds == {"DurationAgoPolicy", "PointInTimePolicy"}
        assert sorted(await followed(api)) == sorted(f"urn:e:{n}" for n in range(floor + 1, 12))
        assert is_problem(await api.get("/ldes/pages/0"), 404, "unknown-event")


async def test_a_page_that_is_too_large_goes_on_behind_a_link(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(routes, "_PAGE_BYTES", 1_000)
    await publish(api, 1, 2, 3, size=800)
    first = await read(api, "/ldes/pages/0")
    assert (members(first), leads_to(first)) == (["urn:e:1"], ["/ldes/pages/0?after=1"])
    assert await followed(api) == ["urn:e:1", "urn:e:2", "urn:e:3"]


async def test_a_reader_sees_what_it_may_and_no_cache_shows_it_to_another(tmp_path: Path):
    """Row A15."""
    async with api_of(tmp_path, open=False) as api:
        lines = [f'<urn:s> <urn:{kind}:p> "1" <urn:e:{kind}> .\n' for kind in ("open", "closed")]
        await api.post("/events", content="".join(lines), headers=NQUADS)
        reader = await api.register(rights={"subscribe": {"namespaces": ["urn:open:"]}})
        assert await followed(api, **reader) == ["urn:e:open"]
        answer = await api.get("/ldes/pages/0", headers=reader)
        assert answer.headers["cache-control"].startswith("private")
        assert "Authorization" in answer.headers["vary"]
        writer = await api.register(rights={"publish": {}, "subscribe": None})
        for path in ("/ldes", "/ldes/index/0", "/ldes/pages/0"):
            assert is_problem(await api.get(path, headers=writer), 403, "forbidden")
            assert is_problem(await api.get(path, headers={"Authorization": "Bearer no"}), 401, "unauthenticated")


async def test_a_page_beyond_the_log_is_not_there(api: Api):
    await publish(api, 1)
    for path in ("/ldes/pages/1", "/ldes/index/1", "/ldes/pages/1099511627776"):
        assert is_problem(await api.get(path), 404, "unknown-event")
    assert (await api.get("/ldes/pages/-1")).status_code == 422
    assert (await api.get("/ldes", headers={"Accept": "text/html"})).status_code == 406


async def test_behind_a_proxy_documents_name_the_address_that_clients_know(tmp_path: Path):
    async with api_of(tmp_path, public_url="https://events.example/") as api:
        await publish(api, 1)
        assert "<https://events.example/ldes/pages/0>" in (await api.get("/ldes/index/0")).text
