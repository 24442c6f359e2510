"""Views over HTTP: kept, told of, read in every way, refused, reset and explained."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyoxigraph import RdfFormat, parse
from tests.node.http.serving import QUERY, Api, api_of, is_problem
from tests.sepa.cases import CASES

from triplewire.node.views import follower
from triplewire.store.retention import Retention

UPDATE = {"Content-Type": "application/sparql-update"}
SAID = "SELECT ?s ?o { ?s <urn:p> ?o }"


async def update(api: Api, text: str) -> int:
    answer = await api.post("/update", content=text, headers=UPDATE)
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


async def put(api: Api, name: str, text: str = SAID, **params: Any) -> httpx.Response:
    answer = await api.put(f"/views/{name}", content=text, headers=QUERY, params=params)
    assert answer.status_code in (200, 201), answer.text
    return answer


async def told(api: Api, name: str, **params: Any) -> list[dict[str, Any]]:
    answer = await api.get(f"/views/{name}/notifications", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()["notifications"]


def values(said: Any) -> list[dict[str, str]]:
    if isinstance(said, bool):
        return [{}] if said else []
    return sorted((_values(item) for item in said), key=str)


def _values(item: Any) -> dict[str, str]:
    if isinstance(item, str):
        [quad] = parse(item, RdfFormat.N_TRIPLES)
        parts = {"subject": quad.subject, "predicate": quad.predicate, "object": quad.object}
        return {name: getattr(term, "value", "") for name, term in sorted(parts.items())}
    return {name: term["value"] for name, term in item.items()}


@pytest.mark.parametrize("case", CASES)
async def test_what_sepa_answers_wrongly_or_rightly_is_right_here(tmp_path: Path, case: str):
    query, steps = CASES[case]
    async with api_of(tmp_path) as api:
        await put(api, "case", query)
        [first] = await told(api, "case", after=0)
        position = first["position"]
        for text, added, removed in steps:
            change = await update(api, text)
            [one] = await told(api, "case", after=position)
            position = one["position"]
            assert (values(one["added"]), values(one["removed"])) == (added, removed)
            assert one["change"] == change


async def test_the_first_notification_is_the_whole_answer_also_where_it_is_empty(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "empty")
        [first] = await told(api, "empty", after=0)
        assert (first["answer"], first["variables"], first["change"]) == ([], ["s", "o"], 0)
        assert first["position"] == 1
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1, 2 }")
        await put(api, "full")
        await put(api, "yes", "ASK { ?s <urn:p> 2 }")
        await put(api, "made", "CONSTRUCT { ?o <urn:of> ?s } WHERE { ?s <urn:p> ?o . FILTER(isIRI(?o)) }")
        [full], [yes], [made] = [await told(api, name) for name in ("full", "yes", "made")]
        assert (values(full["answer"]), full["change"]) == ([{"s": "urn:a", "o": "1"}, {"s": "urn:a", "o": "2"}], 1)
        assert (yes["answer"], made["answer"]) == (True, [])
        await update(api, "DELETE DATA { <urn:a> <urn:p> 2 } ; INSERT DATA { <urn:a> <urn:p> <urn:b> }")
        [no] = await told(api, "yes", after=yes["position"])
        assert (no["added"], no["removed"]) == (False, True)
        [of] = await told(api, "made", after=made["position"])
        assert (of["added"], of["removed"]) == (["<urn:b> <urn:of> <urn:a> ."], [])


async def test_a_view_of_the_time_says_the_time_of_each_evaluation(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "now", "SELECT (NOW() AS ?now) (UUID() AS ?id) {}")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
    async with api_of(tmp_path) as api:
        refused = await api.post(
            "/update",
            content="INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 3 } } ; CREATE GRAPH <urn:g>",
            headers=UPDATE,
        )
        assert refused.status_code == 400
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        first, *rest = await told(api, "now", after=0)
        answer = first["answer"]
        for one in rest:
            assert one["removed"] == answer, "what goes is what was said, before the restart as well"
            answer = one["added"]
        assert len(rest) == 2


async def test_nothing_is_said_where_nothing_changed(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said")
        await update(api, "INSERT DATA { <urn:a> <urn:q> 1 }")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 } ; DELETE DATA { <urn:a> <urn:p> 1 }")
        await update(api, "INSERT DATA { <urn:a> <urn:q> 1 }")
        assert len(await told(api, "said")) == 1


async def test_two_updates_in_one_transaction_are_told_once_and_net(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        await put(api, "said")
        [first] = await told(api, "said")
        both = (
            "DELETE DATA { <urn:a> <urn:p> 1 } ; INSERT DATA { <urn:a> <urn:p> 2 } ; INSERT DATA { <urn:a> <urn:p> 1 }"
        )
        change = await update(api, both)
        [one] = await told(api, "said", after=first["position"])
        assert (one["change"], values(one["added"]), one["removed"]) == (change, [{"s": "urn:a", "o": "2"}], [])
        rows = 'TX .\nA <urn:b> <urn:p> "1" .\nTC .\nTX .\nD <urn:b> <urn:p> "1" .\nA <urn:b> <urn:p> "2" .\nTC .\n'
        patched = await api.patch("/graph", content=rows, headers={"Content-Type": "application/rdf-patch"})
        assert patched.status_code == 200, patched.text
        [two] = await told(api, "said", after=one["position"])
        assert (values(two["added"]), two["removed"]) == ([{"s": "urn:b", "o": "2"}], [])


async def test_a_blank_node_that_is_deleted_is_told_as_it_was(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said")
        await update(api, "INSERT DATA { _:b <urn:p> 1 . _:c <urn:p> 1 }")
        [first, come] = await told(api, "said")
        await update(api, "DELETE { ?b <urn:p> 1 } WHERE { { SELECT ?b { ?b <urn:p> 1 } ORDER BY ?b LIMIT 1 } }")
        [gone] = await told(api, "said", after=come["position"])
        assert len(come["added"]) == 2
        assert gone["added"] == []
        [row] = gone["removed"]
        assert row in come["added"]
        assert (row["s"]["type"], first["answer"]) == ("bnode", [])


async def test_a_view_is_a_subscription_to_be_listed_read_acknowledged_and_deleted(tmp_path: Path):
    async with api_of(tmp_path) as api:
        made = await put(api, "said", retention=60)
        assert made.status_code == 201
        shown = {"id": "said", "state": "live", "text": SAID, "retention": 60.0, "window": None, "delivery": "pull"}
        assert made.json().items() >= shown.items()
        again = await put(api, "said", retention=30)
        assert (again.status_code, again.json()["retention"]) == (200, 30.0)
        other = await api.put("/views/said", content="ASK {}", headers=QUERY)
        assert is_problem(other, 409, "duplicate-subscription")
        taken = await api.put("/subscriptions/said", content=SAID, headers=QUERY)
        assert is_problem(taken, 409, "duplicate-subscription")
        assert [one["id"] for one in (await api.get("/views")).json()["views"]] == ["said"]
        assert (await api.get("/subscriptions")).json()["subscriptions"] == []
        assert (await api.get("/subscriptions/said")).status_code == 404
        assert (await api.get("/subscriptions/said/notifications")).status_code == 404
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        first, second = await told(api, "said")
        await api.post("/views/said/ack", params={"position": first["position"]})
        assert await told(api, "said") == [second]
        assert (await api.get("/views/said")).json()["acknowledged"] == first["position"]
        assert (await api.delete("/views/said")).status_code == 204
        assert (await api.get("/views/said/notifications")).status_code == 404
        await update(api, "INSERT DATA { <urn:b> <urn:p> 1 }")
        assert len(api.node.broker.views.follower) == 0


async def test_a_view_of_events_is_no_subscription_and_the_other_way_round(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said")
        answer = await api.put("/subscriptions/all", content="SELECT ?s { ?s <urn:p> ?o }", headers=QUERY)
        assert answer.status_code == 201
        assert (await api.get("/views/all")).status_code == 404
        published = '<urn:s> <urn:p> "1" <urn:e> .'
        await api.post("/events", content=published, headers={"Content-Type": "application/n-quads"})
        assert len(await told(api, "said")) == 1
        page = (await api.get("/subscriptions/all/notifications")).json()["notifications"]
        assert [one["event"] for one in page] == ["urn:e"]


async def test_a_stream_gives_the_whole_answer_and_what_changes(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said")
        token = (await api.post("/views/said/tokens")).json()["token"]
        number = api.node.broker.views.require("anonymous", "said").number
        pages = api.node.streams.pages(number, 0)
        [first] = await anext(pages)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        [second] = await anext(pages)
        await pages.aclose()
        assert b'"answer":[]' in first.json
        assert b'"removed":[]' in second.json
        assert api.node.tokens.claim(token).subscription == number


async def test_after_a_gap_a_view_is_reset_and_says_everything_again(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        await api.node.tidy(Retention(size=0))
        page = (await api.get("/views/said/notifications", params={"after": 0})).json()
        assert page["notifications"] == []
        assert page["gap"] == 2
        again = await api.post("/views/said/reset")
        assert again.status_code == 200
        [first] = await told(api, "said")
        assert values(first["answer"]) == [{"s": "urn:a", "o": "1"}]
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        assert len(await told(api, "said")) == 2
        assert len(api.node.broker.views.follower) == 1


async def test_a_view_beyond_its_budget_says_so_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with api_of(tmp_path) as api:
        api.node.broker.views.follower._set._allowances.steps = 200
        await put(api, "large", "SELECT * { ?a <urn:p> ?b . ?c <urn:p> ?d }")
        await put(api, "small")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }")
        [_, last] = await told(api, "large")
        assert "steps" in last["failed"]
        shown = (await api.get("/views/large")).json()
        assert (shown["state"], shown["reason"]) == ("quarantined", last["failed"])
        assert is_problem(await api.get("/views/large/explain"), 404, "unknown-subscription")
        await update(api, "INSERT DATA { <urn:b> <urn:p> 1 }")
        assert len(await told(api, "large")) == 2
        assert len(await told(api, "small")) == 3
    async with api_of(tmp_path) as api:
        assert (await api.get("/views/large")).json()["state"] == "quarantined"
        assert len(api.node.broker.views.follower) == 1
        assert (await api.post("/views/large/reset")).json()["state"] == "live"
        assert len(values((await told(api, "large"))[0]["answer"])) == 17 * 17


async def test_a11_views_that_are_too_much_together_are_their_owners_problem(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        mine, yours = await api.register(), await api.register()
        await update(api, "INSERT DATA { " + " . ".join(f"<urn:a{n}> <urn:p> {n}" for n in range(100)) + " }")
        product = "SELECT (COUNT(*) AS ?n) {{ ?a <urn:p> ?x . ?b <urn:p> ?y FILTER(?x + ?y > {}.5) }}"
        for number in range(10):
            made = await api.put(f"/views/heavy{number}", content=product.format(number), headers=mine | QUERY)
            assert made.status_code == 201, made.text
        assert (await api.put("/views/light", content=SAID, headers=mine | QUERY)).status_code == 201
        assert (await api.put("/views/heavy", content=product.format(99), headers=yours | QUERY)).status_code == 201
        # Each alone is within its steps.
        api.node.broker.views.follower._set._allowances.steps = 12_000
        await update(api, "INSERT DATA { " + " . ".join(f"<urn:b{n}> <urn:p> {n}" for n in range(40)) + " }")
        shown = (await api.get("/views", headers=mine)).json()["views"]
        states = {one["id"]: one["state"] for one in shown}
        assert states["heavy0"] == states["light"] == "live"
        assert states["heavy9"] == "quarantined"
        assert "of its owner are too much work together" in shown[9]["reason"]
        assert [one["state"] for one in (await api.get("/views", headers=yours)).json()["views"]] == ["live"]


async def test_a_first_answer_that_is_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }")
        monkeypatch.setattr(follower, "MOST_BYTES", 200)
        answer = await api.put("/views/large", content=SAID, headers=QUERY)
        assert is_problem(answer, 400, "limit-exceeded")
        api.node.broker.views.follower._set._start_steps = 5
        answer = await api.put("/views/slow", content=SAID, headers=QUERY)
        assert is_problem(answer, 503, "budget-exceeded")
        assert (await api.get("/views")).json()["views"] == []
        assert len(api.node.broker.views.follower) == 0


async def test_a_view_is_explained(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said", "SELECT ?s { ?s <urn:p> <urn:a> }")
        await put(api, "other", "SELECT ?s { ?s <urn:p> <urn:b> }")
        await put(api, "again", "SELECT (NOW() AS ?r) {}")
        found = (await api.get("/views/said/explain")).json()
        assert (found["queries"], found["views"], found["reevaluated"]) == (2, 1, None)
        assert "kept up to date from what changes" in found["text"]
        assert (await api.get("/views/again/explain")).json()["reevaluated"]


@pytest.mark.parametrize(
    ("text", "headers", "status", "kind"),
    [
        ("SELECT", QUERY, 400, "syntax-problem"),
        ("SELECT ?s { SERVICE <urn:x> { ?s ?p ?o } }", QUERY, 400, "refused-feature"),
        ("INSERT DATA { <urn:a> <urn:p> 1 }", QUERY, 400, "refused-feature"),
        (SAID, {"Content-Type": "text/plain"}, 415, "unknown-format"),
        ("\xff".encode("latin-1"), QUERY, 400, "input-error"),
    ],
)
async def test_what_is_no_view_is_refused(tmp_path: Path, text: str, headers: Any, status: int, kind: str):
    async with api_of(tmp_path) as api:
        assert is_problem(await api.put("/views/no", content=text, headers=headers), status, kind)


async def test_one_waits_for_what_comes(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "said")
        [first] = await told(api, "said")
        waiting = asyncio.create_task(told(api, "said", after=first["position"], wait=30))
        await asyncio.sleep(0.05)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        [one] = await waiting
        assert values(one["added"]) == [{"s": "urn:a", "o": "1"}]
