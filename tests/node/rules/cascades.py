"""A rule store over a folder: five rules that pass a message on, so that a crash may fall between them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from tests.rules.execution.town import PREAMBLE, a
from tests.rules.family import EX, FAMILY

from triplewire.languages.rdftl import parse_updates
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.node.living import journal
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.store import LivingStore
from triplewire.node.rules.registration import RuleRegistration, put_rule, remove_rule
from triplewire.node.store import Store
from triplewire.rdf.terms import Literal
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.execution import ScheduleOutcome
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables.rule_records import RuleRecord

STEPS = 5
# A limit for what hangs: a process that has to compile kernels on a busy machine takes a while.
SECONDS = 300


def execute(store: LivingStore, updates: Sequence[Update]) -> Future[ScheduleOutcome]:
    """Run a schedule and record it; nothing is published."""
    return store.submit(lambda tx, living: recorded(tx, living, updates))


def recorded(tx: Connection, living: LivingGraph, updates: Sequence[Update]) -> ScheduleOutcome:
    outcome = living.run(updates)
    journal.record(tx, 0.0, outcome)
    return outcome


def put(store: LivingStore, rule: str, text: str, owner: str = "ann", time: float = 0.0) -> RuleRegistration:
    record = RuleRecord(rule, owner, text, time)
    return store.submit(lambda tx, living: put_rule(tx, living, record, TriggeredBy.UPDATES)).result(SECONDS)


def remove(store: LivingStore, rule: str) -> None:
    store.submit(lambda tx, living: remove_rule(tx, living, rule)).result(SECONDS)


def rules_of(store: LivingStore) -> tuple[Rule, ...]:
    return store.read(lambda living: tuple(registered.rule for registered in living.rules))


def prepared(store: LivingStore) -> None:
    """A queue, and a cascade: each name given to Ann appends five elements, one rule after the other."""
    store.submit(lambda tx, _: store.use_schema(tx, FAMILY)).result(SECONDS)
    people = [a("ann", "Person"), a("log", "Queue")]
    classes = ", ".join(f"(resource({t.subject}), rdf:type, resource({t.object}))" for t in people)
    execute(store, parse_updates(f"INSERT {classes};;")).result(SECONDS)
    for step in range(1, STEPS + 1):
        text = (
            f"ON INSERT (resource(ex:ann), ex:name, '{step}') IF True DO "
            "INSERT (resource(ex:log), seq++, resource(ex:ann));"
            "DELETE (resource(ex:ann), ex:name, _);"
            f"INSERT (resource(ex:ann), ex:name, '{step + 1}')"
        )
        put(store, f"step{step}", PREAMBLE + text)


def started(store: LivingStore) -> Future[ScheduleOutcome]:
    """Set the cascade off."""
    update = "DELETE (resource(ex:ann), ex:name, _);; INSERT (resource(ex:ann), ex:name, '1');;"
    return execute(store, parse_updates(PREAMBLE + "TRANSACTION t\n" + update))


def length(store: LivingStore) -> int:
    return store.read(lambda living: living.repository.last_element(EX["log"]))


def is_whole(store: LivingStore) -> bool:
    """Whether no cascade has stopped on its way."""
    names = store.read(lambda living: [t.object for t in living.repository.match(EX["ann"], EX["name"], None)])
    return length(store) % STEPS == 0 and names in ([], [Literal(f"{STEPS + 1}")])


def main(folder: Path) -> None:
    """Run cascades without end, and tell how many were acknowledged."""
    store = LivingStore(Store(Database(folder)))
    if not rules_of(store):
        prepared(store)
    while True:
        waiting = [started(store) for _ in range(4)]
        for future in waiting:
            future.result(SECONDS)
            print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
