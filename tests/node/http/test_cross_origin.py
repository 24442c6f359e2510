"""Pages from elsewhere: what a browser is told, and whom the node itself turns away. A15: a token reads one stream."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import websockets
from tests.node.http.serving import NQUADS, QUERY, TURTLE, api_of, is_problem
from tests.node.processes import Process, running

from triplewire.errors import InputError
from triplewire.node.settings import load_settings

APP, OTHER = "https://app.example", "https://other.example"
EVERYTHING = "SELECT ?s ?o { ?s <urn:p> ?o }"
ASKS = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,content-type"}
ALLOWED = "access-control-allow-origin"


async def test_a_preflight_of_an_allowed_origin_needs_no_secret(tmp_path: Path):
    async with api_of(tmp_path, open=False, allow_origin=f"{APP},http://localhost:3000") as api:
        answer = await api.options("/subscriptions/a", headers={"Origin": APP, "Authorization": "", **ASKS})
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers[ALLOWED] == APP
        assert "PUT" in answer.headers["access-control-allow-methods"]
        assert {"authorization", "content-type", "idempotency-key", "last-event-id"} <= set(
            answer.headers["access-control-allow-headers"].lower().split(", ")
        )
        assert "access-control-allow-credentials" not in answer.headers
        assert "Origin" in answer.headers["vary"]


async def test_an_allowed_origin_reads_answers_and_their_headers_and_others_do_not(tmp_path: Path):
    async with api_of(tmp_path, open=False, allow_origin=APP) as api:
        for path, status in (("/events", 200), ("/health", 200), ("/nowhere", 404), ("/subscriptions/none", 404)):
            answer = await api.get(path, headers={"Origin": APP})
            assert (answer.status_code, answer.headers[ALLOWED]) == (status, APP)
            assert answer.headers["vary"] == "Origin"
            assert "Triplewire-Position" in answer.headers["access-control-expose-headers"]
            assert "access-control-allow-credentials" not in answer.headers
        refused = await api.get("/events", headers={"Origin": APP, "Authorization": ""})
        assert is_problem(refused, 401, "unauthenticated")
        assert refused.headers[ALLOWED] == APP, "a page may read why it was refused"
        for origin in (OTHER, "null", APP.upper(), APP + ":444", APP + ".evil.example"):
            assert ALLOWED not in (await api.get("/events", headers={"Origin": origin})).headers
            preflight = await api.options("/events", headers={"Origin": origin, **ASKS})
            assert preflight.status_code == 400
            assert ALLOWED not in preflight.headers
        # A cache must not give a page what was answered to nobody in particular.
        assert (await api.get("/events")).headers["vary"] == "Origin"


async def test_any_origin_is_allowed_without_credentials(tmp_path: Path):
    async with api_of(tmp_path, open=False, allow_origin="*") as api:
        answer = await api.get("/events", headers={"Origin": OTHER, "Cookie": "a=b"})
        assert answer.headers[ALLOWED] == "*"
        assert "access-control-allow-credentials" not in answer.headers


async def test_without_the_setting_nobody_is_allowed(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        assert ALLOWED not in (await api.get("/events", headers={"Origin": APP})).headers
        assert (await api.options("/events", headers={"Origin": APP, **ASKS})).status_code == 405


async def test_an_open_node_acts_for_pages_of_allowed_origins_only(tmp_path: Path):
    async with api_of(tmp_path, allow_origin=APP) as api:
        body = {"content": "<urn:a> <urn:p> 1 .", "headers": TURTLE | {"Origin": OTHER}}
        assert is_problem(await api.post("/events", **body), 403, "forbidden")
        assert (await api.get("/events")).text == ""
        body["headers"] = TURTLE | {"Origin": APP}
        answer = await api.post("/events", **body)
        assert (answer.status_code, answer.headers[ALLOWED]) == (201, APP)


@pytest.mark.parametrize(
    "origin", ["app.example", "https://app.example/", "https://", "null", "ftp://a", "https://a b/c"]
)
def test_what_is_no_origin_is_refused(origin: str):
    with pytest.raises(InputError, match="wanted an origin"):
        load_settings({"data": "d", "allow_origin": origin}, {})


def test_an_open_node_is_not_opened_to_every_page():
    with pytest.raises(InputError, match="by name"):
        load_settings({"data": "d", "open": True, "allow_origin": "*"}, {})


# Over real sockets: streams


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A node with two clients, `me` and `you`, with two subscriptions each, and one event for all."""
    with running(tmp_path_factory.mktemp("node") / "data", "--allow-origin", APP) as process:
        [process.secret] = re.findall(r"secret, shown this once: (\S+)", process.words())
        yield process


class Page:
    """A client as a page of an origin holds it."""

    def __init__(self, node: Process, name: str) -> None:
        self.node = node
        self.http = httpx.Client(base_url=node.url, timeout=60, trust_env=False)
        answer = self.http.post(
            "/clients", json={"name": name}, headers={"Authorization": f"Bearer {node.secret}"}
        ).json()
        self.id = answer["id"]
        self.headers = {"Authorization": f"Bearer {answer['secret']}"}
        for subscription in ("all", "more"):
            put = self.http.put(
                f"/subscriptions/{subscription}", content=EVERYTHING, headers=QUERY | self.headers,
                params={"start": "beginning"},
            )  # fmt: skip
            assert put.status_code == 201
        body = '<urn:s> <urn:p> "1" <urn:e:1> .'
        assert self.http.post("/events", content=body, headers=NQUADS | self.headers).status_code == 201

    def token(self, subscription: str = "all") -> str:
        answer = self.http.post(f"/subscriptions/{subscription}/tokens", headers=self.headers)
        assert answer.status_code == 201
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json()["seconds"] == 60
        return answer.json()["token"]

    def stream(self, path: str, **headers: str) -> tuple[int, str]:
        """The status of a stream, and its first notification."""
        with self.http.stream("GET", path, headers={"Accept": "text/event-stream", **headers}) as answer:
            if answer.status_code != 200:
                return answer.status_code, answer.read().decode()
            return 200, next(line for line in answer.iter_lines() if line.startswith("data:"))

    async def converse(self, path: str, origin: str) -> str:
        """The first message of a WebSocket."""
        url = self.node.url.replace("http", "ws") + path
        async with asyncio.timeout(120), websockets.connect(url, origin=origin) as opened:
            await opened.send('{"acknowledge": 0}')
            return str(await opened.recv())


@pytest.fixture(scope="module")
def me(node: Process) -> Page:
    return Page(node, "me")


@pytest.fixture(scope="module")
def you(node: Process) -> Page:
    return Page(node, "you")


STREAM = "/subscriptions/{}/notifications?token={}"


async def test_a_token_opens_an_event_stream_and_a_websocket(me):
    token = me.token()
    status, data = me.stream(STREAM.format("all", token), Origin=APP)
    assert (status, '"event":"urn:e:1"' in data) == (200, True)
    assert '"event":"urn:e:1"' in await me.converse(STREAM.format("all", token), APP)


async def test_a15_a_token_reads_the_stream_of_one_subscription_and_nothing_else(me, you):
    token = me.token()
    assert me.stream(STREAM.format("more", token))[0] == 401
    assert me.stream(STREAM.format("none", token))[0] == 401
    # The names are the same; the token is of the client whose subscription it is.
    assert you.token() != token
    for path in ("/events", "/subscriptions", "/subscriptions/all", "/metrics", "/sparql?query=ASK{}"):
        joined = f"{path}{'&' if '?' in path else '?'}token={token}"
        assert me.http.get(joined).status_code == 401, path
        assert me.http.get(path, headers={"Authorization": f"Bearer {token}"}).status_code == 401, path
    page = me.http.get(STREAM.format("all", token), headers={"Accept": "application/json"})
    assert page.status_code == 401, "a stream, and no page"
    assert me.http.delete(f"/subscriptions/all?token={token}").status_code == 401
    assert me.http.post(f"/subscriptions/all/tokens?token={token}").status_code == 401
    for path in (STREAM.format("more", token), STREAM.format("all", "twt_AAAA")):
        with pytest.raises(websockets.InvalidStatus):
            await me.converse(path, APP)


async def test_a_websocket_of_another_origin_is_refused_whatever_it_holds(me):
    with pytest.raises(websockets.InvalidStatus):
        await me.converse(STREAM.format("all", me.token()), OTHER)


def test_nobody_gets_a_token_for_anothers_subscription(me, you):
    you.http.put("/subscriptions/yours", content=EVERYTHING, headers=QUERY | you.headers)
    assert me.http.post("/subscriptions/yours/tokens", headers=me.headers).status_code == 404
    assert me.http.post("/subscriptions/all/tokens").status_code == 401


def test_a12_a_token_ends_with_its_client_and_with_its_subscription(node, me):
    other = Page(node, "other")
    token, more = other.token(), other.token("more")
    assert other.http.delete("/subscriptions/more", headers=other.headers).status_code == 204
    assert other.stream(STREAM.format("more", more))[0] == 401
    admin = {"Authorization": f"Bearer {node.secret}"}
    assert other.http.delete(f"/clients/{other.id}", headers=admin).status_code == 204
    assert other.stream(STREAM.format("all", token))[0] == 401


async def test_no_token_is_in_the_log(node, me):
    token = me.token()
    me.stream(STREAM.format("all", token))
    await me.converse(STREAM.format("all", token), APP)
    assert "[accepted]" in node.words()
    assert token not in node.words()
    assert "token=twt_…" in node.words()
