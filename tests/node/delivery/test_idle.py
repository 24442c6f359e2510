"""A16: idle connections by the hundred, and publishing still works."""

from __future__ import annotations

import resource
import socket
from contextlib import ExitStack

import httpx
from tests.node.processes import running

WANTED = 1_500


def test_a16_idle_connections_and_silent_streams_do_not_keep_publishing_from_working(tmp_path):
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(WANTED, most - 200)
    query = {"content-type": "application/sparql-query"}
    stream = b"GET /subscriptions/all/notifications HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n"
    with running(tmp_path / "data", "--open") as node, ExitStack() as open_connections:
        put = httpx.put(f"{node.url}/subscriptions/all", content="ASK { ?s <urn:p> ?o }", headers=query, timeout=300)
        assert put.status_code == 201
        for number in range(count):
            idle = open_connections.enter_context(socket.create_connection(("127.0.0.1", node.port), timeout=60))
            # Every third says nothing, every third half a request, every third reads a stream no further.
            idle.sendall((b"", b"POST /events HTTP/1.1\r\nhost: x\r\n", stream)[number % 3])
        for number in range(20):
            published = httpx.post(
                f"{node.url}/events", content=f'<urn:s> <urn:p> "{number}" <urn:event:{number}> .',
                headers={"content-type": "application/n-quads"}, timeout=60,
            )  # fmt: skip
            assert published.status_code == 201
        page = httpx.get(f"{node.url}/subscriptions/all/notifications", timeout=60).json()
        assert len(page["notifications"]) == 20
