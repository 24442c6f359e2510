"""Rows A2 and F11 at a node: whatever a query does to the process that evaluates it, the node goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.matching.general.test_stack import long_sum
from tests.node.brokers import ME, broker_at, events, positions, subscribed
from tests.node.node_process import NodeProcess

from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.matches import QueryAnswer

QUERY = {"Content-Type": "application/sparql-query"}
NQUADS = {"Content-Type": "application/n-quads"}
GENERAL = "SELECT ?s { ?s ?p ?o } ORDER BY ?o"


def test_a2_a_real_node_refuses_what_would_crash_it(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "data", "--open")
    try:
        answer = node.http.put("/subscriptions/bomb", content=long_sum(8_000), headers=QUERY)
        assert answer.status_code == 400
        assert "640 KiB of stack" in answer.json()["detail"]
        asked = node.http.post("/events/sparql", content=long_sum(8_000), headers=QUERY)
        assert asked.status_code == 400
        assert "640 KiB of stack" in asked.json()["detail"]
        assert node.http.put("/subscriptions/fine", content=GENERAL, headers=QUERY).status_code == 201
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


async def test_f11_a_subscription_whose_evaluation_fails_is_quarantined_and_the_rest_flows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = GeneralPlan.answer

    def failing(plan: GeneralPlan, view: EventView, steps: int) -> QueryAnswer | None:
        if "urn:failing" in plan.query.text:
            raise RuntimeError("nobody has thought of this")
        return answer(plan, view, steps)

    monkeypatch.setattr(GeneralPlan, "answer", failing)

    async with broker_at(tmp_path) as broker:
        failed = await subscribed(broker, "failing", "SELECT ?s { ?s ?p ?o OPTIONAL { ?s <urn:failing> ?x } }")
        fine = await subscribed(broker, "fine", GENERAL)
        await broker.events.publish(ME, events(1, 3))
        assert await positions(broker, fine.number) == [1, 2, 3]
        assert "nobody has thought of this" in broker.subscriptions.index.get(failed.number).quarantined
        await broker.events.publish(ME, events(4, 5))
        assert await positions(broker, fine.number) == [1, 2, 3, 4, 5]
