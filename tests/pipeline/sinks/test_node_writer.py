"""Rows are published to a node by tasks: asked again while it is busy, and a refusal fails the write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pyarrow as pa
import pytest

from triplewire.errors import InputError, PipelineError
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.sinks import node_writer
from triplewire.pipeline.sinks.node_writer import NodeBatchWriter, NodeTarget
from triplewire.system.backoff import Backoff

TIME = datetime(2024, 5, 1, tzinfo=UTC)


def quad(event: str) -> bytes:
    return f"<urn:s> <urn:p> <urn:o> <urn:{event}> .\n".encode()


class Node(HTTPServer):
    """Takes what is published; answers with `statuses` one after the other, and then with 201."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses: list[int] = []
        self.bodies: list[bytes] = []
        self.secrets: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Node

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        status = self.server.statuses.pop(0) if self.server.statuses else 201
        self.server.secrets.append(self.headers["authorization"])
        if status == 201:
            self.server.bodies.append(body)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"as it is")

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    monkeypatch.setattr(node_writer, "_BACKOFF", Backoff(first=0.001, longest=0.01))
    with Node() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def written(node: Node, *payloads: bytes, secret: str | None = None) -> None:
    batch = pa.RecordBatch.from_pydict({"payload": pa.array(payloads, pa.binary())})
    NodeBatchWriter(NodeTarget(node.url, EVENTS, secret)).write(iter([batch]))


def test_events_are_published_together_with_the_secret(node):
    written(node, quad("a"), quad("b"), secret="s3cret")
    assert node.bodies == [quad("a") + quad("b")]
    assert node.secrets == ["Bearer s3cret"]


def test_a_busy_node_is_asked_again(node):
    node.statuses = [503, 429]
    written(node, quad("a"))
    assert node.bodies == [quad("a")]


@pytest.mark.parametrize("status", [401, 409, 422])
def test_a_refusal_fails_the_write_and_says_why(node, status):
    node.statuses = [status]
    with pytest.raises(PipelineError, match=f"to take 1 events, found {status}: as it is"):
        written(node, quad("a"))


def test_what_is_no_event_fails_the_write(node):
    with pytest.raises(InputError, match="line 1"):
        written(node, b"broken\n")
    assert node.bodies == []


def test_a_notification_that_the_node_has_otherwise_is_passed_over_and_the_rest_is_published(node):
    node.statuses = [409, 409]
    row = {"subscription": "s", "time": TIME, "solutions": [], "lane": "fast"}
    batch = pa.RecordBatch.from_pylist([{**row, "event": f"urn:{name}"} for name in "ab"])
    NodeBatchWriter(NodeTarget(node.url, NOTIFICATIONS)).write(iter([batch]))
    [body] = node.bodies
    assert b"<urn:b>" in body


def test_a_node_that_is_away_is_named(monkeypatch):
    monkeypatch.setattr(node_writer, "_BACKOFF", Backoff(first=0.001, longest=0.01))
    batch = pa.RecordBatch.from_pydict({"payload": pa.array([quad("a")], pa.binary())})
    with pytest.raises(PipelineError, match=r"the node http://127\.0\.0\.1:1 to take"):
        NodeBatchWriter(NodeTarget("http://127.0.0.1:1", EVENTS)).write(iter([batch]))
