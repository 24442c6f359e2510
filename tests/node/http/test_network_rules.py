"""`?scope=network`, `/rules/relevance`, `/transactions`, `/privileges`: what they answer and refuse, and whom."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.node.http.federations import ME, OTHER, StubFederation
from tests.node.http.serving import TURTLE, Api, api_of, is_problem

from triplewire.node.transport.keys import NetworkKey

RDFTL = {"Content-Type": "text/x-triplewire-rdftl"}
NETWORK = {"scope": "network"}
RULE = "ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT ($delta, seen, 'yes')"
UPDATE = "INSERT resource(<urn:a>) AS INSTANCE OF LO;;"
READER = {"rights": {"publish": None}}
CALLS = [
    ("GET", "/rules", NETWORK, None),
    ("PUT", "/rules/seen", NETWORK, RULE),
    ("GET", "/rules/seen", NETWORK, None),
    ("DELETE", "/rules/seen", NETWORK, None),
    ("POST", "/rules/relevance", {}, RULE),
    ("POST", "/updates", NETWORK, UPDATE),
    ("GET", "/transactions/sp-x/1", {}, None),
    ("GET", "/transactions/sp-x/1/trace", {}, None),
    ("DELETE", "/transactions/sp-x/1", {}, None),
    ("GET", "/privileges", {}, None),
    ("PUT", "/privileges", {}, "{}"),
    ("GET", "/schema", NETWORK, None),
]


@asynccontextmanager
async def federated(folder: Path, federation: StubFederation | None = None, **settings):
    """A node whose federation is a stub."""
    async with api_of(folder, **settings) as api:
        api.node.federation = federation or StubFederation()
        yield api


async def called(api: Api, method: str, path: str, params: dict[str, str], body: str | None, **headers: str):
    return await api.request(method, path, params=params, content=body, headers=RDFTL | headers)


async def put(api: Api, name: str, headers: dict[str, str] | None = None, **params: str):
    return await api.put(f"/rules/{name}", content=RULE, params=NETWORK | params, headers=RDFTL | (headers or {}))


async def test_a_rule_is_registered_listed_read_and_removed(tmp_path: Path):
    async with federated(tmp_path) as api:
        made = await put(api, "seen", abort="MUTUAL")
        assert made.status_code == 201, made.text
        assert made.json() == {
            "id": f"{ME}.1",
            "name": "seen",
            "origin": ME,
            "owner": "anonymous",
            "text": RULE,
            "abort": "MUTUAL",
            "registered": 1.5,
            "is_awake": True,
        }
        assert (await api.get("/rules", params=NETWORK)).json() == {"rules": [made.json()]}
        assert (await api.get("/rules")).json() == {"rules": []}, "it is none of the node's"
        for name in ("seen", f"{ME}.1"):
            assert (await api.get(f"/rules/{name}", params=NETWORK)).json() == made.json()
        text = await api.get("/rules/seen", params=NETWORK, headers={"Accept": RDFTL["Content-Type"]})
        assert (text.text, text.headers["content-type"].partition(";")[0]) == (RULE, RDFTL["Content-Type"])
        assert (await api.delete("/rules/seen", params=NETWORK)).status_code == 204
        assert is_problem(await api.delete("/rules/seen", params=NETWORK), 404, "unknown-rule")


async def test_a_rule_of_another_super_peer_can_only_be_deleted_there(tmp_path: Path):
    federation = StubFederation()
    federation.add_replica()
    async with federated(tmp_path, federation) as api:
        refused = await api.delete(f"/rules/{OTHER}.1", params=NETWORK)
        assert is_problem(refused, 403, "forbidden")
        assert OTHER in refused.json()["found"]


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"abort": "MUTUAL"}, "`abort` with scope=network only"),
        ({"scope": "network", "listens": "events"}, "`listens` with scope=node only"),
    ],
)
async def test_what_a_scope_has_no_use_for_is_refused(tmp_path: Path, params: dict[str, str], wanted: str):
    async with federated(tmp_path) as api:
        refused = await api.put("/rules/seen", content=RULE, params=params, headers=RDFTL)
        assert is_problem(refused, 400, "input-error")
        assert refused.json()["wanted"] == wanted


async def test_an_unknown_scope_or_abort_dependency_is_malformed(tmp_path: Path):
    async with federated(tmp_path) as api:
        for params in ({"scope": "world"}, {"scope": "network", "abort": "NEVER"}):
            answer = await api.put("/rules/seen", content=RULE, params=params, headers=RDFTL)
            assert is_problem(answer, 422, "malformed-request")


async def test_whom_a_rule_concerns_is_said_with_reasons(tmp_path: Path):
    async with federated(tmp_path) as api:
        answer = await api.post("/rules/relevance", content=RULE, params={"wait": "0.5"}, headers=RDFTL)
        assert answer.status_code == 200, answer.text
        assert api.node.federation.asked == [("relevance", "anonymous", RULE, 0.5)]
        first, second = answer.json()["concerns"]
        assert first == {
            "super_peer": ME,
            "peer": "",
            "part": "event",
            "is_concerned": True,
            "reason": "it has data of <urn:LO>",
        }
        assert (second["peer"], second["part"], second["is_concerned"]) == ("tw-ann", "actions", False)
        assert answer.json()["unanswered"] == ["sp-away"]


@pytest.mark.parametrize(("status", "code"), [("committed", 200), ("aborted", 200), ("active", 202)])
async def test_a_transaction_is_submitted_and_its_answer_says_where_to_ask_again(
    tmp_path: Path, status: str, code: int
):
    async with federated(tmp_path, StubFederation(status)) as api:
        answer = await api.post("/updates", content=UPDATE, params=NETWORK | {"wait": "3"}, headers=RDFTL)
        assert answer.status_code == code, answer.text
        assert answer.json() == {"transaction": f"{ME}/1", "peer": ME, "status": status, "reason": ""}
        assert api.node.federation.asked == [("submit", "anonymous", UPDATE, 3.0)]
        again = await api.get(answer.headers["location"])
        assert again.json() == answer.json()


async def test_a_transaction_is_traced_and_withdrawn(tmp_path: Path):
    async with federated(tmp_path) as api:
        trace = (await api.get(f"/transactions/{ME}/1/trace")).json()
        assert [(unit["id"], unit["parent"], unit["status"]) for unit in trace["units"]] == [
            (f"{ME}/1", None, "committed"),
            (f"{OTHER}/4", f"{ME}/1", "aborted"),
        ]
        assert trace["arcs"] == [{"unit": f"{OTHER}/4", "other": f"{ME}/1"}]
        gone = (await api.delete(f"/transactions/{ME}/7")).json()
        assert (gone["transaction"], gone["status"]) == (f"{ME}/7", "aborted")
        assert is_problem(await api.get(f"/transactions/{ME}/none"), 422, "malformed-request")


async def test_nobody_makes_a_node_wait_for_long(tmp_path: Path):
    async with federated(tmp_path) as api:
        for wait in ("-1", "61", "nan", "inf"):
            refused = await api.post("/updates", content=UPDATE, params=NETWORK | {"wait": wait}, headers=RDFTL)
            assert is_problem(refused, 422, "malformed-request"), wait
        assert api.node.federation.asked == []


async def test_privileges_are_read_and_written(tmp_path: Path):
    wanted = {
        "otherwise": "read-only",
        "nodes": {"urn:LO": "read-write"},
        "resources": {"urn:secret": "private"},
        "details": [{"resource": "urn:a", "property": "urn:p", "access": "read-only"}],
    }
    async with federated(tmp_path) as api:
        assert (await api.get("/privileges")).json()["otherwise"] == "private"
        assert (await api.put("/privileges", json=wanted)).status_code == 204
        assert (await api.get("/privileges")).json() == wanted


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ('{"otherwise": "open"}', "$.otherwise"),
        ('{"nodes": {"urn:LO": 1}}', "$.nodes[...]"),
        ('{"resource": {}}', "unknown field `resource`"),
        ('{"details": [{"resource": "urn:a", "property": "urn:p"}]}', "$.details[0]"),
        ('{"nodes": {"LO": "private"}}', "`nodes`"),
        ('{"details": [{"resource": "urn:a", "property": "p q", "access": "private"}]}', "`details[0].property`"),
        ("[]", "Expected `object`"),
        (b"\xff{}", "byte 0"),
    ],
)
async def test_bad_privileges_are_refused_with_the_place(tmp_path: Path, body: str | bytes, where: str):
    async with federated(tmp_path) as api:
        refused = await api.put("/privileges", content=body)
        assert is_problem(refused, 400, "input-error")
        assert where in refused.json()["detail"]


async def test_json_that_does_not_parse_is_refused_with_line_and_column(tmp_path: Path):
    async with federated(tmp_path) as api:
        refused = await api.put("/privileges", content='{\n "otherwise": read-only}')
        assert is_problem(refused, 400, "input-error")
        assert (refused.json()["line"], refused.json()["column"]) == (2, 15)


async def test_the_schema_of_the_network_is_annotated(tmp_path: Path):
    async with federated(tmp_path) as api:
        assert (await api.get("/schema", params=NETWORK)).json()["nodes"] == [
            {"iri": "urn:LO", "peers": [ME], "super_peers": [OTHER]}
        ]


@pytest.mark.parametrize(("method", "path", "params", "body"), CALLS)
async def test_a_node_in_no_network_says_what_it_would_take(tmp_path: Path, method, path, params, body):
    async with api_of(tmp_path) as api:
        refused = await called(api, method, path, params, body)
        assert is_problem(refused, 404, "not-in-network")
        assert "--network-key" in refused.json()["detail"]


async def test_a_super_peer_that_carries_no_rules_says_so(tmp_path: Path):
    NetworkKey.new().write(tmp_path / "key")
    async with api_of(tmp_path / "node", network_key=tmp_path / "key", network_rules=False) as api:
        refused = await api.get("/rules", params=NETWORK)
        assert is_problem(refused, 404, "not-in-network")
        assert "--no-network-rules" in refused.json()["detail"]


@pytest.mark.parametrize(("method", "path", "params", "body"), CALLS)
async def test_strangers_are_asked_who_they_are(tmp_path: Path, method, path, params, body):
    async with federated(tmp_path, open=False) as api:
        refused = await called(api, method, path, params, body, Authorization="Bearer nobody")
        assert is_problem(refused, 401, "unauthenticated")


async def test_rules_and_transactions_are_for_authors_and_privileges_for_administrators(tmp_path: Path):
    async with federated(tmp_path, open=False) as api:
        assert (await put(api, "mine")).status_code == 201
        reader, author = await api.register(**READER), await api.register()
        for method, path, params, body in CALLS:
            is_shown = (method, path) in {("GET", "/rules"), ("GET", "/schema")} or path == "/rules/seen"
            answer = await called(api, method, path, params, body, **reader)
            if method == "PUT" or not is_shown:
                assert is_problem(answer, 403, "forbidden"), path
            if path == "/privileges":
                assert is_problem(await called(api, method, path, params, body, **author), 403, "forbidden")
        assert (await put(api, "theirs", author)).status_code == 201
        for headers, names in ((reader, []), (author, ["theirs"]), ({}, ["mine", "theirs"])):
            seen = (await api.get("/rules", params=NETWORK, headers=headers)).json()["rules"]
            assert [rule["name"] for rule in seen] == names


@pytest.mark.parametrize("path", ["/rules/seen", "/rules/relevance", "/updates"])
async def test_rules_and_updates_are_rdftl(tmp_path: Path, path: str):
    async with federated(tmp_path) as api:
        method = "PUT" if path == "/rules/seen" else "POST"
        refused = await api.request(method, path, params=NETWORK, content=RULE, headers=TURTLE)
        assert is_problem(refused, 415, "unknown-format")
