"""Requests that are wrong in ways that would do harm if they were taken."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from tests.node.http.serving import NQUADS, QUERY, TURTLE, api_of, is_problem

ALL = "SELECT ?o { ?s <urn:p> ?o }"
PAGE = "/subscriptions/all/notifications"


async def publish(api, first: int, last: int) -> None:
    body = "".join(f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(first, last + 1))
    assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201


@pytest.mark.parametrize(
    "rights",
    [
        {"publish": {"namespace": ["urn:mine:"]}},
        {"subscribe": {"graph": ["urn:mine:"]}},
        {"quota": {"subscriptions": 1}},
        {"quotas": {"events": 1}},
        {"quotas": {"events_per_second": 0}},
        {"quotas": {"events_per_second": -1}},
        {"quotas": {"subscriptions": -1}},
        {"quotas": {"outbox_bytes": 1 << 70}},
        {"is_admin": "perhaps"},
    ],
)
async def test_a15_rights_with_a_word_or_a_number_that_means_nothing_give_no_rights_at_all(tmp_path: Path, rights):
    async with api_of(tmp_path, open=False) as api:
        answer = await api.post("/clients", json={"name": "one", "rights": rights})
        assert is_problem(answer, 400, "input-error")
        assert [client["id"] for client in (await api.get("/clients")).json()["clients"]] == ["admin"]


async def test_a9_the_slowest_rate_still_lets_one_event_in(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        slow = await api.register(rights={"quotas": {"events_per_second": 0.0001}})
        statuses = [
            (await api.post("/events", content="<urn:a> <urn:p> 1 .", headers=TURTLE | slow)).status_code
            for _ in range(2)
        ]
        assert statuses == [201, 429]


@pytest.mark.parametrize("position", [6, 10**9, 2**63 - 1])
async def test_what_is_still_to_come_cannot_be_acknowledged(tmp_path: Path, position: int):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await publish(api, 1, 5)
        answer = await api.post("/subscriptions/all/ack", params={"position": position})
        assert is_problem(answer, 400, "input-error")
        await publish(api, 6, 6)
        assert len((await api.get(PAGE)).json()["notifications"]) == 6


async def test_f5_whoever_asks_for_what_is_far_ahead_makes_nobody_lose_what_comes(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        tight = await api.register(rights={"quotas": {"outbox_bytes": 2_000}})
        await api.put("/subscriptions/all", content=ALL, headers=QUERY | tight)
        await publish(api, 1, 50)
        ahead = (await api.get(PAGE, params={"after": 2**63 - 1}, headers=tight)).json()
        assert ahead["notifications"] == []
        await publish(api, 51, 100)
        found, after = [], 0
        while after is not None:
            page = (await api.get(PAGE, params={"after": after, "limit": 10}, headers=tight)).json()
            assert page.get("gap", 0) <= 100
            found += [one["position"] for one in page["notifications"]]
            after = page["next"]
        assert found[-1] == 100
        assert found == sorted(set(found))


async def test_pages_end_with_null_where_they_end(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await publish(api, 1, 6)
        nexts = [(await api.get(PAGE, params={"limit": limit})).json()["next"] for limit in (5, 6, 7)]
        assert nexts == [5, None, None]
        links = [(await api.get("/events", params={"limit": limit})).links for limit in (5, 6, 7)]
        assert [bool(link) for link in links] == [True, False, False]


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 20, "", "0x1", "\x00", "null", "1e3"])
async def test_a_position_that_is_none_is_refused(tmp_path: Path, after: str):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        for path in (PAGE, "/events", "/dead-letters"):
            assert is_problem(await api.get(path, params={"after": after}), 422, "malformed-request")


async def test_another_charset_than_utf8_is_refused_everywhere(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for charset in ("latin-1", "utf-16", '"iso-8859-1"'):
            for method, path, media_type, body in (
                ("POST", "/events", "text/turtle", "<urn:a> <urn:p> 'é' ."),
                ("PUT", "/taxonomy", "text/turtle", ""),
                ("PUT", "/subscriptions/a", "application/sparql-query", ALL),
                ("POST", "/sparql", "application/sparql-query", ALL),
            ):
                headers = {"Content-Type": f"{media_type}; charset={charset}"}
                answer = await api.request(method, path, content=body.encode(), headers=headers)
                assert is_problem(answer, 415, "unknown-format"), path
        for charset in ("utf-8", "UTF-8", '"utf-8"', "us-ascii"):
            headers = {"Content-Type": f"text/turtle; charset={charset}"}
            assert (await api.post("/events", content="<urn:a> <urn:p> 1 .", headers=headers)).status_code == 201


IRIS = [
    "http://example.org/ü?q=1#f",
    "urn:e:%2F",
    "http://example.org/%C3%BC",
    "http://example.org/a?b=c&d=e",
    "urn:x:a/../b",
    "urn:x:+",
    "http://example.org//a//",
]


@pytest.mark.parametrize("iri", IRIS)
async def test_an_event_is_found_under_its_iri_percent_encoded(tmp_path: Path, iri: str):
    async with api_of(tmp_path) as api:
        await api.post("/events", params={"graph": iri}, content="<urn:a> <urn:p> <urn:o> .", headers=TURTLE)
        found = await api.get(f"/events/{quote(iri, safe='')}")
        assert found.text == f"<urn:a> <urn:p> <urn:o> <{iri}> .\n"
        other = await api.get(f"/events/{quote(iri, safe='')}", headers={"Accept": "text/turtle"})
        assert other.headers["etag"] != found.headers["etag"]


async def test_there_are_no_redirects(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for path in ("/subscriptions/", "/health/", "/subscriptions/%2F"):
            assert is_problem(await api.get(path), 404, "http")


async def test_only_a_construct_query_has_a_payload_of_triples(tmp_path: Path):
    async with api_of(tmp_path) as api:
        params = {"payload": "construct"}
        answer = await api.put("/subscriptions/a", params=params, content=ALL, headers=QUERY)
        assert is_problem(answer, 400, "input-error")
        made = "CONSTRUCT { ?o <urn:of> ?s } { ?s <urn:p> ?o }"
        assert (await api.put("/subscriptions/a", params=params, content=made, headers=QUERY)).status_code == 201


RDFS = "http://www.w3.org/2000/01/rdf-schema#"


@pytest.mark.parametrize(
    ("media_type", "body", "status"),
    [
        ("text/turtle", b"garbage", 400),
        ("text/turtle", b"\xff", 400),
        ("text/turtle", f"<urn:a> <{RDFS}subClassOf> 1 .".encode(), 400),
        ("text/turtle", f"<urn:a> <{RDFS}subClassOf> <urn:b> . <urn:b> <{RDFS}subClassOf> <urn:a> .".encode(), 400),
        ("image/png", b"x", 415),
        ("", b"x", 415),
    ],
)
async def test_a_bad_taxonomy_leaves_the_one_that_is_there(tmp_path: Path, media_type: str, body: bytes, status: int):
    async with api_of(tmp_path) as api:
        good = f"<urn:Journal> <{RDFS}subClassOf> <urn:Publication> ."
        assert (await api.put("/taxonomy", content=good, headers=TURTLE)).status_code == 204
        answer = await api.put("/taxonomy", content=body, headers={"Content-Type": media_type})
        assert answer.status_code == status
        assert "<urn:Journal>" in (await api.get("/taxonomy")).text
