"""Subscriptions, SPARQL, clients, taxonomy, status: the routes and who may use them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from tests.node.http.serving import NQUADS, QUERY, TURTLE, api_of, is_problem

from triplewire.node.access import identity

ALL = "SELECT ?s ?o { ?s <urn:p> ?o }"


async def publish(api, first: int, last: int, **options):
    body = "".join(f'<urn:s> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(first, last + 1))
    answer = await api.post("/events", content=body, headers=NQUADS | options.get("headers", {}))
    assert answer.status_code == 201, answer.text


async def test_subscribe_read_acknowledge_unsubscribe(tmp_path: Path):
    async with api_of(tmp_path) as api:
        assert (await api.put("/subscriptions/all", content=ALL, headers=QUERY)).status_code == 201
        assert (await api.put("/subscriptions/all", content=ALL, headers=QUERY)).status_code == 200
        await publish(api, 1, 5)
        page = (await api.get("/subscriptions/all/notifications", params={"limit": 2})).json()
        assert [one["position"] for one in page["notifications"]] == [1, 2]
        assert page["notifications"][0] == {
            "event": "urn:e:1",
            "solutions": [{"s": {"type": "uri", "value": "urn:s"}, "o": {"type": "literal", "value": "1"}}],
            "position": 1,
        }
        assert page["next"] == 2
        assert (await api.post("/subscriptions/all/ack", params={"position": 4})).status_code == 204
        page = (await api.get("/subscriptions/all/notifications")).json()
        assert ([one["position"] for one in page["notifications"]], page["next"]) == ([5], None)
        shown = (await api.get("/subscriptions/all")).json()
        assert (shown["state"], shown["acknowledged"], shown["latest"]) == ("live", 4, 5)
        assert (await api.delete("/subscriptions/all")).status_code == 204
        assert is_problem(await api.get("/subscriptions/all"), 404, "unknown-subscription")


@pytest.mark.parametrize(("start", "expected"), [("beginning", [1, 2, 3, 4]), ("2", [3, 4]), ("now", [4])])
async def test_where_a_subscription_starts(tmp_path: Path, start: str, expected: list[int]):
    async with api_of(tmp_path) as api:
        await publish(api, 1, 3)
        answer = await api.put("/subscriptions/all", params={"start": start}, content=ALL, headers=QUERY)
        assert answer.status_code == 201
        await publish(api, 4, 4)
        page = (await api.get("/subscriptions/all/notifications", params={"after": 0})).json()
        assert [one["position"] for one in page["notifications"]] == expected


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("application/sparql-query", ALL),
        ("text/x-triplewire-graph", "?s <urn:p> ?o ."),
        ("text/x-triplewire-formula", "X, Y: t(X, <urn:p>, Y)"),
    ],
)
async def test_each_language(tmp_path: Path, media_type: str, text: str):
    async with api_of(tmp_path) as api:
        answer = await api.put("/subscriptions/a", content=text, headers={"Content-Type": media_type})
        assert answer.status_code == 201, answer.text
        await publish(api, 1, 1)
        assert len((await api.get("/subscriptions/a/notifications")).json()["notifications"]) == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT * { " + "{" * 3000 + "}" * 3000 + " }", "limit-exceeded"),
        ("SELECT * { FILTER(" + "(" * 6000 + "1" + ")" * 6000 + ") }", "limit-exceeded"),
        ("SELECT * { FILTER(" + "!" * 10000 + "true) }", "limit-exceeded"),
        ("SELECT * { FILTER(true" + " && true" * 5000 + ") }", "limit-exceeded"),
    ],
    ids=["groups", "parentheses", "not", "and"],
)
@pytest.mark.parametrize("where", ["subscription", "sparql", "explain"])
async def test_a2_deeply_nested_sparql_is_refused_everywhere(tmp_path: Path, text: str, kind: str, where: str):
    async with api_of(tmp_path) as api:
        if where == "subscription":
            answer = await api.put("/subscriptions/deep", content=text, headers=QUERY)
        elif where == "sparql":
            answer = await api.post("/events/sparql", content=text, headers=QUERY)
        else:
            answer = await api.get("/explain", params={"query": text})
        assert is_problem(answer, 400, kind)
        assert (await api.get("/health")).status_code == 200


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "SERVICE"),
        ("SELECT * FROM <http://127.0.0.1:1/> { ?s ?p ?o }", "FROM"),
        ("LOAD <http://127.0.0.1:1/>", "LOAD"),
    ],
)
async def test_a10_what_would_send_requests_is_refused_by_name(tmp_path: Path, text: str, feature: str):
    async with api_of(tmp_path) as api:
        for answer in (
            await api.put("/subscriptions/a", content=text, headers=QUERY),
            await api.post("/events/sparql", content=text, headers=QUERY),
            await api.get("/events/sparql", params={"query": text}),
        ):
            assert answer.status_code == 400
            assert feature in answer.json()["detail"]
        context = '{"@context": "http://127.0.0.1:1/", "@id": "urn:a", "p": 1}'
        remote = await api.post("/events", content=context, headers={"Content-Type": "application/ld+json"})
        assert remote.status_code == 400


async def test_sparql_over_everything_that_is_kept(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await publish(api, 1, 3)
        count = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
        answer = await api.get("/events/sparql", params={"query": count}, headers={"Accept": "text/csv"})
        assert answer.text.split() == ["n", "3"]
        for media_type in ("application/sparql-results+json", "application/sparql-results+xml", "text/csv"):
            answer = await api.post("/events/sparql", content=ALL, headers=QUERY | {"Accept": media_type})
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith(media_type)
        made = "CONSTRUCT { ?o <urn:of> ?s } { ?s <urn:p> ?o FILTER(isIRI(?o)) }"
        answer = await api.post("/events/sparql", data={"query": made}, headers={"Accept": "text/turtle"})
        assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, "text/turtle")
        yes = await api.post("/events/sparql", data={"query": "ASK { ?s <urn:p> '3' }"})
        assert yes.json()["boolean"] is True
        await publish(api, 4, 4)
        yes = await api.post("/events/sparql", data={"query": "ASK { ?s <urn:p> '4' }"})
        assert yes.json()["boolean"] is True


async def test_a11_a_query_that_runs_away_is_ended_from_outside_and_the_node_goes_on(tmp_path: Path):
    async with api_of(tmp_path, query_seconds=1.0) as api:
        await publish(api, 1, 300)
        cross = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(6)) + " }"
        assert is_problem(await api.post("/events/sparql", content=cross, headers=QUERY), 503, "budget-exceeded")
        await publish(api, 301, 301)
        yes = await api.post("/events/sparql", data={"query": "ASK { ?s <urn:p> '301' }"})
        assert yes.json()["boolean"] is True


async def test_a12_nobody_gets_in_without_a_secret(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        for headers in ({"Authorization": ""}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}):
            for method, path in (
                ("POST", "/events"),
                ("GET", "/events"),
                ("GET", "/events/urn:e:1"),
                ("PUT", "/subscriptions/a"),
                ("GET", "/subscriptions"),
                ("GET", "/subscriptions/a/notifications"),
                ("POST", "/events/sparql"),
                ("GET", "/clients"),
                ("GET", "/taxonomy"),
                ("PUT", "/taxonomy"),
                ("GET", "/metrics"),
            ):
                answer = await api.request(method, path, headers=headers)
                assert is_problem(answer, 401, "unauthenticated"), path
                assert "Bearer" in answer.headers["www-authenticate"]
        assert (await api.get("/health", headers={"Authorization": ""})).status_code == 200


async def test_a_client_has_its_own_subscriptions_only(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        one, two = await api.register(name="one"), await api.register(name="two")
        await api.put("/subscriptions/mine", content=ALL, headers=QUERY | one)
        assert is_problem(await api.get("/subscriptions/mine", headers=two), 404, "unknown-subscription")
        assert is_problem(await api.delete("/subscriptions/mine", headers=two), 404, "unknown-subscription")
        answer = await api.get("/subscriptions/mine/notifications", headers=two)
        assert is_problem(answer, 404, "unknown-subscription")
        owner = (await api.get("/subscriptions/mine", headers=one)).json()["owner"]
        answer = await api.get("/subscriptions/mine", params={"owner": owner}, headers=two)
        assert is_problem(answer, 404, "unknown-subscription")
        assert (await api.get("/subscriptions/mine", params={"owner": owner})).status_code == 200
        assert is_problem(await api.get("/clients", headers=one), 403, "forbidden")
        assert is_problem(await api.put("/taxonomy", content="", headers=TURTLE | one), 403, "forbidden")


async def test_a12_the_secret_is_kept_as_a_hash_only_and_the_public_identifier_opens_nothing(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        answer = (await api.post("/clients", json={"name": "one"})).json()
        files = b"".join(path.read_bytes() for path in tmp_path.glob("triplewire.sqlite*"))
        assert answer["secret"].encode() not in files
        assert answer["secret"][4:].encode() not in files
        stolen = {"Authorization": f"Bearer {answer['id']}"}
        assert is_problem(await api.get("/events", headers=stolen), 401, "unauthenticated")


async def test_a12_a_key_is_registered_by_whoever_holds_it(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        private = identity.new_private_key()
        public = identity.public_key_of(private)

        def wanted(proof: bytes) -> dict[str, str]:
            return {
                "name": "one",
                "public_key": base64.b64encode(public).decode(),
                "proof": base64.b64encode(proof).decode(),
            }

        node = (await api.get("/health")).json()["node"]
        answer = await api.post("/clients", json=wanted(identity.proof_of(private, node)))
        assert answer.status_code == 201
        assert answer.json()["id"] == identity.public_identifier(public)
        assert "private_key" not in answer.json()
        for proof in (b"", identity.proof_of(identity.new_private_key(), node), identity.proof_of(private, "other")):
            assert is_problem(await api.post("/clients", json=wanted(proof)), 401, "unauthenticated")


async def test_a15_a_limited_client_cannot_ask_the_repository(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        limited = await api.register(rights={"subscribe": {"namespaces": ["urn:open:"]}})
        await publish(api, 1, 1)
        answer = await api.post("/events/sparql", content=ALL, headers=QUERY | limited)
        assert is_problem(answer, 403, "forbidden")
        assert (await api.get("/events", headers=limited)).text == ""
        assert is_problem(await api.get("/events/urn:e:1", headers=limited), 404, "unknown-event")


async def test_a9_a_rate_is_429_with_the_time_to_wait(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        slow = await api.register(rights={"quotas": {"events_per_second": 1}})
        await publish(api, 1, 2, headers=slow)
        answer = await api.post("/events", content="<urn:a> <urn:p> 1 .", headers=TURTLE | slow)
        assert is_problem(answer, 429, "quota-exceeded")
        assert int(answer.headers["retry-after"]) >= 1
        await publish(api, 3, 50)


async def test_a_client_that_is_removed_is_out(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        answer = (await api.post("/clients", json={"name": "one"})).json()
        its = {"Authorization": f"Bearer {answer['secret']}"}
        await api.put("/subscriptions/a", content=ALL, headers=QUERY | its)
        assert (await api.delete(f"/clients/{answer['id']}")).status_code == 204
        assert is_problem(await api.get("/events", headers=its), 401, "unauthenticated")
        assert (await api.get("/subscriptions")).json() == {"subscriptions": []}
        assert is_problem(await api.delete(f"/clients/{answer['id']}"), 404, "unknown-client")
        assert is_problem(await api.delete("/clients/admin"), 403, "forbidden")


async def test_the_taxonomy_is_read_by_new_events(tmp_path: Path):
    async with api_of(tmp_path) as api:
        rdfs = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        answer = await api.put("/taxonomy", content=f"<urn:Journal> {rdfs} <urn:Publication> .", headers=TURTLE)
        assert answer.status_code == 204
        assert "<urn:Journal>" in (await api.get("/taxonomy")).text
        text = "PREFIX tw: <urn:triplewire:> SELECT ?s { ?s <urn:in> ?j FILTER(tw:isA(?j, <urn:Publication>)) }"
        await api.put("/subscriptions/a", content=text, headers=QUERY)
        await api.post("/events", content="<urn:a> <urn:in> <urn:j> . <urn:j> a <urn:Journal> .", headers=TURTLE)
        assert len((await api.get("/subscriptions/a/notifications")).json()["notifications"]) == 1
        cycle = f"<urn:a> {rdfs} <urn:b> . <urn:b> {rdfs} <urn:a> ."
        assert is_problem(await api.put("/taxonomy", content=cycle, headers=TURTLE), 400, "taxonomy-cycle")


async def test_explain_health_metrics_and_the_document(tmp_path: Path):
    async with api_of(tmp_path) as api:
        explained = (await api.get("/explain", params={"query": ALL})).json()
        assert (explained["lane"], explained["unindexed"]) == ("fast", False)
        await api.put("/subscriptions/all", content=ALL, headers=QUERY)
        await publish(api, 1, 3)
        metrics = (await api.get("/metrics")).text
        for line in ("triplewire_published_total 3", "triplewire_matched_total 3"):
            assert line in metrics
        assert 'triplewire_oldest_undelivered_seconds{owner="anonymous",subscription="all"}' in metrics
        document = (await api.get("/openapi.json")).json()
        assert {"/events", "/subscriptions/{name}", "/sparql", "/taxonomy", "/clients"} <= set(document["paths"])
        assert is_problem(await api.get("/nowhere"), 404, "http")
        assert is_problem(await api.patch("/events"), 405, "http")
