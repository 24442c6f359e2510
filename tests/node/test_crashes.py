"""F1: kill -9 during publish, at random points: acknowledged ⊆ recovered ⊆ attempted.

Three kills here; `make test-crash` asks for more through `TRIPLEWIRE_CRASHES`.
"""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import httpx
from tests.node.node_process import NodeProcess

CRASHES = int(os.environ.get("TRIPLEWIRE_CRASHES", "3"))
PUBLISHERS = 4
_NQUADS = {"Content-Type": "application/n-quads"}
_QUERY = {"Content-Type": "application/sparql-query"}


class Publisher(threading.Thread):
    """Publishes one request after the other until the node is gone; notes what it tried and what was acknowledged."""

    def __init__(self, node: NodeProcess, name: str) -> None:
        super().__init__(daemon=True)
        self._url = str(node.http.base_url)
        self._name = name
        self.attempted: list[str] = []
        self.acknowledged: dict[str, int] = {}

    def run(self) -> None:
        with httpx.Client(base_url=self._url, trust_env=False, timeout=120) as http:
            for number in range(100_000):
                graphs = [f"urn:e:{self._name}:{number}:{part}" for part in range(1 + number % 3)]
                self.attempted += graphs
                body = "".join(f'<urn:s> <urn:p> "{graph}" <{graph}> .\n' for graph in graphs)
                try:
                    answer = http.post("/events", content=body, headers=_NQUADS)
                except httpx.TransportError:
                    return
                assert answer.status_code == 201, answer.text
                self.acknowledged |= {one["event"]: one["position"] for one in answer.json()["events"]}


def wait_for(publishers: list[Publisher], acknowledged: int) -> None:
    """Wait for so many acknowledgements, however busy the machine is, so that a kill comes in the middle of work."""
    while sum(len(publisher.acknowledged) for publisher in publishers) < acknowledged:
        assert any(publisher.is_alive() for publisher in publishers)
        time.sleep(0.001)


def all_notifications(node: NodeProcess) -> list[dict]:
    found: list[dict] = []
    after: int | None = 0
    while after is not None:
        params = {"after": after, "limit": 1000}
        page = node.http.get("/subscriptions/all/notifications", params=params).json()
        found += page["notifications"]
        after = page["next"]
    return found


def test_f1_kill_9_at_random_points_loses_nothing_that_was_acknowledged(tmp_path: Path):
    chance = random.Random(20240501)
    data = tmp_path / "node"
    attempted: list[list[str]] = []
    acknowledged: dict[str, int] = {}
    node = NodeProcess(data, "--open")
    node.http.put("/subscriptions/all", content="SELECT ?o { ?s <urn:p> ?o }", headers=_QUERY).raise_for_status()
    for crash in range(CRASHES):
        publishers = [Publisher(node, f"{crash}:{number}") for number in range(PUBLISHERS)]
        for publisher in publishers:
            publisher.start()
        wait_for(publishers, chance.randrange(60))
        time.sleep(chance.uniform(0.0, 0.02))
        node.kill()
        for publisher in publishers:
            publisher.join(60)
            attempted.append(publisher.attempted)
            acknowledged |= publisher.acknowledged
        node = NodeProcess(data, "--open")
    recovered = {one["event"]: one["position"] for one in all_notifications(node)}
    told = [one["event"] for one in all_notifications(node)]
    assert acknowledged.items() <= recovered.items()
    assert set(recovered) <= {graph for graphs in attempted for graph in graphs}
    assert len(told) == len(set(told))
    assert sorted(recovered.values()) == list(range(1, len(recovered) + 1))
    for graphs in attempted:
        places = [recovered[graph] for graph in graphs if graph in recovered]
        assert places == sorted(places), "per publisher in order"
        assert places == [recovered[graph] for graph in graphs[: len(places)]], "a prefix of what was sent"
    log = node.http.get("/events", params={"limit": 1000}, headers={"Accept": "application/n-quads"})
    assert log.status_code == 200
    assert len(acknowledged) > CRASHES
    assert node.stop() == 0
