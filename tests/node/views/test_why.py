"""`?why=true`: what views and their answers stand on, with what asserted it: updates, and the firings of rules."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from pyoxigraph import RdfFormat, Store, parse
from tests.matching.test_reasons import closure
from tests.node.http.serving import NQUADS, QUERY, TURTLE, Api, api_of, is_problem
from tests.node.http.test_rules import EX, RDFTL, put_rule
from tests.node.views.following import items
from tests.node.views.test_http import put, told, update, values

from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.node.views import follower
from triplewire.node.views.answers import difference, joined
from triplewire.rdf.terms import Literal
from triplewire.views import view_set
from triplewire.wire.reasons import AnswerReasons, Reason, asserted

P = "SELECT ?s ?o { ?s <urn:p> ?o ; <urn:q> 1 }"
ONE = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
SCHEMA = f"""
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix ex: <{EX}> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Novel rdfs:subClassOf ex:Book . ex:Book rdfs:subClassOf ex:Work . ex:Shelf a rdfs:Class .
ex:wrote rdfs:subPropertyOf ex:made ; rdfs:domain ex:Person ; rdfs:range ex:Work .
ex:made rdfs:domain ex:Person ; rdfs:range ex:Work .
ex:on rdfs:domain ex:Work ; rdfs:range ex:Shelf . ex:note rdfs:domain ex:Work ; rdfs:range xsd:string .
"""
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"


def ex(name: str) -> str:
    return f"<{EX}{name}>"


def quads(reason: dict[str, Any]) -> list[str]:
    assert not reason.get("truncated")
    return [one["quad"] for one in reason["quads"]]


def origin(reason: dict[str, Any], quad: str) -> dict[str, Any]:
    [found] = [one for one in reason["quads"] if one["quad"] == quad]
    assert found["kind"] == "asserted"
    return found["origin"] | {"time": None}


async def last(api: Api, name: str, after: int = 0) -> dict[str, Any]:
    return (await told(api, name, after=after))[-1]


# What is told


async def test_each_item_comes_with_what_it_stands_on_and_goes_with_what_it_stood_on(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 ; <urn:q> 1 . GRAPH <urn:g> { <urn:b> <urn:p> 1 } }")
        await put(api, "view", P, why=True)
        first = await last(api, "view")
        [reason] = first["why"]["answer"]
        assert quads(reason) == [f"<urn:a> <urn:p> {ONE}", f"<urn:a> <urn:q> {ONE}"]
        assert origin(reason, f"<urn:a> <urn:p> {ONE}") == {
            "change": 1,
            "transaction": "update",
            "author": "anonymous",
            "time": None,
        }
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2, 3 } ; DELETE DATA { <urn:a> <urn:p> 1 }")
        change = await last(api, "view", first["position"])
        assert [quads(one)[0][-60:] for one in change["why"]["added"]] == [
            f"<urn:a> <urn:p> {ONE}".replace('"1"', f'"{item["o"]["value"]}"')[-60:] for item in change["added"]
        ]
        assert [origin(one, f"<urn:a> <urn:q> {ONE}")["change"] for one in change["why"]["added"]] == [1, 1]
        [gone] = change["why"]["removed"]
        assert quads(gone) == [f"<urn:a> <urn:p> {ONE}", f"<urn:a> <urn:q> {ONE}"]
        assert [one["origin"]["change"] for one in gone["quads"]] == [1, 1], "of what is gone, too, who asserted it"


@pytest.mark.parametrize(
    ("query", "behind"),
    [
        ("ASK { ?s <urn:p> 1 }", [f"<urn:a> <urn:p> {ONE}"]),
        ("CONSTRUCT { ?s <urn:has> ?o } { ?s <urn:p> ?o }", [f"<urn:a> <urn:p> {ONE}"]),
        ("DESCRIBE <urn:a>", [f"<urn:a> <urn:p> {ONE}"]),
        ("SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?o } HAVING (COUNT(*) > 0)", [f"<urn:a> <urn:p> {ONE}"]),
    ],
)
async def test_every_form(tmp_path: Path, query: str, behind: list[str]):
    async with api_of(tmp_path) as api:
        await put(api, "view", query, why=True)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        change = await last(api, "view")
        added = change["added"] if isinstance(change["added"], list) else [True]
        assert [quads(one) for one in change["why"]["added"]] == [behind] * len(added)
        await update(api, "DELETE DATA { <urn:a> <urn:p> 1 }")
        change = await last(api, "view")
        assert [quads(one) for one in change["why"]["removed"]] == [behind]


async def test_nobody_who_did_not_ask_is_told_and_options_change(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "view")
        assert "why" not in await last(api, "view")
        assert (await api.get("/views/view")).json()["why"] is False
        assert (await put(api, "view", why=True)).json()["why"] is True
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        assert "why" in await last(api, "view")
        await put(api, "view")
        await update(api, "INSERT DATA { <urn:a> <urn:p> 2 }")
        assert "why" not in await last(api, "view")


async def test_it_is_asked_for_after_a_restart_as_before(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "view", why=True)
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        [reason] = (await last(api, "view"))["why"]["added"]
        assert quads(reason) == [f"<urn:a> <urn:p> {ONE}"]


async def test_too_much_work_leaves_out_reasons_and_the_view_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with api_of(tmp_path) as api:
        await put(api, "view", why=True)
        monkeypatch.setattr(view_set.Reasons, "_reason", _too_much)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        told_last = await last(api, "view")
        assert told_last["why"]["added"] == [{"truncated": True}]
        assert (await api.get("/views/view")).json()["state"] == "live"


def _too_much(*_: object) -> None:
    raise RecursionError


async def test_what_would_be_too_large_with_its_reasons_goes_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with api_of(tmp_path) as api:
        await put(api, "view", why=True)
        monkeypatch.setattr(follower, "MOST_BYTES", 250)
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        change = await last(api, "view")
        assert "why" not in change
        assert len(change["added"]) == 1


# What is inferred


async def test_what_the_schema_infers_is_told_with_its_axioms_and_premises(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/schema", content=SCHEMA, headers=TURTLE)
        await put(api, "works", f"SELECT ?x ?y {{ ?y {ex('made')} ?x . ?x a {ex('Work')} }}", why=True)
        await update(
            api,
            f"INSERT DATA {{ {ex('ann')} a {ex('Person')} ; {ex('wrote')} {ex('it')} . {ex('it')} a {ex('Novel')} }}",
        )
        change = await last(api, "works")
        [reason] = change["why"]["added"]
        said = {one["quad"]: one for one in reason["quads"]}
        made = said[f"{ex('ann')} {ex('made')} {ex('it')}"]
        assert made["kind"] == "inferred"
        assert made["axioms"] == [f"{ex('wrote')} <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> {ex('made')}"]
        assert made["premises"] == [f"{ex('ann')} {ex('wrote')} {ex('it')}"]
        work = said[f"{ex('it')} {RDF_TYPE} {ex('Work')}"]
        assert work["axioms"] == [f"{ex('Novel')} {SUBCLASS} {ex('Book')}", f"{ex('Book')} {SUBCLASS} {ex('Work')}"]
        assert said[work["premises"][0]]["origin"]["change"] == change["change"]
        await update(api, f"DELETE {{ {ex('it')} a {ex('Novel')} }} INSERT {{ {ex('it')} a {ex('Book')} }} WHERE {{ }}")
        await update(api, f"DELETE DATA {{ {ex('ann')} {ex('wrote')} {ex('it')} }}")
        [gone] = (await last(api, "works"))["why"]["removed"]
        assert [one["axioms"] for one in gone["quads"] if one["quad"] == work["quad"]] == [work["axioms"][1:]]
        assert f"{ex('ann')} {ex('wrote')} {ex('it')}" in quads(gone), "a premise that is gone by now"


async def test_another_schema_takes_away_what_it_does_not_imply(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/schema", content=SCHEMA, headers=TURTLE)
        await put(api, "works", f"SELECT ?x {{ ?x a {ex('Work')} }}", why=True)
        await update(api, f"INSERT DATA {{ {ex('it')} a {ex('Book')} }}")
        without = SCHEMA.replace("ex:Book rdfs:subClassOf ex:Work .", "ex:Work a rdfs:Class .")
        assert (await api.put("/schema", content=without, headers=TURTLE)).status_code == 204
        [gone] = (await last(api, "works"))["why"]["removed"]
        [_, work] = gone["quads"]
        assert work["axioms"] == [f"{ex('Book')} {SUBCLASS} {ex('Work')}"]


# What rules have done


SHELVE = "ON INSERT resource() AS INSTANCE OF Work IF True DO INSERT ($delta, ex:on, resource(ex:top))"
NOTE = "ON INSERT (resource(), ex:on, resource()) IF True DO INSERT ($delta.source, ex:note, 'shelved')"


async def with_rules(api: Api) -> None:
    assert (await api.put("/schema", content=SCHEMA, headers=TURTLE)).status_code == 204
    await update(api, f"INSERT DATA {{ {ex('top')} a {ex('Shelf')} }}")
    for name, text in (("shelve", SHELVE), ("note", NOTE)):
        made = await put_rule(api, name, text)
        assert made.status_code == 201, made.text


async def test_a_reason_leads_back_over_the_firings_of_rules_to_the_update(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await with_rules(api)
        await put(api, "noted", f"SELECT ?x ?note {{ ?x a {ex('Work')} ; {ex('note')} ?note }}", why=True)
        done = await api.post(
            "/updates",
            content=f"USING NAMESPACE ex {EX}\nTRANSACTION buy INSERT resource(ex:faust) AS INSTANCE OF Novel;;",
            headers=RDFTL,
        )
        assert [firing["rule"] for firing in done.json()["firings"]] == ["shelve", "note"]
        change = done.json()["schedule"]
        [reason] = (await last(api, "noted"))["why"]["added"]
        assert origin(reason, f'{ex("faust")} {ex("note")} "shelved"') == {
            "change": change,
            "firings": [
                {"rule": "note", "transaction": "buy", "depth": 2},
                {"rule": "shelve", "transaction": "buy", "depth": 1},
            ],
            "transaction": "buy",
            "author": "anonymous",
            "time": None,
        }
        assert "firings" not in origin(reason, f"{ex('faust')} {RDF_TYPE} {ex('Novel')}"), "the update did this itself"
        # The same long after, and after a restart; and of what goes, with another change.
    async with api_of(tmp_path) as api:
        later = (await api.get("/explain", params={"view": "noted"})).json()
        assert later["why"]["answer"] == [reason]
        await update(api, f"DELETE DATA {{ {ex('faust')} {ex('note')} 'shelved' }}")
        [gone] = (await last(api, "noted"))["why"]["removed"]
        assert gone == reason


async def test_who_inserts_last_is_who_inserted(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await with_rules(api)
        faust, note = "resource(ex:faust)", f'{ex("faust")} {ex("note")} "shelved"'
        begin = f"USING NAMESPACE ex {EX}\nTRANSACTION buy INSERT {faust} AS INSTANCE OF Novel;;"
        again = "".join(f"TRANSACTION buy {verb} ({faust}, ex:note, 'shelved');;" for verb in ("DELETE", "INSERT"))
        done = await api.post("/updates", content=begin + again, headers=RDFTL)
        assert (done.status_code, len(done.json()["firings"])) == (200, 2), done.text
        answer = (await explained(api, f"SELECT ?x {{ ?x {ex('note')} ?note }}")).json()
        assert "firings" not in origin(answer["why"]["answer"][0], note)


async def test_a_rule_that_an_event_triggers_leads_back_to_the_event(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await with_rules(api)
        assert (await put_rule(api, "shelve", SHELVE, listens="events")).status_code == 200
        await put(api, "shelved", f"SELECT ?x {{ ?x {ex('on')} ?shelf }}", why=True)
        first = await last(api, "shelved")
        body = f"{ex('faust')} {RDF_TYPE} {ex('Book')} <urn:event:1> ."
        assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201
        [change] = await told(api, "shelved", after=first["position"], wait=20)
        [reason] = change["why"]["added"]
        found = origin(reason, f"{ex('faust')} {ex('on')} {ex('top')}")
        assert found["firings"] == [{"rule": "shelve", "transaction": "urn:event:1", "depth": 1}]
        assert found["transaction"] == "urn:event:1"


async def test_what_a_rule_asserts_that_held_already_is_the_rules(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await with_rules(api)
        again = "ON INSERT (resource(), ex:wrote, resource()) IF True DO INSERT ($delta.source, ex:made, $delta.target)"
        made = await put_rule(api, "again", again)
        assert made.status_code == 201, made.text
        wrote = f"{ex('ann')} {ex('wrote')} {ex('it')}"
        await update(api, f"INSERT DATA {{ {ex('ann')} a {ex('Person')} . {wrote} . {ex('it')} a {ex('Novel')} }}")
        answer = (await explained(api, f"SELECT ?x {{ ?x {ex('made')} ?y }}")).json()
        [reason] = answer["why"]["answer"]
        assert origin(reason, f"{ex('ann')} {ex('made')} {ex('it')}")["firings"][0]["rule"] == "again"


async def test_what_is_not_kept_any_more_is_said_to_be_lost(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await with_rules(api)
        await update(api, f"INSERT DATA {{ {ex('it')} a {ex('Novel')} }}")
        query = f"SELECT ?x {{ ?x {ex('note')} ?note }}"
        note = f'{ex("it")} {ex("note")} "shelved"'

        async def of() -> dict[str, Any]:
            return origin((await explained(api, query)).json()["why"]["answer"][0], note)

        assert len((await of())["firings"]) == 2
        assert (await api.delete("/rules/shelve")).status_code == 204
        cut = await of()
        assert [firing["rule"] for firing in cut["firings"]] == ["note"]
        assert "firing was removed" in cut["lost"]
        assert (await api.delete("/rules/note")).status_code == 204
        assert "firing was removed" in (await of())["lost"], "it is not taken for the update's own"
        change = cut["change"]
        await api.node.broker.living.forget(0, None)
        await update(api, "INSERT DATA { }")
        assert await of() == {"change": change, "lost": "the record of the change was removed", "time": None}


async def test_what_was_there_before_this_was_kept_says_so(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 }")
        await api.node.broker.store.write(lambda tx: tx.execute("UPDATE quads SET change = NULL, unit = NULL"))
        [reason] = (await explained(api, "SELECT * { ?s <urn:p> ?o }")).json()["why"]["answer"]
        assert reason["quads"][0]["origin"] == {"lost": "it was asserted before this was kept"}


# Afterwards


async def explained(api: Api, query: str, **headers: str) -> Any:
    return await api.post("/explain", params={"over": "graph"}, content=query, headers=QUERY | headers)


async def test_an_answer_is_explained_after_the_fact(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 ; <urn:q> 1 }")
        await put(api, "view", P)
        found = (await api.get("/explain", params={"view": "view"})).json()
        assert values(found["answer"]) == [{"s": "urn:a", "o": "1"}]
        assert (found["change"], found["variables"]) == (1, ["s", "o"])
        assert [quads(one) for one in found["why"]["answer"]] == [[f"<urn:a> <urn:p> {ONE}", f"<urn:a> <urn:q> {ONE}"]]
        assert (await explained(api, P)).json() == found
        assert (await api.get("/explain", params={"query": P, "over": "graph"})).json() == found


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ("SELECT * { ?s <urn:p> ?o . ?o <urn:never> ?x }", "nothing matches ?o <urn:never> ?x"),
        ("SELECT * { ?s <urn:p> ?o . ?o <urn:q> ?x }", "nothing matches ?o <urn:q> ?x together with ?s <urn:p> ?o"),
        ("SELECT * { ?s <urn:p> ?o FILTER(?o > 5) }", "a FILTER or HAVING holds for none of the solutions"),
        ("SELECT * { ?s <urn:p> ?o MINUS { ?s <urn:q> 1 } }", "MINUS leaves out every solution"),
        ("ASK { { ?s <urn:r> 1 } UNION { ?s <urn:t> 2 } }", f"nothing matches ?s <urn:r> {ONE}; and"),
        ("SELECT * { ?s <urn:p> ?o } LIMIT 0", "there are solutions, but LIMIT"),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } }", "nothing matches GRAPH ?g { ?s ?p ?o }"),
        ("SELECT * { ?s <urn:p> ?o { SELECT ?s { ?s <urn:q> 7 } } }", "nothing matches ?s <urn:q>"),
    ],
)
async def test_where_there_is_no_answer_it_says_what_comes_closest(tmp_path: Path, query: str, nearest: str):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1 ; <urn:q> 1 }")
        found = (await explained(api, query)).json()
        assert not found["answer"]
        assert found["nearest"].startswith(nearest)


async def test_what_is_asked_wrongly_is_refused(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await put(api, "view")
        for params in ({"view": "view", "query": P}, {"view": "view", "event": "urn:e"}, {}):
            assert is_problem(await api.get("/explain", params=params), 400, "input-error")
        wrong = {"query": "?x", "language": "formula", "over": "graph"}
        assert is_problem(await api.get("/explain", params=wrong), 415, "unknown-format")
        assert is_problem(await api.get("/explain", params={"view": "none"}), 404, "unknown-subscription")
        await api.put("/subscriptions/other", content=P, headers=QUERY)
        assert is_problem(await api.get("/explain", params={"view": "other"}), 404, "unknown-subscription")


async def test_an_answer_that_is_too_large_to_explain_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("triplewire.node.views.service._MOST_EXPLAINED", 1)
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 1, 2 }")
        assert is_problem(await explained(api, "SELECT * { ?s <urn:p> ?o }"), 400, "limit-exceeded")
        assert (await explained(api, "SELECT * { ?s <urn:p> ?o } LIMIT 1")).status_code == 200


async def test_a15_a_client_with_a_limited_grant_explains_no_answer(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:secret> 1 }")
        limited = await api.register(rights={"subscribe": {"namespaces": ["urn:p"]}})
        assert is_problem(await explained(api, P, **limited), 403, "forbidden")
        yours = await api.register()
        await put(api, "view", "SELECT * { ?s ?p ?o }", why=True)
        found = await api.get("/explain", params={"view": "view"}, headers=yours)
        assert is_problem(found, 404, "unknown-subscription")


# Windows


async def test_a_window_joins_reasons_with_what_they_are_of(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await update(api, "INSERT DATA { <urn:a> <urn:p> 0 }")
        await put(api, "view", "SELECT ?o { ?s <urn:p> ?o }", why=True, window=0.5)
        first = await last(api, "view")
        change = await update(api, "INSERT DATA { <urn:a> <urn:p> 1, 2 } ; DELETE DATA { <urn:a> <urn:p> 0 }")
        await update(api, "DELETE DATA { <urn:a> <urn:p> 2 }")
        end = await update(api, "INSERT DATA { <urn:a> <urn:p> 3 }")
        [one] = await told(api, "view", after=first["position"], wait=20)
        assert [item["o"]["value"] for item in one["added"]] == ["1", "3"]
        assert [(reason.get("change"), quads(reason)[0].split('"')[1]) for reason in one["why"]["added"]] == [
            (change, "1"),
            (None, "3"),
        ]
        assert one["change"] == end
        [gone] = one["why"]["removed"]
        assert (gone["change"], quads(gone)[0].split('"')[1]) == (change, "0")


ITEMS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=4)


@given(st.lists(st.tuples(ITEMS, ITEMS), min_size=2, max_size=6))
def test_whatever_is_joined_each_item_keeps_a_reason_of_its_own(changes: list[tuple[list, list]]):
    """An item is a letter, and its reason says that letter and by what it was made."""
    query = parse_dataset_query("SELECT ?o { ?s <urn:p> ?o }")
    held: bytes | None = None
    seen: set[str] = set()
    for number, (added, removed) in enumerate(changes):
        # Both are net: nothing is in both.
        gone = [item for item in removed if item[0] not in {letter for letter, _ in added}]
        said = difference(
            query, *map(_bindings, (added, gone)), number, AnswerReasons(None, *map(_made, (added, gone)))
        )
        seen |= {f"{letter} {by}" for letter, by in (*added, *gone)}
        held = said if held is None else joined(held, said)
    if held is None:
        return
    found = json.decode(held)
    for side in ("added", "removed"):
        for item, reason in zip(found[side], found["why"].get(side, []), strict=True):
            [quad] = quads(reason)
            assert quad in seen
            assert quad[0] == item["o"]["value"]
    assert not items(found["added"]) & items(found["removed"])


def _bindings(said: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"o": Literal(letter)} for letter, _ in said]


def _made(said: list[tuple[str, str]]) -> tuple[Reason, ...]:
    return tuple(Reason((asserted(f"{letter} {by}"),)) for letter, by in said)


def test_what_was_said_without_reasons_is_joined_with_what_has_them():
    query = parse_dataset_query("SELECT ?o { ?s <urn:p> ?o }")
    before = difference(query, _bindings([("a", "")]), [], 1)
    after = difference(query, _bindings([("b", "")]), [], 2, AnswerReasons(added=_made([("b", "x")]), removed=()))
    found = json.decode(joined(before, after) or b"")
    assert [reason.get("truncated", False) for reason in found["why"]["added"]] == [True, False]


# What must hold of every reason, over a node


@pytest.mark.parametrize("seed", range(6))
async def test_over_the_quads_of_its_reason_a_solution_is_there(tmp_path: Path, seed: int):
    """Rules, a schema and random updates: each reason has what its solution needs, and it held when it says so."""
    rng = Random(seed)
    query = f"SELECT ?x ?y {{ ?x a {ex('Work')} ; {ex('on')} ?y OPTIONAL {{ ?x {ex('note')} ?n }} }}"
    async with api_of(tmp_path) as api:
        await with_rules(api)
        await put(api, "view", query, why=True)
        position = (await last(api, "view"))["position"]
        for _ in range(12):
            subject, cls = ex(rng.choice("abc")), ex(rng.choice(("Novel", "Book", "Work")))
            verb = rng.choice(("INSERT", "INSERT", "DELETE"))
            before = await holding(api)
            await api.post(
                "/update",
                content=f"{verb} DATA {{ {subject} a {cls} }}",
                headers={"Content-Type": "application/sparql-update"},
            )
            after = await holding(api)
            for change in await told(api, "view", after=position):
                position = change["position"]
                check(query, change["added"], change["why"].get("added", []), after)
                check(query, change["removed"], change["why"].get("removed", []), before)


async def holding(api: Api) -> set[str]:
    document = await api.get("/graph", params={"default": ""}, headers={"Accept": "application/n-triples"})
    return {line.removesuffix(" .") for line in document.text.splitlines()}


def check(query: str, said: list[Any], reasons: list[Any], state: set[str]) -> None:
    assert len(said) == len(reasons)
    for item, reason in zip(said, reasons, strict=True):
        assert set(quads(reason)) <= state
        asserted_ones = {one["quad"] for one in reason["quads"] if one["kind"] == "asserted"}
        for one in reason["quads"]:
            assert set(one.get("premises", ())) <= asserted_ones
            assert (one["kind"] == "inferred") == ("axioms" in one)
            if one["kind"] == "inferred":
                assert one["quad"] in closure([*one["axioms"], *one["premises"]])
        store = Store()
        store.extend(parse("".join(f"{quad} .\n" for quad in quads(reason)).encode(), RdfFormat.N_QUADS))
        found = store.query(query)
        rows = [{v.value: row[v].value for v in found.variables if row[v] is not None} for row in found]
        assert {name: term["value"] for name, term in item.items()} in rows
