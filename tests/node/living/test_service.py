"""The living graph and what is around it: rules, races, followers, full disks, and a replica that fell behind."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from tests.node.brokers import ME, YOU, broker_at, client, event
from tests.node.rules.test_service import FAMILY, put
from tests.rules.family import EX

from triplewire.errors import DiskFull, Forbidden, LimitExceeded, SchemaViolation, UpdateRefused
from triplewire.evaluation.datasets import Dataset
from triplewire.languages.sparql.parsing.parser import parse_dataset_query, parse_update
from triplewire.node.broker.broker import Broker
from triplewire.node.living.changes import Change
from triplewire.node.repository.following import Allowed
from triplewire.node.repository.replica import Replica
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph, log
from triplewire.store.tables.identities import Grant
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.testing.faulty_disk import FaultyDisk
from triplewire.wire.answers import ChangeReceipt

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
COUNTING = """DELETE { <urn:counter> <urn:is> ?n } INSERT { <urn:counter> <urn:is> ?next }
WHERE { OPTIONAL { <urn:counter> <urn:is> ?n } BIND(COALESCE(?n, 0) + 1 AS ?next) }"""


async def update(broker: Broker, text: str, who=ME) -> ChangeReceipt:
    prefix = f"PREFIX ex: {EX['']} "
    return await broker.living.update(who, parse_update(prefix + text))


def held(broker: Broker) -> set[str]:
    return broker.living.store.read(lambda living: {str(quad) for quad in living.repository.store})


# Races


async def test_of_those_who_race_each_sees_what_all_before_it_did(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await asyncio.gather(*(update(broker, COUNTING, who) for who in (ME, YOU) * 20))
        [line] = held(broker)
        assert '"40"' in line
        assert await broker.store.read(living_graph.head) == 40


# Rules


async def test_rules_are_triggered_by_whatever_changes_the_default_graph(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        rule = "ON INSERT (_, <urn:p>, _) IF True DO INSERT ($delta, <urn:seen>, 'yes')"
        await broker.rules.put(ME, "seen", rule, "updates")
        done = await update(broker, "INSERT DATA { <urn:a> <urn:p> 1 GRAPH <urn:g> { <urn:b> <urn:p> 1 } }")
        assert (done.added, done.fired) == (3, ("seen",))
        await broker.living.add_to_graph(ME, NamedNode("urn:g"), [Triple(EX["x"], NamedNode("urn:p"), EX["y"])])
        assert sum("<urn:seen>" in line for line in held(broker)) == 1
        second = await update(
            broker, "INSERT DATA { <urn:c> <urn:p> 1 }; INSERT { ?s <urn:t> ?v } WHERE { ?s <urn:seen> ?v }"
        )
        assert second.added == 4, "what the rule did for the first operation, the second sees"


async def test_a_rule_that_fails_takes_all_graphs_of_the_update_along(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await broker.rules.set_schema(ME, FAMILY)
        guard = "ABORT MUTUAL ON INSERT (_, ex:name, _) IF True DO INSERT (resource(ex:nobody), ex:name, 'x')"
        await put(broker, "guard", guard)
        text = "INSERT DATA { ex:ann a ex:Person ; ex:name 'Ann' GRAPH <urn:g> { <urn:a> <urn:p> 1 } }"
        with pytest.raises(SchemaViolation):
            await update(broker, text)
        assert held(broker) == set()
        assert await broker.store.read(log.head) == 0
        await broker.rules.remove(ME, "guard")
        await update(broker, text)
        assert f"{EX['ann']} {TYPE} {EX['Being']}" in held(broker), "it follows"


async def test_what_does_not_conform_is_refused_and_what_follows_is_not_deleted_by_name(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await broker.rules.set_schema(ME, FAMILY)
        with pytest.raises(SchemaViolation):
            await update(broker, "INSERT DATA { ex:ann ex:name 'Ann' }")
        await update(broker, "INSERT DATA { ex:ann a ex:Nurse }")
        before = held(broker)
        assert (await update(broker, "DELETE DATA { ex:ann a ex:Being }")).removed == 0
        assert held(broker) == before
        assert (await update(broker, "DELETE DATA { ex:ann a ex:Nurse }")).removed == len(before)
        assert held(broker) == set()


async def test_another_schema_is_a_change_that_is_told(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await update(broker, "INSERT DATA { ex:ann a ex:Nurse }")
        await broker.rules.set_schema(ME, FAMILY)
        [_, change] = await broker.store.read(lambda tx: living_graph.after(tx, 0, 10))
        assert set(change.added) == held(broker) - {f"{EX['ann']} {TYPE} {EX['Nurse']}"} != set()
        [_, record] = await broker.store.read(lambda tx: log.after(tx, 0, 10))
        assert all(line in record.nquads.decode() for line in change.added)


# Followers


class Follower:
    """Remembers what it was told, and writes one notification for each change."""

    def __init__(self) -> None:
        self.told: list[Change] = []
        self.undone = 0
        self.kept = 0

    def changed(self, tx: Connection, change: Change, dataset: Dataset) -> tuple[OutboxEntry, ...]:
        assert all(quad in list(dataset.match(None, None, None, quad.graph_name)) for quad in change.added)
        self.told.append(change)
        return (OutboxEntry(99, log.head(tx), "urn:e", str(change.position).encode()),)

    def committed(self) -> None:
        self.kept = len(self.told)

    def rolled_back(self, position: int, dataset: Dataset) -> None:
        self.undone += sum(change.position > position for change in self.told[-1:])

    def reloaded(self, tx: Connection, dataset: Dataset) -> None:
        pass


async def test_a_follower_is_told_in_the_transaction_that_keeps_the_change(tmp_path: Path):
    disk = FaultyDisk()
    async with broker_at(tmp_path, disk=disk) as broker:
        follower = Follower()
        broker.living.store.follow(follower)
        await update(broker, "INSERT DATA { <urn:a> <urn:p> 1 GRAPH <urn:g> { <urn:a> <urn:p> 2 } }")
        [change] = follower.told
        assert (change.position, len(change.added), change.removed) == (1, 2, ())
        assert follower.kept == 1, "it knows of the commit before whoever asked for the change does"
        with pytest.raises(Forbidden):
            await update(broker, "INSERT DATA { <urn:b> <urn:p> 1 }", client("limited", publish=Grant(("urn:q",))))
        with pytest.raises(UpdateRefused):
            await update(broker, "INSERT DATA { <urn:b> <urn:p> 1 } ; CREATE GRAPH <urn:g>")
        assert follower.undone == len(follower.told) - 1
        disk.fill()
        with pytest.raises(DiskFull):
            await update(broker, "CLEAR ALL")
        disk.free()
        await update(broker, "INSERT DATA { <urn:c> <urn:p> 1 }")
        assert follower.told[-1].position == 2, "positions have no holes"
        rows = await broker.store.read(
            lambda tx: tx.execute("SELECT answer FROM outbox WHERE subscription = 99").fetchall()
        )
        assert [answer for (answer,) in rows] == [b"1", b"2"]
        assert len(held(broker)) == 3


# Sizes


async def test_a_change_of_many_quads_is_told_in_several_events(tmp_path: Path):
    async with broker_at(tmp_path, rule_seconds=120) as broker:
        triples = [Triple(NamedNode(f"urn:s{n}"), NamedNode("urn:p"), NamedNode("urn:o")) for n in range(25_000)]
        done = await broker.living.replace_graph(ME, NamedNode("urn:big"), triples)
        assert (done.added, len(done.events)) == (25_000, 4), "each as large as an event may be"
        records = await broker.store.read(lambda tx: log.after(tx, 0, 10))
        assert sum(record.nquads.count(b"<urn:p>") for record in records) == 25_000
        broker.state.change_quads = 1_000
        with pytest.raises(LimitExceeded):
            await broker.living.delete_graph(ME, NamedNode("urn:big"))
        assert broker.living.store.size == 25_000


# The replica


async def test_a_replica_that_the_journal_does_not_reach_is_filled_from_what_is_there(tmp_path: Path):
    asked = parse_dataset_query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
    async with broker_at(tmp_path) as broker:
        replica = Replica(tmp_path / "replica", broker, Allowed())
        await replica.start()
        for number in range(5):
            await update(broker, f"INSERT DATA {{ <urn:a> <urn:p> {number} }}")
        assert (await replica.query(asked, "text/csv")).content.split() == [b"n", b"5"]
        await replica.stop()
        await update(broker, "DELETE DATA { <urn:a> <urn:p> 0 }")
        await broker.living.forget(None, 0)
        behind = Replica(tmp_path / "replica", broker, Allowed())
        await behind.start()
        assert (await behind.query(asked, "text/csv")).content.split() == [b"n", b"4"]
        await behind.stop()
        shutil.rmtree(tmp_path / "replica")
        lost = Replica(tmp_path / "replica", broker, Allowed())
        await lost.start()
        await broker.living.publish(YOU, [event(1)])
        assert (await lost.query(asked, "text/csv")).content.split() == [b"n", b"4"]
        await lost.stop()
