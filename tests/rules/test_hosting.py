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
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import FAMILY
from tests.rules.hosted import SECONDS, STEPS, is_whole, length, prepared, started

from triplewire.errors import (
    DiskFull,
    PrecedenceCycle,
    SchemaViolation,
    StoreFailed,
    SyntaxProblem,
    UnknownName,
    UnknownRule,
)
from triplewire.languages.rdftl import parse_updates
from triplewire.rules.hosting import RuleHost
from triplewire.rules.schema import Schema
from triplewire.store import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import changes, metadata, rulebook
from triplewire.testing.faulty_disk import Fate, FaultyDisk
from triplewire.testing.virtual_clock import VirtualClock

ROOT = Path(__file__).parents[2]


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def database(tmp_path: Path, disk: FaultyDisk) -> Iterator[Database]:
    database = Database(tmp_path, disk)
    yield database
    database.close()


def reopened(database: Database) -> RuleHost:
    return RuleHost(database)


def everything(host: RuleHost) -> object:
    return host.schema, host.rules, host.read(lambda repository: (set(repository), set(repository.asserted)))


def test_everything_is_there_after_a_restart(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    outcome = started(host).result(SECONDS)
    assert len(outcome.firings) == STEPS
    assert length(host) == STEPS
    again = reopened(database)
    assert everything(again) == everything(host)
    started(again).result(SECONDS)
    assert length(again) == 2 * STEPS


def test_firings_tell_their_cause_and_what_they_did(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    started(host).result(SECONDS)
    started(host).result(SECONDS)
    firings = host.firings("step2")
    assert [told.cause for _, told in firings] == ["step1", "step1"]
    assert firings[0][1].status == "committed"
    assert firings[0][1].delta == {}
    assert any("_2>" in line for line in firings[0][1].inserted)
    assert host.firings("step2", after=firings[0][0].number) == firings[1:]
    with pytest.raises(UnknownRule, match="'step9'"):
        host.firings("step9")


def test_the_journal_replayed_gives_the_assertions(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    for _ in range(3):
        started(host).result(SECONDS)
    lines: set[str] = set()
    for schedule in database.read(lambda connection: changes.after(connection, 0, 100)):
        lines = (lines - set(schedule.deleted)) | set(schedule.inserted)
    assert lines == set(database.read(lambda connection: list(changes.assertions(connection))))
    assert lines == {str(triple) for triple in host.read(lambda repository: list(repository.asserted))}


def test_a_forgotten_journal_leaves_the_assertions_and_the_positions(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    head = database.read(changes.head)
    database.writer.submit(lambda connection: changes.forget(connection, head)).result(SECONDS)
    assert database.read(lambda connection: changes.after(connection, 0, 10)) == []
    started(host).result(SECONDS)
    assert database.read(changes.head) == head + 1
    assert everything(reopened(database)) == everything(host)


def test_f3_a_full_disk_refuses_the_schedule_and_leaves_memory_as_the_disk_is(
    database: Database, disk: FaultyDisk
) -> None:
    host = RuleHost(database)
    prepared(host)
    disk.fill()
    with pytest.raises(DiskFull):
        started(host).result(SECONDS)
    disk.free()
    started(host).result(SECONDS)
    assert length(host) == STEPS
    assert everything(reopened(database)) == everything(host)


@pytest.mark.parametrize("fate", list(Fate))
def test_f2_a_failed_fsync_leaves_the_whole_cascade_or_nothing(tmp_path: Path, fate: Fate) -> None:
    disk = FaultyDisk()
    database = Database(tmp_path, disk)
    host = RuleHost(database)
    prepared(host)
    disk.fail_sync(fate)
    with pytest.raises(StoreFailed):
        started(host).result(SECONDS)
    database.close()
    database = Database(tmp_path)
    again = reopened(database)
    assert is_whole(again)
    assert length(again) == (STEPS if fate is Fate.KEPT else 0)
    database.close()


def test_what_is_written_beside_a_schedule_is_there_with_it_or_not_at_all(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    update = parse_updates(PREAMBLE + "INSERT (resource(ex:log), seq++, resource(ex:ann));;")

    def note(connection: Connection, outcome: object) -> None:
        metadata.put(connection, "note", "written")

    def fail(connection: Connection, outcome: object) -> None:
        metadata.put(connection, "note", "half")
        raise ZeroDivisionError

    host.execute(update, note).result(SECONDS)
    with pytest.raises(ZeroDivisionError):
        host.execute(update, fail).result(SECONDS)
    assert database.read(lambda connection: metadata.get(connection, "note")) == "written"
    host.execute(update).result(SECONDS)
    assert length(host) == 2
    assert everything(reopened(database)) == everything(host)


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
    host = RuleHost(database)
    prepared(host)
    second = PREAMBLE + "PRECEDES step1 ON INSERT (_, ex:age, _) IF True DO DELETE (_, ex:age, _)"
    host.put_rule("step2", second, "ann").result(SECONDS)
    was = everything(host)
    with pytest.raises(problem):
        host.put_rule("step1", text, "ann").result(SECONDS)
    assert everything(host) == was
    assert everything(reopened(database)) == was


def test_a_rule_is_replaced_in_its_place_and_removed(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    other = PREAMBLE + "ON INSERT (_, ex:name, '1') IF True DO INSERT (resource(ex:log), seq++, resource(ex:ann))"
    host.put_rule("step1", other, "bob").result(SECONDS)
    assert [rule.id for rule in host.rules] == [f"step{n}" for n in range(1, STEPS + 1)]
    assert len(started(host).result(SECONDS).firings) == 1
    assert everything(reopened(database)) == everything(host)
    host.remove_rule("step1").result(SECONDS)
    assert not started(host).result(SECONDS).firings
    with pytest.raises(UnknownRule):
        host.remove_rule("step1").result(SECONDS)
    assert everything(reopened(database)) == everything(host)


def test_another_schema_is_taken_only_if_everything_conforms_to_it(database: Database) -> None:
    host = RuleHost(database)
    prepared(host)
    was = everything(host)
    with pytest.raises(SchemaViolation):
        host.set_schema(Schema(())).result(SECONDS)
    assert everything(host) == was
    subclass = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    more = Schema.parse(f"<http://example.org/Ghost> {subclass} <http://example.org/Being> .")
    host.set_schema(FAMILY.merge(more)).result(SECONDS)
    host.execute(parse_updates(PREAMBLE + "INSERT resource(ex:boo) AS INSTANCE OF Ghost;;")).result(SECONDS)
    assert everything(reopened(database)) == everything(host)


def killed_while_working(folder: Path, seconds: float) -> int:
    """Let another process run cascades, kill it, and count what it had acknowledged."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.rules.hosted", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
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
        host = RuleHost(database)
        assert is_whole(host)
        assert length(host) >= STEPS * acknowledged
        acknowledged = length(host) // STEPS
        database.close()


def test_a_rule_tells_when_its_text_was_registered(database: Database) -> None:
    clock = VirtualClock()
    host = RuleHost(database, clock=clock)
    host.set_schema(FAMILY).result(SECONDS)
    text = PREAMBLE + "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:name, 'A')"
    first = clock.now().timestamp()
    times = []
    for put in (text, text, text.replace("'A'", "'B'")):
        times.append(host.put_rule("greet", put, "ann").result(SECONDS).record.registered)
        clock.advance(60)
    assert times == [first, first, first + 120]
    [kept] = database.read(rulebook.everyone)
    assert kept.registered == first + 120
