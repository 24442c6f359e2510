"""A16: a request must arrive in time; F5: whoever does not read is soon told no more, and loses nothing."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Iterator

import pytest
import websockets
from tests.node.http.serving import NQUADS, QUERY
from tests.node.node_process import NodeProcess

HEAD = "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n"
BODY_FOLLOWS = "Content-Type: application/n-quads\r\nContent-Length: 100000\r\n"
CHUNKS_FOLLOW = "Content-Type: application/n-quads\r\nTransfer-Encoding: chunked\r\n"
EVERYTHING = "SELECT ?s ?o { ?s <urn:p> ?o }"
# What a peer that never stops sends in small pieces; more than any limit here leaves the time for.
DRIBBLES = 400


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    folder = tmp_path_factory.mktemp("deadlines") / "node"
    process = NodeProcess(folder, "--open", "--head-seconds", "0.5", "--body-seconds", "0.5")
    yield process
    process.stop()


def connected(node: NodeProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", node.port), timeout=120)


def until_closed(connection: socket.socket) -> str:
    """Everything that is answered until the other side closes; an error if it does not."""
    parts = []
    while part := connection.recv(4096):
        parts.append(part)
    connection.close()
    return b"".join(parts).decode()


def dribble(connection: socket.socket, piece: bytes) -> None:
    """Send a little at a time, until the other side has had enough."""
    for _ in range(DRIBBLES):
        try:
            connection.sendall(piece)
        except OSError:
            return
        time.sleep(0.05)
    raise AssertionError("the node still listens")


@pytest.mark.parametrize(
    ("sent", "missing"),
    [
        ("", "the head"),
        ("POST /events HTTP/1.1\r\nHost: loc", "the head"),
        (HEAD.format(method="POST", path="/events", more=BODY_FOLLOWS) + "<urn:s>", "the body"),
        (
            HEAD.format(method="POST", path="/events", more=CHUNKS_FOLLOW) + "3\r\nabc\r\n",
            "the body",
        ),
    ],
)
def test_a16_a_request_that_stops_halfway_is_refused_and_its_connection_closed(node, sent: str, missing: str):
    connection = connected(node)
    connection.sendall(sent.encode())
    answer = until_closed(connection)
    assert answer.startswith("HTTP/1.1 408 Request Timeout\r\n")
    assert "connection: close" in answer
    assert "urn:triplewire:problem:too-slow" in answer
    assert missing in answer


@pytest.mark.parametrize(
    ("sent", "piece"),
    [
        ("POST /events HTTP/1.1\r\n", b"X-More: 1\r\n"),
        (HEAD.format(method="POST", path="/events", more=BODY_FOLLOWS), b"<"),
        # Answered before anybody asks for the body.
        (HEAD.format(method="POST", path="/nowhere", more=BODY_FOLLOWS), b"<"),
        (HEAD.format(method="GET", path="/health", more="") + "GET /health HTTP/1.1\r\n", b"X-More: 1\r\n"),
    ],
)
def test_a16_sending_a_little_now_and_then_gains_no_time(node, sent: str, piece: bytes):
    connection = connected(node)
    connection.sendall(sent.encode())
    dribble(connection, piece)
    connection.close()


async def test_what_takes_long_for_other_reasons_goes_on(node):
    """A WebSocket, and a page that waits, are not slow requests."""
    node.http.put("/subscriptions/all", content=EVERYTHING, headers=QUERY)

    uri = f"ws://127.0.0.1:{node.port}/subscriptions/all/notifications"
    async with asyncio.timeout(120), websockets.connect(uri) as opened:
        page = asyncio.create_task(asyncio.to_thread(node.http.get, uri.replace("ws", "http", 1) + "?wait=20"))
        # Longer than a request may take to arrive.
        await asyncio.sleep(1.5)
        body = '<urn:s> <urn:p> "1" <urn:e> .'
        await asyncio.to_thread(node.http.post, "/events", content=body, headers=NQUADS)
        assert '"event":"urn:e"' in str(await opened.recv())
        assert len((await page).json()["notifications"]) == 1


def test_who_leaves_in_the_middle_of_a_body_is_no_bug(node):
    connection = connected(node)
    connection.sendall((HEAD.format(method="POST", path="/events", more=BODY_FOLLOWS) + "<urn:s>").encode())
    connection.close()
    assert node.http.get("/health").status_code == 200
    assert "bug" not in node.log.read_text()


def publish(node: NodeProcess, first: int, last: int) -> None:
    body = "".join(f'<urn:s> <urn:p> "{n}" <urn:f5:{n}> .\n' for n in range(first, last + 1))
    assert node.http.post("/events", content=body, headers=NQUADS).status_code == 201


def state_of(node: NodeProcess, name: str) -> str:
    return str(node.http.get(f"/subscriptions/{name}").json()["state"])


def test_f5_a_stream_that_nobody_reads_is_not_matched_for_and_goes_on_when_it_is_read(node):
    node.http.put("/subscriptions/stopped", content=EVERYTHING, headers=QUERY)
    connection = connected(node)
    # Small, but not so small that reading on would go by the kernel's timers.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    accept = "Accept: text/event-stream\r\n"
    connection.sendall(HEAD.format(method="GET", path="/subscriptions/stopped/notifications", more=accept).encode())
    # The system takes some of it, and some may wait; after that it waits in the log.
    published = 0
    while state_of(node, "stopped") == "live":
        assert published < 15_000, "still matched"
        publish(node, published + 1, published + 1_000)
        published += 1_000
    publish(node, published + 1, published + 1_000)
    found = []
    with connection, connection.makefile("rb") as answer:
        while len(found) < published + 1_000:
            if (line := answer.readline()).startswith(b"data:"):
                found.append(json.loads(line[5:])["event"])
    assert found == [f"urn:f5:{n}" for n in range(1, published + 1_001)]
