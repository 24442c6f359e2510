"""Durable updates: rules and repository on a node's disk, acknowledged when the commit is there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from benchmarks.rules import workload
from benchmarks.rules.plans import Plan
from triplewire.languages.rdftl.syntax import Update
from triplewire.node.living import journal
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.store import LivingStore
from triplewire.node.rules.registration import RuleRegistration, put_rule
from triplewire.node.store import Store
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.execution import ScheduleOutcome
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph
from triplewire.store.tables.living_graph import QuadLines
from triplewire.store.tables.rule_records import RuleRecord

_CHUNK = 10_000
_SECONDS = 600
_WARM = 100


def opened(database: Database, plan: Plan) -> LivingStore:
    """A store whose repository and rules were on the disk before it was opened."""
    empty = LivingStore(Store(database))
    empty.submit(lambda tx, _: empty.use_schema(tx, workload.schema(plan.depth))).result(_SECONDS)
    items = workload.items_for(plan.triples)
    for first in range(0, items, _CHUNK):
        database.writer.submit(_writing(first, min(first + _CHUNK, items))).result(_SECONDS)
    store = LivingStore(Store(database))
    texts = enumerate(workload.copying_texts(plan.kept), start=1)
    for put in [_put(store, f"r{number}", text) for number, text in texts]:
        put.result(_SECONDS)
    return store


def durable_speed(store: LivingStore, plan: Plan) -> float:
    """Updates a second that are on the disk with all that they triggered, so many of them waiting at a time."""
    count = plan.updates * plan.rounds
    for update in workload.title_updates(plan.updated_items, _WARM, "warming up"):
        _acknowledged(_execute(store, update))
    waiting: deque[Future[ScheduleOutcome]] = deque()
    start = time.perf_counter()
    for update in workload.title_updates(plan.updated_items, count, "durable"):
        if len(waiting) >= plan.waiting:
            _acknowledged(waiting.popleft())
        waiting.append(_execute(store, update))
    while waiting:
        _acknowledged(waiting.popleft())
    return count / (time.perf_counter() - start)


def _put(store: LivingStore, rule: str, text: str) -> Future[RuleRegistration]:
    record = RuleRecord(rule, "benchmark", text, 0.0)
    return store.submit(lambda tx, living: put_rule(tx, living, record, TriggeredBy.UPDATES))


def _execute(store: LivingStore, update: Update) -> Future[ScheduleOutcome]:
    """Run an update and record it; nothing is published."""

    def work(tx: Connection, living: LivingGraph) -> ScheduleOutcome:
        outcome = living.run([update])
        journal.record(tx, 0.0, outcome)
        return outcome

    return store.submit(work)


def _acknowledged(future: Future[ScheduleOutcome]) -> None:
    fired = len(future.result(_SECONDS).firings)
    assert fired == workload.TRIGGERED, f"wanted {workload.TRIGGERED} firings, found {fired}"


def _writing(first: int, last: int) -> Callable[[Connection], object]:
    """Puts the triples of some items on the disk."""
    lines = [str(triple) for triple in workload.item_triples(first, last)]
    return lambda connection: living_graph.record(connection, 0.0, QuadLines(lines), QuadLines(lines))
