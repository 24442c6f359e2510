"""A13, the other way round: a page whose name is made to lead to this machine (DNS rebinding) gets nothing."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
import websockets
from tests.node.http.serving import TURTLE, api_of, is_problem
from tests.node.node_process import NodeProcess

FOREIGN = ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0", "[::2]", "", "a b"]
OURS = ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.1.2.3:80", "[::1]:8080"]


@pytest.mark.parametrize("host", FOREIGN)
async def test_a13_rebinding_an_open_node_answers_to_no_foreign_name(tmp_path: Path, host: str):
    # The page's own origin is the foreign name too, so only the name tells it from a page of the node.
    headers = {"Host": host, "Origin": f"http://{host}"}

    async with api_of(tmp_path) as api:
        for path in ("/events", "/health", "/openapi.json", "/subscriptions", "/metrics"):
            assert is_problem(await api.get(path, headers=headers), 403, "forbidden"), path
        answer = await api.post("/events", content="<urn:a> <urn:p> 1 .", headers=TURTLE | headers)
        assert is_problem(answer, 403, "forbidden")
        assert (await api.get("/events")).text == ""


async def test_names_of_this_machine_are_answered(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for host in OURS:
            assert (await api.get("/events", headers={"Host": host})).status_code == 200, host


async def test_a_node_with_identities_answers_to_any_name(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        assert (await api.get("/events", headers={"Host": "node.example"})).status_code == 200
        assert is_problem(await api.get("/events", headers={"Authorization": ""}), 401, "unauthenticated")


async def test_a13_rebinding_over_a_real_socket_and_a_websocket(tmp_path: Path):
    node = NodeProcess(tmp_path / "node", "--open")
    evil = f"evil.example:{node.port}"
    query = {"Content-Type": "application/sparql-query"}
    assert node.http.put("/subscriptions/a", content="ASK { ?s ?p ?o }", headers=query).status_code == 201
    assert node.http.get("/events", headers={"Host": evil}).status_code == 403

    async def socket(**options: object) -> None:
        url = f"ws://127.0.0.1:{node.port}/subscriptions/a/notifications"
        async with websockets.connect(url, **options):
            pass

    rebound = {"additional_headers": {"Host": evil}, "origin": f"http://{evil}"}
    for refused in (rebound, {"origin": "https://evil.example"}):
        with pytest.raises((websockets.InvalidStatus, websockets.InvalidMessage)):
            await socket(**refused)
    await socket()
    await socket(origin=f"http://127.0.0.1:{node.port}")
    with httpx.Client(trust_env=False) as http:
        assert http.get(f"http://localhost:{node.port}/health").status_code == 200
    assert node.stop() == 0
