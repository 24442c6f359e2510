"""Rules on a node: what was acknowledged is there after a crash, and no cascade is there by half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.node.rules.cascades import (
    SECONDS,
    STEPS,
    execute,
    is_whole,
    length,
    prepared,
    put,
    recorded,
    remove,
    rules_of,
    started,
)
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire.errors import (
    DiskFull,
    Forbidden,
    PrecedenceCycle,
    SchemaViolation,
    StoreFailed,
    SyntaxProblem,
    UnknownName,
    UnknownRule,
)
from triplewire.languages.rdftl import parse_updates
from triplewire.node.living import journal
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.store import LivingStore
from triplewire.node.store import Store
from triplewire.rules.schema import Schema
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph, metadata, rule_records
from triplewire.testing.faulty_disk import Fate, FaultyDisk

ROOT = Path(__file__).parents[3]

OTHER = Schema.parse("<urn:C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:D> .")


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def database(tmp_path: Path, disk: FaultyDisk) -> Iterator[Database]:
    database = Database(tmp_path, disk)
    yield database
    database.close()


def reopened(database: Database) -> LivingStore:
    return LivingStore(Store(database))


def everything(store: LivingStore) -> object:
    return rules_of(store), store.read(
        lambda living: (living.schema, set(living.repository), set(living.repository.asserted))
    )


def test_everything_is_there_after_a_restart(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    outcome = started(store).result(SECONDS)
    assert len(outcome.firings) == STEPS
    assert length(store) == STEPS
    again = reopened(database)
    assert everything(again) == everything(store)
    started(again).result(SECONDS)
    assert length(again) == 2 * STEPS


def test_firings_tell_their_cause_and_what_they_did(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    started(store).result(SECONDS)
    started(store).result(SECONDS)
    firings = database.read(lambda tx: journal.firings(tx, "step2", 0, 100))
    assert [entry.cause for _, entry in firings] == ["step1", "step1"]
    assert firings[0][1].status == "committed"
    assert firings[0][1].delta == {}
    assert any("_2>" in line for line in firings[0][1].inserted)
    rest = database.read(lambda tx: journal.firings(tx, "step2", firings[0][0].number, 100))
    assert rest == firings[1:]


def test_the_journal_replayed_gives_what_holds(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    for _ in range(3):
        started(store).result(SECONDS)
    lines: set[str] = set()
    for schedule in database.read(lambda connection: living_graph.after(connection, 0, 100)):
        lines = (lines - set(schedule.removed)) | set(schedule.added)
    assert lines == {str(triple) for triple in store.read(lambda living: list(living.repository))}
    asserted = set(database.read(lambda connection: list(living_graph.quads(connection))))
    assert asserted == {str(triple) for triple in store.read(lambda living: list(living.repository.asserted))}


def test_a_forgotten_journal_leaves_the_assertions_and_the_positions(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    head = database.read(living_graph.head)
    database.writer.submit(lambda connection: living_graph.forget(connection, head)).result(SECONDS)
    assert database.read(lambda connection: living_graph.after(connection, 0, 10)) == []
    started(store).result(SECONDS)
    assert database.read(living_graph.head) == head + 1
    assert everything(reopened(database)) == everything(store)


def test_f3_a_full_disk_refuses_the_schedule_and_leaves_memory_as_the_disk_is(
    database: Database, disk: FaultyDisk
) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    disk.fill()
    with pytest.raises(DiskFull):
        started(store).result(SECONDS)
    disk.free()
    started(store).result(SECONDS)
    assert length(store) == STEPS
    assert everything(reopened(database)) == everything(store)


@pytest.mark.parametrize("fate", list(Fate))
def test_f2_a_failed_fsync_leaves_the_whole_cascade_or_nothing(tmp_path: Path, fate: Fate) -> None:
    disk = FaultyDisk()
    database = Database(tmp_path, disk)
    store = LivingStore(Store(database))
    prepared(store)
    disk.fail_sync(fate)
    with pytest.raises(StoreFailed):
        started(store).result(SECONDS)
    database.close()
    database = Database(tmp_path)
    again = reopened(database)
    assert is_whole(again)
    assert length(again) == (STEPS if fate is Fate.KEPT else 0)
    database.close()


@pytest.mark.parametrize("problem", [ZeroDivisionError(), Forbidden("no")], ids=["a bug", "a refusal"])
def test_what_is_written_beside_a_schedule_is_there_with_it_or_not_at_all(
    database: Database, problem: Exception
) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    update = parse_updates(PREAMBLE + "INSERT (resource(ex:log), seq++, resource(ex:ann));;")

    def note(tx: Connection, living: LivingGraph) -> None:
        recorded(tx, living, update)
        metadata.put(tx, "note", "written")

    def fail(tx: Connection, living: LivingGraph) -> None:
        recorded(tx, living, update)
        metadata.put(tx, "note", "half")
        raise problem

    store.submit(note).result(SECONDS)
    with pytest.raises(type(problem)):
        store.submit(fail).result(SECONDS)
    assert length(store) == 1
    assert database.read(lambda connection: metadata.get(connection, "note")) == "written"
    execute(store, update).result(SECONDS)
    assert length(store) == 2
    assert everything(reopened(database)) == everything(store)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ON", SyntaxProblem),
        (PREAMBLE + "ON INSERT (_, ex:nam, _) IF True DO DELETE (_, ex:name, _)", UnknownName),
        (PREAMBLE + "PRECEDES step2 ON INSERT (_, ex:name, _) IF True DO DELETE (_, ex:name, _)", PrecedenceCycle),
    ],
)
def test_a_rule_that_is_refused_leaves_the_one_that_was_there(
    database: Database, text: str, problem: type[Exception]
) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    second = PREAMBLE + "PRECEDES step1 ON INSERT (_, ex:age, _) IF True DO DELETE (_, ex:age, _)"
    put(store, "step2", second)
    was = everything(store)
    with pytest.raises(problem):
        put(store, "step1", text)
    assert everything(store) == was
    assert everything(reopened(database)) == was


def test_a_rule_is_replaced_in_its_place_and_removed(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    other = PREAMBLE + "ON INSERT (_, ex:name, '1') IF True DO INSERT (resource(ex:log), seq++, resource(ex:ann))"
    put(store, "step1", other, "bob")
    assert [rule.id for rule in rules_of(store)] == [f"step{n}" for n in range(1, STEPS + 1)]
    assert len(started(store).result(SECONDS).firings) == 1
    assert everything(reopened(database)) == everything(store)
    remove(store, "step1")
    assert not started(store).result(SECONDS).firings
    with pytest.raises(UnknownRule):
        remove(store, "step1")
    assert everything(reopened(database)) == everything(store)


def test_another_schema_is_taken_only_if_everything_conforms_to_it(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    was = everything(store)
    with pytest.raises(SchemaViolation):
        store.submit(lambda tx, _: store.use_schema(tx, OTHER)).result(SECONDS)
    assert everything(store) == was
    subclass = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    more = Schema.parse(f"<http://example.org/Ghost> {subclass} <http://example.org/Being> .")
    store.submit(lambda tx, _: store.use_schema(tx, FAMILY.merge(more))).result(SECONDS)
    execute(store, parse_updates(PREAMBLE + "INSERT resource(ex:boo) AS INSTANCE OF Ghost;;")).result(SECONDS)
    assert everything(reopened(database)) == everything(store)


def test_what_follows_by_another_schema_only_is_what_changes(database: Database) -> None:
    store = LivingStore(Store(database))
    prepared(store)
    subclass = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    more = Schema.parse(f"{EX['Being']} {subclass} {EX['Entity']} .")
    before = store.read(lambda living: set(living.repository))
    changes = store.submit(lambda tx, _: store.use_schema(tx, FAMILY.merge(more))).result(SECONDS)
    after = store.read(lambda living: set(living.repository))
    assert set(changes.inserted) == after - before
    assert changes.inserted
    back = store.submit(lambda tx, _: store.use_schema(tx, FAMILY)).result(SECONDS)
    assert set(back.deleted) == after - before
    assert store.read(lambda living: set(living.repository)) == before


def killed_while_working(folder: Path, seconds: float) -> int:
    """Let another process run cascades, kill it, and count what it had acknowledged."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.node.rules.cascades", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"done\n"
    time.sleep(seconds)
    worker.send_signal(signal.SIGKILL)
    rest = worker.stdout.read()
    worker.wait()
    return 1 + rest.count(b"done\n")


@pytest.mark.parametrize(
    "kills", [pytest.param(1, id="once"), pytest.param(20, marks=pytest.mark.slow, id="twenty-times")]
)
def test_f1_killed_in_the_middle_of_cascades_it_recovers_to_before_or_after_one(tmp_path: Path, kills: int) -> None:
    acknowledged = 0
    for kill in range(kills):
        acknowledged += killed_while_working(tmp_path, 0.02 * (kill % 7))
        database = Database(tmp_path)
        store = LivingStore(Store(database))
        assert is_whole(store)
        assert length(store) >= STEPS * acknowledged
        acknowledged = length(store) // STEPS
        database.close()


def test_a_rule_tells_when_its_text_was_registered(database: Database) -> None:
    store = LivingStore(Store(database))
    store.submit(lambda tx, _: store.use_schema(tx, FAMILY)).result(SECONDS)
    text = PREAMBLE + "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:name, 'A')"
    texts = (text, text, text.replace("'A'", "'B'"))
    times = [put(store, "greet", wanted, time=60.0 * number).record.registered for number, wanted in enumerate(texts)]
    assert times == [0.0, 0.0, 120.0]
    [kept] = database.read(rule_records.everyone)
    assert kept.registered == 120.0
