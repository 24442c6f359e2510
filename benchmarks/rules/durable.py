"""Durable updates: rules and repository on a node's disk, acknowledged when the commit is there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from benchmarks.rules import workload
from benchmarks.rules.plans import Plan
from triplewire.rules.execution import Outcome
from triplewire.rules.hosting import RuleHost
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import changes

_CHUNK = 10_000
_SECONDS = 600
_WARM = 100


def hosted(database: Database, plan: Plan) -> RuleHost:
    """A host whose repository and rules were on the disk before it was opened."""
    empty = RuleHost(database)
    empty.set_schema(workload.schema(plan.depth)).result(_SECONDS)
    items = workload.items_for(plan.triples)
    for first in range(0, items, _CHUNK):
        database.writer.submit(_writing(first, min(first + _CHUNK, items))).result(_SECONDS)
    host = RuleHost(database)
    texts = enumerate(workload.copying_texts(plan.hosted), start=1)
    for put in [host.put_rule(f"r{number}", text, "benchmark") for number, text in texts]:
        put.result(_SECONDS)
    return host


def durable_speed(host: RuleHost, plan: Plan) -> float:
    """Updates a second that are on the disk with all that they triggered, so many of them waiting at a time."""
    count = plan.updates * plan.rounds
    for update in workload.title_updates(plan.updated_items, _WARM, "warming up"):
        _acknowledged(host.execute([update]))
    waiting: deque[Future[Outcome]] = deque()
    start = time.perf_counter()
    for update in workload.title_updates(plan.updated_items, count, "durable"):
        if len(waiting) >= plan.waiting:
            _acknowledged(waiting.popleft())
        waiting.append(host.execute([update]))
    while waiting:
        _acknowledged(waiting.popleft())
    return count / (time.perf_counter() - start)


def _acknowledged(future: Future[Outcome]) -> None:
    fired = len(future.result(_SECONDS).firings)
    assert fired == workload.TRIGGERED, f"wanted {workload.TRIGGERED} firings, found {fired}"


def _writing(first: int, last: int) -> Callable[[Connection], object]:
    """Puts the triples of some items on the disk."""
    lines = [str(triple) for triple in workload.item_triples(first, last)]
    return lambda connection: changes.record(connection, 0.0, lines, [])
