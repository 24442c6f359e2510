"""Attacks through the API, by their rows: depth, entities, regular expressions, substrings, cliques, paths."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from tests.node.http.serving import NQUADS, QUERY, TURTLE, api_of, is_problem

DEEP = 5_000


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/turtle", "<urn:s> <urn:p> " + "[ <urn:p> " * DEEP + "1" + " ]" * DEEP + " ."),
        ("text/turtle", "<urn:s> <urn:p> " + "(" * DEEP + ")" * DEEP + " ."),
        ("application/ld+json", '{"@id":"urn:s","urn:p":' + '{"urn:p":' * DEEP + "1" + "}" * DEEP + "}"),
        ("application/ld+json", "[" * DEEP + "]" * DEEP),
    ],
    ids=["blank nodes", "lists", "objects", "arrays"],
)
async def test_a3_deep_documents_are_refused_and_the_node_goes_on(tmp_path: Path, media_type: str, body: str):
    async with api_of(tmp_path) as api:
        answer = await api.post("/events", content=body, headers={"Content-Type": media_type})
        assert is_problem(answer, 400, "limit-exceeded")
        assert (await api.put("/taxonomy", content=body, headers={"Content-Type": media_type})).status_code == 400
        assert (await api.get("/events")).text == ""
        assert (await api.post("/events", content="<urn:s> <urn:p> 1 .", headers=TURTLE)).status_code == 201


async def test_a4_an_entity_bomb_is_refused_as_event_and_as_taxonomy(tmp_path: Path):
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE bomb [<!ENTITY l0 "lol">{lines}]><bomb>&l11;</bomb>'

    async with api_of(tmp_path) as api:
        markup = {"Content-Type": "application/rdf+xml"}
        assert is_problem(await api.post("/events", content=bomb, headers=markup), 413, "limit-exceeded")
        assert is_problem(await api.put("/taxonomy", content=bomb, headers=markup), 413, "limit-exceeded")
        elsewhere = "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>"
        assert is_problem(await api.post("/events", content=elsewhere, headers=markup), 400, "refused-feature")


async def test_a5_an_oversized_regular_expression_is_refused_when_subscribing(tmp_path: Path):
    async with api_of(tmp_path) as api:
        text = 'SELECT * { ?s ?p ?o FILTER REGEX(?o, "' + "(a{1,1000}){1,1000}" + '") }'
        assert is_problem(await api.put("/subscriptions/bomb", content=text, headers=QUERY), 400, "limit-exceeded")
        assert (await api.get("/subscriptions")).json() == {"subscriptions": []}


async def test_a6_one_character_substrings_by_the_thousand_are_bounded_and_accounted_to_their_owner(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        greedy = await api.register(name="greedy", rights={"quotas": {"subscriptions": 200}})
        modest = await api.register(name="modest")
        statuses = []
        for number in range(210):
            text = f'SELECT * {{ ?s ?p ?o FILTER CONTAINS(?o, "{chr(97 + number % 26)}") }}'
            answer = await api.put(f"/subscriptions/s{number}", content=text, headers=QUERY | greedy)
            statuses.append(answer.status_code)
        assert statuses == [201] * 200 + [429] * 10
        await api.put("/subscriptions/one", content="SELECT * { ?s <urn:p> ?o }", headers=QUERY | modest)
        body = "".join(f'<urn:s> <urn:p> "abc {n}" <urn:e:{n}> .\n' for n in range(20))
        assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201
        costs = {}
        for line in (await api.get("/metrics")).text.splitlines():
            if line.startswith("triplewire_candidates_by_owner_total{"):
                name, _, value = line.partition("} ")
                costs[name.partition('owner="')[2].rstrip('"')] = float(value)
        [mine] = {one["owner"] for one in (await api.get("/subscriptions", headers=modest)).json()["subscriptions"]}
        [theirs] = set(costs) - {mine}
        assert costs[mine] == 20
        assert costs[theirs] > costs[mine]
        page = (await api.get("/subscriptions/one/notifications", headers=modest)).json()
        assert len(page["notifications"]) == 20


async def test_a8_a_clique_of_blank_nodes_is_published_without_canonicalisation(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = "".join(f"_:n{a} <urn:p> _:n{b} .\n" for a, b in permutations(range(12), 2))
        assert (await api.post("/events?graph=urn:e:1", content=body, headers=TURTLE)).status_code == 201
        assert (await api.post("/events?graph=urn:e:1", content=body, headers=TURTLE)).status_code == 201


PATHS = [
    "../../outside",
    "..%2F..%2Foutside",
    "%2Fetc%2Fpasswd",
    "file:%2F%2F%2Fetc%2Fpasswd",
    "a%00b",
    "....//outside",
]


async def test_a17_no_name_from_outside_becomes_a_path(tmp_path: Path):
    home = tmp_path / "home"
    data = home / "data"
    home.mkdir()
    (home / "secret").write_text("nobody reads this")

    async with api_of(data) as api:
        for path in PATHS:
            assert (await api.get(f"/events/{path}")).status_code in (400, 404, 422)
            await api.put(f"/subscriptions/{path}", content="ASK { ?s ?p ?o }", headers=QUERY)
            await api.delete(f"/clients/{path}")
        for graph in ("file:///etc/passwd", f"file://{home}/secret", "urn:x:../../../outside"):
            answer = await api.post("/events", params={"graph": graph}, content="<urn:s> <urn:p> 1 .", headers=TURTLE)
            assert answer.status_code == 201
            read = await api.get(f"/events/{graph.replace(':', '%3A').replace('/', '%2F')}")
            assert read.text == f'<urn:s> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <{graph}> .\n'
        for name in ("../outside", "a/../../outside"):
            registered = await api.post("/clients", json={"name": name})
            assert registered.status_code == 201
        answer = await api.post(
            "/events/sparql", data={"query": f"SELECT * {{ GRAPH <file://{home}/secret> {{ ?s ?p ?o }} }}"}
        )
        assert "nobody reads this" not in answer.text
    assert sorted(path.name for path in home.iterdir()) == ["data", "secret"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
    assert (home / "secret").read_text() == "nobody reads this"
