"""SIGTERM and SIGINT at any moment of a real process: while it starts, opens a large folder, answers and streams."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from tests.node.node_process import NodeProcess, free_port

from triplewire.store.database import Database
from triplewire.store.tables import registry
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

SIGNALS = [signal.SIGTERM, signal.SIGINT]
# A process that does not listen to signals would still run after this.
PATIENCE = 60
_QUERY = {"Content-Type": "application/sparql-query"}


class Starting:
    """`triplewire serve` that nobody waited for."""

    def __init__(self, data: Path) -> None:
        self.log = data.with_suffix(".log")
        command = [sys.executable, "-m", "triplewire", "serve", "--data", str(data), "--port", str(free_port())]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen([*command, "--open"], stdout=output, stderr=output)

    def wait_for(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.005)

    def ended(self, number: int) -> int:
        self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait(PATIENCE)


@pytest.mark.parametrize("seconds", [0.0, 0.5, 1.5])
def test_sigterm_while_a_process_starts_ends_it(tmp_path: Path, seconds: float):
    starting = Starting(tmp_path / "node")
    time.sleep(seconds)
    # Before Python runs any of our code, the signal does what it does to every process.
    assert starting.ended(signal.SIGTERM) in (0, -signal.SIGTERM)
    assert "Traceback" not in starting.log.read_text()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_a_large_folder_is_opened_ends_the_process_before_it_is_open(tmp_path: Path, number: int):
    data = tmp_path / "node"
    fill(data, 30_000)
    starting = Starting(data)
    starting.wait_for("opening")
    assert starting.ended(number) == 0
    assert "Traceback" not in starting.log.read_text()
    assert "running on" not in starting.log.read_text()
    database = Database(data)
    assert len(database.read(registry.everyone)) == 30_000
    database.close()


def fill(data: Path, subscriptions: int) -> None:
    """Put so many subscriptions into a folder without a node."""
    database = Database(data)

    def work(tx):
        for number in range(subscriptions):
            text = f"SELECT ?s {{ ?s <urn:p:{number}> ?o . ?o <urn:q> {number} FILTER(?s != <urn:none>) }}"
            registry.insert(
                tx, SubscriptionRecord(0, "anonymous", f"s{number}", "sparql", text, SubscriptionOptions(), 0, None, 0)
            )

    database.writer.submit(work).result()
    database.close()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_requests_and_streams_ends_in_order(tmp_path: Path, number: int):
    node = NodeProcess(tmp_path / "node", "--open")
    put = node.http.put("/subscriptions/all", content="SELECT ?o { ?s <urn:p> ?o }", headers=_QUERY)
    assert put.status_code == 201
    streams = [opened(node, b"GET /subscriptions/all/notifications HTTP/1.1\r\n" + ACCEPT) for _ in range(5)]
    for stream in streams:
        assert b"200 OK" in stream.recv(4096)
    half = opened(node, POST + b"Content-Length: 36\r\n\r\n<urn:s> <urn:p> ")
    # Answered after the half request was sent, so that the node has it too.
    assert node.http.get("/health").status_code == 200
    os.kill(node.process.pid, number)
    half.sendall(b"<urn:o> <urn:e:1> .\n")
    assert half.recv(4096).startswith(b"HTTP/1.1 201")
    assert node.ended() == 0
    assert "Traceback" not in node.log.read_text()
    for one in (*streams, half):
        one.close()
    again = NodeProcess(tmp_path / "node", "--open")
    page = again.http.get("/subscriptions/all/notifications").json()
    assert [one["event"] for one in page["notifications"]] == ["urn:e:1"]
    assert again.stop() == 0


POST = b"POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/n-quads\r\n"
ACCEPT = b"Host: localhost\r\nAccept: text/event-stream\r\n\r\n"


def opened(node: NodeProcess, request: bytes) -> socket.socket:
    raw = socket.create_connection(("127.0.0.1", node.port), timeout=PATIENCE)
    raw.sendall(request)
    return raw


def test_a_port_that_is_taken_is_told_in_a_sentence_and_leaves_the_folder_free(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "triplewire", "serve", "--data", str(tmp_path / "node"), "--port", port]
        done = subprocess.run([*command, "--open"], capture_output=True, text=True, timeout=PATIENCE * 6, check=False)
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr
    node = NodeProcess(tmp_path / "node", "--open")
    with httpx.Client(trust_env=False) as http:
        assert http.get(f"http://127.0.0.1:{node.port}/health").status_code == 200
    assert node.stop() == 0
