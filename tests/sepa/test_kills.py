"""kill -9 of a real node while SEPA's sockets are open: nothing of their subscriptions is left (row F1)."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.node.processes import Process, running
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

pytestmark = pytest.mark.system

SAID = "SELECT ?o { <urn:s> <urn:p> ?o }"
UPDATE = {"Content-Type": "application/sparql-update"}


def update(node: Process, text: str) -> None:
    answer = httpx.post(f"{node.url}/sepa/update", content=text, headers=UPDATE, timeout=60, trust_env=False)
    assert answer.status_code == 200


def views(node: Process) -> tuple[float, float]:
    """How many are kept, and how many of those are of sockets."""
    text = httpx.get(f"{node.url}/metrics", timeout=60, trust_env=False).text
    [kept] = re.findall(r"^triplewire_views (\S+)$", text, re.MULTILINE)
    [of_sockets] = re.findall(r"^triplewire_sepa_subscriptions (\S+)$", text, re.MULTILINE)
    return float(kept), float(of_sockets)


def subscribe(socket: ClientConnection, alias: str) -> Any:
    socket.send(json.dumps({"subscribe": {"sparql": SAID, "alias": alias}}))
    return json.loads(socket.recv(60))["notification"]


def frames_of(socket: ClientConnection) -> Iterator[str | bytes]:
    """What comes until the connection ends."""
    with suppress(ConnectionClosed):
        while True:
            yield socket.recv(60)


def test_nothing_is_left_and_whoever_subscribes_again_gets_the_whole_answer(tmp_path: Path):
    with running(tmp_path / "data", "--open") as node:
        address = f"ws://127.0.0.1:{node.port}/sepa/subscribe"
        with connect(address, proxy=None) as one, connect(address, proxy=None) as two:
            for number in range(20):
                for socket in (one, two):
                    subscribe(socket, f"al{number}")
            update(node, "INSERT DATA { <urn:s> <urn:p> 1 }")
            assert json.loads(one.recv(60))["notification"]["sequence"] == 1
            assert views(node) == (40, 40)
            node.stop(signal.SIGKILL)
            # What had been sent is still read.
            assert sum(1 for _ in frames_of(two)) <= 20
        node.start()
        assert views(node) == (0, 0)
        assert httpx.get(f"{node.url}/views", timeout=60, trust_env=False).json() == {"views": []}
        with connect(address, proxy=None) as again:
            first = subscribe(again, "al0")
            assert first["sequence"] == 0
            assert [row["o"]["value"] for row in first["addedResults"]["results"]["bindings"]] == ["1"]
            assert views(node) == (1, 1)
