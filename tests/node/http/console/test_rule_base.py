"""`/analysis`: what the analysis says of all rules, also of one that is not registered yet."""

from __future__ import annotations

from pathlib import Path

from tests.node.http.serving import TURTLE, api_of, is_problem

RDFTL = {"Content-Type": "text/x-triplewire-rdftl"}
SCHEMA = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:title> rdfs:domain <urn:Book> ; rdfs:range xsd:string .
<urn:seen> rdfs:domain <urn:Book> ; rdfs:range xsd:string ."""
FIRST = "RULE first ON INSERT resource() AS INSTANCE OF Book IF True DO INSERT ($delta, title, 'untitled')"
SECOND = "RULE second ON INSERT (resource(), title, _) IF True DO INSERT ($delta.source, seen, 'yes');;"
ENDLESS = "RULE again ON INSERT (resource(), seen, _) IF True DO INSERT ($delta.source, title, 'x');;"


async def prepared(api) -> None:
    assert (await api.put("/schema", content=SCHEMA, headers=TURTLE)).status_code == 204
    assert (await api.put("/rules/first", content=FIRST, headers=RDFTL)).status_code == 201


async def test_a_rule_stands_above_those_that_it_may_trigger(tmp_path: Path):
    async with api_of(tmp_path) as api:
        assert (await api.get("/analysis")).json()["kind"] == "no rules"
        await prepared(api)
        found = (await api.post("/analysis", content=SECOND, headers=RDFTL)).json()
        assert (found["kind"], found["layers"]) == ("analysed", [["first"], ["second"]])
        [arc] = found["arcs"]
        assert (arc["rule"], arc["triggers"], arc["on_cycle"]) == ("first", "second", False)
        assert "ends" in {one["label"] for one in found["findings"]}
        assert [rule["id"] for rule in (await api.get("/rules")).json()["rules"]] == ["first"], "nothing is registered"


async def test_what_may_not_end_is_told_before_it_is_registered(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        found = (await api.post("/analysis", content=SECOND + ENDLESS, headers=RDFTL)).json()
        [cycle] = [one for one in found["findings"] if one["label"] == "may not end"]
        assert set(cycle["rules"]) == {"second", "again"}
        assert {arc["rule"] for arc in found["arcs"] if arc["on_cycle"]} == {"second", "again"}


async def test_without_a_schema_nothing_is_said_for_sure(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put(
            "/rules/first", content=FIRST.replace("Book", "<urn:B>").replace("title", "<urn:t>"), headers=RDFTL
        )
        assert (await api.get("/analysis")).json()["kind"] == "no schema"


async def test_a_mistake_has_a_place_and_anothers_rules_are_not_shown(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        refused = await api.post("/analysis", content="RULE x ON", headers=RDFTL)
        assert refused.status_code == 400
        assert refused.json()["line"] == 1
        other = await api.register()
        assert (await api.get("/analysis", headers=other)).json()["kind"] == "no rules"
        restricted = await api.register(rights={"subscribe": {"namespaces": ["urn:"]}})
        assert is_problem(await api.get("/analysis", headers=restricted), 403, "forbidden")
