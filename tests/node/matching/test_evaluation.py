"""Rows A2 and F11 at a node: whatever a query does to the process that evaluates it, the node goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.matching.general.test_isolation import CRASHING
from tests.matching.general.test_stack import long_sum
from tests.node.brokers import ME, broker_at, events, positions, subscribed
from tests.node.node_process import NodeProcess

from triplewire.matching.general.datasets import Dataset
from triplewire.matching.general.plan import GeneralPlan, OxigraphQuery

QUERY = {"Content-Type": "application/sparql-query"}
NQUADS = {"Content-Type": "application/n-quads"}
GENERAL = "SELECT ?s { ?s ?p ?o } ORDER BY ?o"


def children_of(process: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def test_a2_a_real_node_refuses_what_would_crash_it_and_outlives_its_evaluators(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data", "--open")
    try:
        answer = node.http.put("/subscriptions/bomb", content=long_sum(8_000), headers=QUERY)
        assert answer.status_code == 400
        assert "640 KiB of stack" in answer.json()["detail"]
        asked = node.http.post("/events/sparql", content=long_sum(8_000), headers=QUERY)
        assert asked.status_code == 400
        assert "640 KiB of stack" in asked.json()["detail"]
        assert node.http.put("/subscriptions/fine", content=GENERAL, headers=QUERY).status_code == 201
        for child in children_of(node.process.pid):
            os.kill(child, signal.SIGSEGV)
        published = node.http.post("/events", content="<urn:s> <urn:p> <urn:o> <urn:e> .", headers=NQUADS)
        assert published.status_code == 201
        page = node.http.get("/subscriptions/fine/notifications").json()
        assert len(page["notifications"]) == 1
        assert node.http.post("/events/sparql", content="ASK { ?s ?p ?o }", headers=QUERY).json()["boolean"]
    finally:
        assert node.stop() == 0


async def test_a2_a_subscription_that_is_refused_by_now_is_quarantined_and_the_node_starts(tmp_path: Path) -> None:
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker, "old", GENERAL)
        change = "UPDATE subscriptions SET text = ? WHERE number = ?"
        await asyncio.wrap_future(
            broker.store.submit(lambda tx: tx.execute(change, (long_sum(8_000), record.number)).rowcount)
        )
    async with broker_at(tmp_path) as broker:
        [record] = list(broker.subscriptions.index)
        assert "640 KiB of stack" in record.quarantined
        fine = await subscribed(broker, "fine", GENERAL)
        await broker.events.publish(ME, events(1, 1))
        assert await positions(broker, fine.number) == [1]


async def test_f11_a_subscription_that_crashes_its_evaluation_is_quarantined_and_the_rest_flows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_of = GeneralPlan.asked_of

    def asked(plan: GeneralPlan, dataset: Dataset) -> OxigraphQuery:
        found = asked_of(plan, dataset)
        return replace(found, text=CRASHING) if "urn:crashing" in plan.query.text else found

    monkeypatch.setattr(GeneralPlan, "asked_of", asked)

    async with broker_at(tmp_path) as broker:
        crashing = await subscribed(broker, "crashing", "SELECT ?s { ?s ?p ?o OPTIONAL { ?s <urn:crashing> ?x } }")
        fine = await subscribed(broker, "fine", GENERAL)
        await broker.events.publish(ME, events(1, 3))
        assert await positions(broker, fine.number) == [1, 2, 3]
        assert "crashed" in broker.subscriptions.index.get(crashing.number).quarantined
        await broker.events.publish(ME, events(4, 5))
        assert await positions(broker, fine.number) == [1, 2, 3, 4, 5]
