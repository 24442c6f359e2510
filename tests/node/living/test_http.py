"""The living graph over HTTP: SPARQL Update, graphs, patches, the journal, queries, merged events."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from tests.node.http.serving import NQUADS, QUERY, TURTLE, Api, api_of, is_problem

from triplewire.rdf.patches import MEDIA_TYPE, parse_patches

UPDATE = {"Content-Type": "application/sparql-update"}
PATCH = {"Content-Type": MEDIA_TYPE}
JSON = {"Accept": "application/json"}
G, H = {"graph": "urn:g"}, {"graph": "urn:h"}
EVERYTHING = "SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"


async def update(api: Api, text: str, **more) -> httpx.Response:
    answer = await api.post("/update", content=text, headers=UPDATE | more.pop("headers", {}), **more)
    assert answer.status_code == 200, answer.text
    return answer


async def rows(api: Api, text: str = EVERYTHING) -> list[str]:
    answer = await api.post("/sparql", content=text, headers=QUERY | {"Accept": "text/csv"})
    assert answer.status_code == 200, answer.text
    return sorted(answer.text.split()[1:])


async def counted(api: Api) -> int:
    return len(await rows(api))


async def test_what_is_changed_is_what_is_asked(tmp_path: Path):
    async with api_of(tmp_path) as api:
        done = await update(api, 'INSERT DATA { <urn:a> <urn:p> "1" GRAPH <urn:g> { <urn:b> <urn:p> 01 } }')
        assert done.headers["triplewire-change"] == "1"
        assert (done.json()["added"], done.json()["removed"]) == (2, 0)
        assert await rows(api) == ["urn:a,urn:p,1,", "urn:b,urn:p,1,urn:g"]
        await update(api, "DELETE { ?s ?p ?o } INSERT { GRAPH <urn:g> { ?s ?p ?o } } WHERE { ?s ?p ?o }")
        assert await rows(api) == ["urn:a,urn:p,1,urn:g", "urn:b,urn:p,1,urn:g"]
        await update(api, "WITH <urn:g> DELETE { ?s ?p 1 } WHERE { ?s ?p 1 }; MOVE <urn:g> TO DEFAULT")
        assert await rows(api) == ["urn:a,urn:p,1,"]
        assert await rows(api, "SELECT ?g { GRAPH ?g {} }") == []


async def test_several_operations_are_one_change_and_one_that_fails_leaves_nothing(tmp_path: Path):
    async with api_of(tmp_path) as api:
        done = await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }; DELETE DATA { <urn:a> <urn:p> 1 }")
        assert (done.json()["added"], done.json()["removed"], done.json()["events"]) == (0, 0, [])
        await update(api, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }")
        bad = "INSERT DATA { <urn:a> <urn:p> 2 }; CREATE GRAPH <urn:g>"
        assert is_problem(await api.post("/update", content=bad, headers=UPDATE), 400, "update-refused")
        assert await rows(api) == ["urn:a,urn:p,1,urn:g"]
        assert (await api.get("/changes", headers=JSON)).json()["head"] == 2


async def test_an_update_as_a_form_and_with_graphs_of_the_request(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } GRAPH <urn:h> { <urn:b> <urn:p> 2 } }")
        moved = "INSERT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }"
        fields = {"update": moved, "using-graph-uri": "urn:g"}
        assert (await api.post("/update", data=fields)).json()["added"] == 1
        await update(api, moved, params={"using-graph-uri": ["urn:g", "urn:h"]})
        assert await rows(api, "SELECT ?s ?p ?o { ?s ?p ?o }") == ["urn:a,urn:q,1", "urn:b,urn:q,2"]
        clash = "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }"
        refused = await api.post("/update", content=clash, headers=UPDATE, params={"using-graph-uri": "urn:g"})
        assert is_problem(refused, 400, "input-error")


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("INSERT", 400, "syntax-problem"),
        ("LOAD <urn:x>", 400, "refused-feature"),
        ("INSERT { ?s ?p ?o } WHERE { SERVICE <urn:x> { ?s ?p ?o } }", 400, "refused-feature"),
    ],
)
async def test_what_is_wrong_is_told_and_changes_nothing(tmp_path: Path, text: str, status: int, kind: str):
    async with api_of(tmp_path) as api:
        answer = await api.post("/update", content=text, headers=UPDATE)
        assert is_problem(answer, status, kind)
        assert (await api.get("/changes", headers=JSON)).json()["changes"] == []


# Graphs


async def test_the_graph_store_protocol(tmp_path: Path):
    turtle = "<urn:a> <urn:p> 1, 2 ."
    async with api_of(tmp_path) as api:
        assert is_problem(await api.get("/graph", params=G), 404, "unknown-graph")
        assert is_problem(await api.delete("/graph", params=G), 404, "unknown-graph")
        assert (await api.get("/graph?default")).status_code == 200
        assert (await api.put("/graph", params=G, content=turtle, headers=TURTLE)).status_code == 201
        again = await api.put("/graph", params=G, content=turtle, headers=TURTLE)
        assert (again.status_code, again.json()["added"], again.json()["removed"]) == (200, 0, 0)
        shown = await api.get("/graph", params=G, headers={"Accept": "application/n-triples"})
        assert len(shown.text.splitlines()) == 2
        head = await api.head("/graph", params=G)
        assert (head.status_code, head.content) == (200, b"")
        more = await api.post("/graph", params=G, content="<> <urn:p> 3 .", headers=TURTLE)
        assert (more.status_code, more.json()["added"]) == (200, 1)
        assert await counted(api) == 3
        assert await rows(api, "SELECT ?o { GRAPH <urn:g> { <urn:g> <urn:p> ?o } }") == ["3"]
        other = await api.put("/graph", params=G, content="<urn:a> <urn:p> 2, 4 .", headers=TURTLE)
        assert (other.json()["added"], other.json()["removed"]) == (1, 2)
        assert (await api.put("/graph?default", content=turtle, headers=TURTLE)).status_code == 200
        assert (await api.delete("/graph", params=G)).json()["removed"] == 2
        assert await rows(api) == ["urn:a,urn:p,1,", "urn:a,urn:p,2,"]
        assert (await api.delete("/graph?default")).status_code == 200
        assert await counted(api) == 0


async def test_a_graph_is_named_in_one_way_and_a_body_has_one_graph(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for params in ("", "?default&graph=urn:g", "?graph=no+iri"):
            assert is_problem(await api.put(f"/graph{params}", content="", headers=TURTLE), 400, "input-error")
        trig = {"Content-Type": "application/trig"}
        named = await api.put("/graph", params=G, content="<urn:x> { <urn:a> <urn:p> 1 }", headers=trig)
        assert is_problem(named, 400, "input-error")
        assert await counted(api) == 0


async def test_a_document_is_utf_8_and_may_begin_with_a_mark(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for content in (b"\xff\xfe<urn:a>", b'<urn:a> <urn:p> "\xc3" .'):
            assert is_problem(await api.put("/graph?default", content=content, headers=TURTLE), 400, "syntax-problem")
        content = "\ufeff<urn:a> <urn:p> 1 .".encode()
        for kind in ("text/turtle", "application/n-triples"):
            answer = await api.put("/graph?default", content=content, headers={"Content-Type": kind})
            assert answer.status_code == (200 if kind == "text/turtle" else 400), answer.text
        assert await rows(api) == ["urn:a,urn:p,1,"]


async def test_blank_nodes_of_two_documents_are_two(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for _ in range(2):
            await api.post("/graph", params=G, content="_:a <urn:p> _:a .", headers=TURTLE)
        await update(api, "INSERT DATA { _:a <urn:p> _:b . _:b <urn:p> _:a }")
        assert await counted(api) == 4
        loops = "DELETE { ?x <urn:p> ?x } WHERE { GRAPH <urn:g> { ?x <urn:p> ?x } }"
        await update(api, f"WITH <urn:g> {loops}")
        assert await counted(api) == 2


# Patches and the journal


async def test_the_journal_is_a_patch_that_another_node_takes(tmp_path: Path):
    async with api_of(tmp_path / "one") as one, api_of(tmp_path / "other") as other:
        await update(one, "INSERT DATA { _:a <urn:p> 1 . _:a <urn:q> 2 GRAPH <urn:g> { <urn:b> <urn:p> 'x\\ny'@en } }")
        await update(one, "DELETE WHERE { ?s <urn:q> ?o }")
        page = await one.get("/changes")
        assert page.headers["content-type"].startswith(MEDIA_TYPE)
        assert (page.headers["triplewire-change"], "link" in page.headers) == ("2", False)
        assert [len(patch.removed) for patch in parse_patches(page.content)] == [0, 1]
        first = await one.get("/changes", params={"limit": 1})
        assert (first.headers["triplewire-change"], "link" in first.headers) == ("1", True)
        taken = await other.post("/changes", content=page.content, headers=PATCH)
        assert (taken.json()["position"], taken.json()["added"], taken.json()["removed"]) == (1, 2, 0)
        assert await rows(other) == await rows(one)
        gone = 'TX .\nD <urn:b> <urn:p> "x\\ny"@en <urn:g> .\nTC .'
        assert (await other.patch("/graph", content=gone, headers=PATCH)).json()["removed"] == 1
        assert await counted(other) == 1


async def test_whoever_waits_for_a_change_is_woken(tmp_path: Path):
    async with api_of(tmp_path) as api:
        waiting = asyncio.create_task(api.get("/changes", params={"after": 0, "wait": 60}, headers=JSON))
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        assert [change["position"] for change in (await waiting).json()["changes"]] == [1]
        assert (await api.get("/changes", params={"after": 1, "wait": 0.01}, headers=JSON)).json()["changes"] == []


async def test_what_retention_has_removed_is_a_gap(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for number in range(3):
            await update(api, f"INSERT DATA {{ <urn:a> <urn:p> {number} }}")
        await api.node.broker.living.forget(None, 0)
        page = await api.get("/changes", headers=JSON)
        assert (page.json()["changes"], page.json()["gap"], page.json()["position"]) == ([], 3, 3)
        assert page.headers["triplewire-gap"] == "3"
        await update(api, "INSERT DATA { <urn:a> <urn:p> 9 }")
        assert [each["position"] for each in (await api.get("/changes", headers=JSON)).json()["changes"]] == [4]
        assert await counted(api) == 4


# Queries


async def test_queries_name_their_dataset_and_describe(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 0 GRAPH <urn:g> { <urn:a> <urn:p> 1 } }")
        await update(api, "INSERT DATA { GRAPH <urn:h> { <urn:a> <urn:p> 2 } }")
        assert await rows(api, "SELECT ?o { ?s ?p ?o }") == ["0"]
        assert await rows(api, "SELECT ?o FROM <urn:g> FROM <urn:h> { ?s ?p ?o }") == ["1", "2"]
        assert await rows(api, "SELECT ?o FROM NAMED <urn:h> { GRAPH ?g { ?s ?p ?o } }") == ["2"]
        asked = {"query": "SELECT ?o FROM <urn:h> { ?s ?p ?o }", "default-graph-uri": "urn:g"}
        assert (await api.get("/sparql", params=asked, headers={"Accept": "text/csv"})).text.split()[1:] == ["1"]
        asked = {"query": "SELECT ?o { GRAPH ?g { ?s ?p ?o } }", "named-graph-uri": ["urn:g", "urn:h"]}
        assert len((await api.post("/sparql", data=asked, headers={"Accept": "text/csv"})).text.split()) == 3
        told = await api.get("/sparql", params={"query": "DESCRIBE <urn:a>"}, headers={"Accept": "text/turtle"})
        assert told.text.strip().startswith("<urn:a> <urn:p> ")
        refused = await api.post("/events/sparql", data=asked)
        assert is_problem(refused, 400, "refused-feature")


async def test_a_query_that_runs_away_is_ended_and_the_next_is_answered(tmp_path: Path):
    async with api_of(tmp_path, query_seconds=1.0) as api:
        await update(api, "INSERT DATA { " + " . ".join(f"<urn:a{n}> <urn:p> {n}" for n in range(300)) + " }")
        cross = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c + ?f + ?i + ?l < 0) }"
        assert is_problem(await api.post("/sparql", content=cross, headers=QUERY), 503, "budget-exceeded")
        await update(api, "INSERT DATA { <urn:b> <urn:p> 301 }")
        assert await rows(api, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == ["301"]


# Events


async def test_a_change_is_an_event_that_subscriptions_hear_of(tmp_path: Path):
    place = "OPTIONAL { ?event <urn:triplewire:graph> ?g }"
    wanted = f"SELECT ?s ?g {{ ?event a <urn:triplewire:Inserted> {place} ?s <urn:p> ?o }}"
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/new", content=wanted, headers=QUERY)
        done = await update(api, "INSERT DATA { <urn:a> <urn:p> 1 GRAPH <urn:g> { <urn:b> <urn:p> 2 } }")
        await update(api, "DELETE DATA { <urn:a> <urn:p> 1 }")
        page = (await api.get("/subscriptions/new/notifications")).json()["notifications"]
        assert [one["event"] for one in page] == [each["event"] for each in done.json()["events"]]
        found = [{name: term["value"] for name, term in row.items()} for one in page for row in one["solutions"]]
        assert found == [{"s": "urn:a"}, {"s": "urn:b", "g": "urn:g"}]


async def test_an_event_is_merged_replaced_and_withdrawn(tmp_path: Path):
    async with api_of(tmp_path) as api:
        first = '<urn:a> <urn:p> "1" <urn:e> .\n_:x <urn:p> "2" <urn:e> .'
        published = await api.post("/events?merge=true", content=first, headers=NQUADS)
        assert published.status_code == 201
        assert len(await rows(api, "SELECT ?o { GRAPH <urn:e> { ?s ?p ?o } }")) == 2
        again = await api.post("/events?merge=true", content=first, headers=NQUADS)
        assert again.json() == published.json()
        assert (await api.get("/changes", headers=JSON)).json()["changes"][-1]["added"] == []
        other = await api.post("/events?merge=true", content='<urn:a> <urn:p> "3" <urn:e> .', headers=NQUADS)
        assert other.json() == published.json(), "the event stays where it is"
        assert await rows(api, "SELECT ?o { GRAPH <urn:e> { ?s ?p ?o } }") == ["3"]
        assert '"1"' in (await api.get("/events/urn:e")).text
        assert (await api.delete("/graph", params={"graph": "urn:e"})).json()["removed"] == 1
        assert await counted(api) == 0
        await api.post("/events", content='<urn:a> <urn:p> "1" <urn:f> .', headers=NQUADS)
        assert await counted(api) == 0


async def test_a_setting_merges_every_event_and_a_key_is_answered_once(tmp_path: Path):
    async with api_of(tmp_path, merge_events=True) as api:
        keyed = NQUADS | {"Idempotency-Key": "k"}
        first = await api.post("/events", content='<urn:a> <urn:p> "1" <urn:e> .', headers=keyed)
        await api.delete("/graph", params={"graph": "urn:e"})
        again = await api.post("/events", content='<urn:a> <urn:p> "1" <urn:e> .', headers=keyed)
        assert (again.status_code, again.json()) == (201, first.json())
        assert await counted(api) == 0
        await api.post("/events?merge=false", content='<urn:a> <urn:p> "1" <urn:f> .', headers=NQUADS)
        assert await counted(api) == 0


async def test_a_change_under_a_key_is_done_once(tmp_path: Path):
    async with api_of(tmp_path) as api:
        key = {"Idempotency-Key": "k"}
        first = await update(api, "INSERT DATA { _:a <urn:p> 1 }", headers=key)
        assert (await update(api, "INSERT DATA { _:a <urn:p> 1 }", headers=key)).json() == first.json()
        assert await counted(api) == 1
        other = await api.post("/update", content="CLEAR ALL", headers=UPDATE | key)
        assert is_problem(other, 409, "event-conflict")


# Attacks


async def test_an_update_that_is_too_large_or_too_much_work_changes_nothing(tmp_path: Path):
    async with api_of(tmp_path, change_quads=100, rule_seconds=1.0) as api:
        await update(api, "INSERT DATA { " + " . ".join(f"<urn:a{n}> <urn:p> {n}" for n in range(90)) + " }")
        await update(api, "INSERT DATA { " + " . ".join(f"<urn:b{n}> <urn:p> {n}" for n in range(90)) + " }")
        for text in ("CLEAR ALL", "INSERT { ?a <urn:q> ?b } WHERE { ?a ?p ?c . ?b ?q ?d }", "COPY DEFAULT TO <urn:g>"):
            refused = await api.post("/update", content=text, headers=UPDATE)
            assert is_problem(refused, 400, "limit-exceeded")
            assert refused.json()["limit"] == "change_quads"
        cross = "DELETE { ?a ?p 'x' } WHERE { ?a ?p ?c . ?d ?q ?e . ?f ?r ?g . ?h ?s ?i FILTER(?c + ?e + ?g + ?i < 0) }"
        assert is_problem(await api.post("/update", content=cross, headers=UPDATE), 503, "cascade-too-long")
        assert await rows(api, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == ["180"]


async def test_a15_a_limited_client_neither_reads_nor_updates_the_living_graph(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        reader = await api.register(rights={"subscribe": {"namespaces": ["urn:p"]}})
        writer = await api.register(rights={"publish": {"namespaces": ["urn:p"]}})
        await update(api, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 . <urn:a> <urn:secret> 2 } }")
        for answer in (
            await api.post("/sparql", content=EVERYTHING, headers=QUERY | reader),
            await api.get("/graph", params=G, headers=reader),
            await api.get("/changes", headers=reader),
            await api.post("/update", content="CLEAR ALL", headers=UPDATE | reader),
            await api.put("/graph", params=G, content="", headers=TURTLE | reader),
            await api.patch("/graph", content="A <urn:a> <urn:p> <urn:b> .", headers=PATCH | reader),
            await api.post("/update", content="CLEAR ALL", headers=UPDATE | writer),
            await api.delete("/graph", params=G, headers=writer),
        ):
            assert is_problem(answer, 403, "forbidden")
        assert (
            await api.post(
                "/update", content="DELETE WHERE { GRAPH <urn:g> { ?s <urn:p> ?o } }", headers=UPDATE | writer
            )
        ).status_code == 200
        event = "<urn:a> <urn:p> <urn:b> <urn:g> ."
        hidden = await api.post("/events?merge=true", content=event, headers=NQUADS | reader)
        assert hidden.status_code == 201, "it may publish everything"


async def test_a15_a_merge_names_nothing_that_its_client_may_not_read(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        rights = {"publish": {"namespaces": ["urn:p"]}, "subscribe": {"namespaces": ["urn:p"]}}
        limited = await api.register(rights=rights)
        await update(api, "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:secret> 2 } }")
        refused = await api.post(
            "/events?merge=true", content="<urn:a> <urn:p> <urn:b> <urn:g> .", headers=NQUADS | limited
        )
        assert is_problem(refused, 403, "forbidden")
        assert "secret" not in refused.text
        assert is_problem(await api.get("/events/urn:g", headers=limited), 404, "unknown-event")
