"""OAuth's client credentials: who may register, what a token opens, and when it ends (rows A12 and A15)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.node.http.serving import Api, api_of
from tests.node.sepa.serving import QUERY, UPDATE, served
from tests.node.sepa.test_http import is_refusal

from triplewire.node.http import create_app
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.testing import VirtualClock

INVITED, OTHER = "the invitation of the chat", "the invitation of another"
JSON = {"Content-Type": "application/json", "Accept": "application/json", "Authorization": ""}


def registration(identity: str = INVITED) -> dict[str, Any]:
    return {"register": {"client_identity": identity, "grant_types": ["client_credentials"]}}


def basic(client_id: str, secret: str) -> dict[str, str]:
    shown = base64.b64encode(f"{client_id}:{secret}".encode()).decode()
    return JSON | {"Authorization": f"Basic {shown}"}


async def register(api: Api, identity: str = INVITED) -> dict[str, str]:
    answer = await api.post("/oauth/register", json=registration(identity), headers=JSON)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found: dict[str, str] = answer.json()["credentials"]
    return found


async def token(api: Api, credentials: dict[str, str]) -> dict[str, str]:
    """The header that a token makes."""
    answer = await api.post("/oauth/token", headers=basic(credentials["client_id"], credentials["client_secret"]))
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    flat = answer.json()
    nested = flat.pop("token")
    assert flat == nested
    assert (flat["token_type"], flat["expires_in"]) == ("bearer", 600)
    return {"Authorization": f"Bearer {flat['access_token']}"}


@pytest.fixture
def invitations(tmp_path: Path) -> Path:
    file = tmp_path / "invitations"
    file.write_text(f"{INVITED}\n{OTHER}\n")
    return file


async def test_registered_by_invitation_asks_changes_and_subscribes(tmp_path: Path, invitations: Path):
    async with served(tmp_path / "data", open=False, sepa_invitations=invitations) as node:
        bearer = await token(node, await register(node))  # type: ignore[arg-type]
        await node.update("INSERT DATA { <urn:a> <urn:p> 1 }", **bearer)
        for path in ("/sepa/query", "/secure/query"):
            answer = await node.post(path, content="ASK { <urn:a> <urn:p> 1 }", headers=QUERY | bearer)
            assert answer.json()["boolean"] is True
        said = "SELECT ?o { ?s <urn:p> ?o }"
        for path in ("/sepa/subscribe", "/secure/subscribe"):
            async with node.talk(path) as talk:
                # JavaScript says Bearer, Python puts the bare token beside `subscribe`.
                first = await talk.subscribe(said, "js", authorization=bearer["Authorization"])
                assert first["notification"]["alias"] == "js"
                bare = bearer["Authorization"].removeprefix("Bearer ")
                await talk.send({"subscribe": {"sparql": said, "alias": "py"}, "authorization": bare})
                assert (await talk.next())["notification"]["alias"] == "py"


async def test_a_body_may_be_encoded_twice(tmp_path: Path, invitations: Path):
    async with api_of(tmp_path / "data", open=False, sepa_invitations=invitations) as api:
        twice = json.dumps(json.dumps(registration() | {"httpsAgent": {"options": {}}}))
        answer = await api.post("/oauth/register", content=twice, headers=JSON)
        assert answer.status_code == 201
        assert set(answer.json()["credentials"]) == {"client_id", "client_secret", "signature"}


async def test_a12_strangers_are_not_registered(tmp_path: Path, invitations: Path):
    async with api_of(tmp_path / "without", open=False) as api:
        answer = await api.post("/oauth/register", json=registration(), headers=JSON)
        assert is_refusal(answer, 403, "forbidden")
        assert len(api.node.clients) == 1
    async with api_of(tmp_path / "with", open=False, sepa_invitations=invitations) as api:
        for identity in ("somebody", INVITED + " ", INVITED.upper(), f"{INVITED}\n{OTHER}", "x" * 1_001):
            answer = await api.post("/oauth/register", json=registration(identity), headers=JSON)
            assert answer.status_code in (400, 403), identity
            assert INVITED not in answer.text
        for body in (b"", b"{", b"[]", b'{"register": {}}', b'{"register": {"client_identity": ""}}', b'"\\ud800"'):
            assert is_refusal(await api.post("/oauth/register", content=body, headers=JSON), 400, "input-error")
        large = await api.post("/oauth/register", content=b" " * 100_000, headers=JSON)
        assert is_refusal(large, 413, "limit-exceeded")
        assert len(api.node.clients) == 1


async def test_the_same_identity_is_the_same_client_each_time_and_another_is_another(tmp_path: Path, invitations: Path):
    """Clients register at each start: whoever runs already is not thrown out by it."""
    settings = {"open": False, "sepa_invitations": invitations}
    async with api_of(tmp_path / "data", **settings) as api:
        first = await register(api)
        bearer = await token(api, first)
        assert await register(api) == first
        other = await register(api, OTHER)
        assert other["client_id"] != first["client_id"]
        assert other["client_secret"] != first["client_secret"]
        assert (await api.post("/sepa/query", content="ASK {}", headers=QUERY | bearer)).status_code == 200
        listed = (await api.get("/clients")).json()["clients"]
        assert {one["id"] for one in listed} == {"admin", first["client_id"], other["client_id"]}
        assert INVITED not in json.dumps(listed)
    async with api_of(tmp_path / "data", **settings) as api:
        assert await register(api) == first
    async with api_of(tmp_path / "elsewhere", **settings) as api:
        assert (await register(api))["client_secret"] != first["client_secret"], "another node has another key"


async def test_without_its_line_in_the_file_a_client_stays_until_it_is_removed(tmp_path: Path, invitations: Path):
    async with api_of(tmp_path / "data", open=False, sepa_invitations=invitations) as api:
        credentials = await register(api)
        bearer = await token(api, credentials)
        invitations.write_text(f"{OTHER}\n")
        assert (await api.post("/oauth/register", json=registration(), headers=JSON)).status_code == 403
        assert (await api.post("/sepa/query", content="ASK {}", headers=QUERY | bearer)).status_code == 200
        await api.delete(f"/clients/{credentials['client_id']}")
        assert is_refusal(
            await api.post("/sepa/query", content="ASK {}", headers=QUERY | bearer), 401, "unauthenticated"
        )
        shown = basic(credentials["client_id"], credentials["client_secret"])
        assert is_refusal(await api.post("/oauth/token", headers=shown), 401, "unauthenticated")


async def test_an_open_node_registers_whoever_asks_but_pages_from_elsewhere(tmp_path: Path):
    async with api_of(tmp_path) as api:
        bearer = await token(api, await register(api, "anybody"))
        assert (await api.post("/sepa/query", content="ASK {}", headers=QUERY | bearer)).status_code == 200
        headers = JSON | {"Origin": "https://evil.example"}
        answer = await api.post("/oauth/register", json=registration("page"), headers=headers)
        assert is_refusal(answer, 403, "forbidden")


async def test_any_client_of_the_node_gets_a_token_and_nobody_for_another(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        made = [(await api.post("/clients", json={"name": name})).json() for name in ("one", "two")]
        one, two = ({"client_id": each["id"], "client_secret": each["secret"]} for each in made)
        bearer = await token(api, one)
        assert (await api.post("/sepa/query", content="ASK {}", headers=QUERY | bearer)).status_code == 200
        for client_id, secret in (
            (one["client_id"], two["client_secret"]),
            (one["client_id"], ""),
            ("", one["client_secret"]),
            (one["client_id"], bearer["Authorization"].removeprefix("Bearer ")),
        ):
            answer = await api.post("/oauth/token", headers=basic(client_id, secret))
            assert is_refusal(answer, 401, "unauthenticated")
        for header in ("", "Basic", "Basic !", "Basic /w==", f"Bearer {one['client_secret']}"):
            answer = await api.post("/oauth/token", headers=JSON | {"Authorization": header})
            assert is_refusal(answer, 401, "unauthenticated")


async def test_a12_a_token_opens_sepas_paths_and_nothing_else(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        admin = api.headers["Authorization"].removeprefix("Bearer ")
        bearer = await token(api, {"client_id": "admin", "client_secret": admin})
        assert (await api.post("/sepa/update", content="CLEAR ALL", headers=UPDATE | bearer)).status_code == 200
        for method, path in (("GET", "/clients"), ("POST", "/clients"), ("GET", "/events"), ("POST", "/update")):
            answer = await api.request(method, path, headers=bearer, json={"name": "x"})
            assert answer.status_code == 401, path
        forged = {"Authorization": bearer["Authorization"][:-2] + "AA"}
        assert (await api.post("/sepa/query", content="ASK {}", headers=QUERY | forged)).status_code == 401
        # A token of streams is not one of access.
        await api.put("/subscriptions/all", content="SELECT * { ?s ?p ?o }", headers=QUERY)
        stream = (await api.post("/subscriptions/all/tokens")).json()["token"]
        for shown in (stream, "twa_" + stream.removeprefix("twt_")):
            headers = QUERY | {"Authorization": f"Bearer {shown}"}
            assert (await api.post("/sepa/query", content="ASK {}", headers=headers)).status_code == 401


async def test_a12_a_token_ends_with_its_time_and_with_the_process(tmp_path: Path):
    clock = VirtualClock()

    async def asked(node: Node, token: str) -> int:
        transport = httpx.ASGITransport(create_app(node))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as api:
            headers = QUERY | {"Authorization": f"Bearer {token}", "Accept": "image/png"}
            return (await api.post("/sepa/query", content="ASK {}", headers=headers)).status_code

    settings = Settings(data=tmp_path, sepa_token_seconds=600)
    node = await Node.open(settings, clock=clock)
    try:
        await node.make_admin(lambda _: None)
        issued = node.access_tokens.issue("admin")
        clock.advance(600)
        assert await asked(node, issued) == 406
        clock.advance(0.1)
        assert await asked(node, issued) == 401
        kept = node.access_tokens.issue("admin")
    finally:
        await node.stop()
    again = await Node.open(settings, clock=clock)
    try:
        assert await asked(again, kept) == 401
        assert await asked(again, again.access_tokens.issue("admin")) == 406
    finally:
        await again.stop()


async def test_a15_a_token_is_worth_no_more_than_its_client(tmp_path: Path):
    async with served(tmp_path, open=False) as node, node.talk() as talk:
        made = await node.register(rights={"subscribe": {"namespaces": ["urn:"]}})
        shown = basic(made["id"], made["secret"])
        bearer = (await node.post("/oauth/token", headers=shown)).json()["access_token"]
        refused = await talk.subscribe("SELECT * { ?s ?p ?o }", authorization=bearer)
        assert (refused["error"], refused["status_code"]) == ("forbidden", 403)
        answer = await node.query("SELECT * { ?s ?p ?o }", Authorization=f"Bearer {bearer}")
        assert is_refusal(answer, 403, "forbidden")
