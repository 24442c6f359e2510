"""Rules beside the log: published in one transaction with what they tell, and rules that listen to events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.node.brokers import ME, YOU, broker_at, client, positions, subscribed
from tests.node.rules import cascades
from tests.node.rules.change_events import told_in
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire import Event
from triplewire.errors import CascadeTooLong, DiskFull, LimitExceeded
from triplewire.languages.rdftl import parse_updates
from triplewire.node.broker.broker import Broker
from triplewire.node.living.store import LivingStore
from triplewire.node.living.transaction import ExecutedUpdate
from triplewire.node.rules.event_listener import PUBLISHER
from triplewire.node.store import Store
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.execution import Status
from triplewire.store import Database
from triplewire.store.tables import living_graph, log, metadata, rule_records
from triplewire.store.tables.identities import Grant
from triplewire.testing.faulty_disk import FaultyDisk

GREET = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:name, 'Somebody')"
QUEUE = "ON INSERT (_, ex:name, _) IF True DO INSERT (resource(ex:log), seq++, $delta)"
CHANGED = "SELECT ?event { ?event a ?kind FILTER(?kind IN (<urn:triplewire:Inserted>, <urn:triplewire:Deleted>)) }"


async def update(broker: Broker, text: str, who=ME) -> ExecutedUpdate:
    return await broker.rules.update(who, parse_updates(PREAMBLE + text))


async def put(broker: Broker, name: str, text: str, by: TriggeredBy = TriggeredBy.UPDATES, who=ME) -> None:
    await broker.rules.put(who, name, PREAMBLE + text, by)


@asynccontextmanager
async def rules_at(folder: Path, **options) -> AsyncIterator[Broker]:
    """A new broker with a schema, whose log for rules is at position 1."""
    async with broker_at(folder, **options) as broker:
        await broker.rules.set_schema(ME, FAMILY)
        await update(broker, "INSERT resource(ex:log) AS INSTANCE OF Queue;;")
        yield broker


def publication(number: int, *triples: str) -> Event:
    text = f"@prefix ex: {EX['']} ." + " ".join(f"{triple} ." for triple in triples)
    [made] = Event.parse(text, "turtle", graph=f"urn:e:{number}")
    return made


async def applied(broker: Broker, position: int) -> None:
    """Wait until the rules that listen have come so far; what never comes is ended by the test's time."""
    while broker.rules.listener_position < position:
        await asyncio.sleep(0.005)


async def publish(broker: Broker, *events: Event) -> None:
    """Publish for another client, and wait until the rules that listen have seen the last one."""
    receipts = await broker.events.publish(YOU, list(events))
    await applied(broker, receipts[-1].position)


async def graph(broker: Broker) -> set[str]:
    return set(await broker.store.read(lambda tx: list(living_graph.quads(tx))))


async def test_the_log_tells_the_repository_and_outboxes_tell_the_log(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        record = await subscribed(broker, "changes", CHANGED)
        await put(broker, "greet", GREET)
        await put(broker, "queue", QUEUE)
        done = await update(broker, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        assert [entry.rule for entry in done.outcome.firings] == ["greet", "queue"]
        again = await update(broker, "DELETE (resource(ex:ann), ex:name, _);; DELETE resource(ex:ann);;")
        assert [each.kind for each in again.events] == ["deleted", "deleted"]
        expected = [each.position for each in (*done.events, *again.events)]
        assert await positions(broker, record.number) == expected == [2, 3, 4]
    database = Database(tmp_path)
    store = LivingStore(Store(database))
    assert told_in(database) == store.read(lambda living: {str(triple) for triple in living.repository})
    database.close()


async def test_events_of_one_publisher_stay_in_order_beside_those_of_others(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:

        async def publish() -> None:
            for number in range(20):
                await broker.events.publish(YOU, [publication(number, f'<urn:s> <urn:p> "{number}"')])

        async def write() -> list[int]:
            done = [await update(broker, f"INSERT resource(ex:p{n}) AS INSTANCE OF Person;;") for n in range(20)]
            return [each.position for one in done for each in one.events]

        record = await subscribed(broker, "changes", CHANGED)
        _, written = await asyncio.gather(publish(), write())
        assert written == sorted(written)
        assert await positions(broker, record.number) == written
        records = await broker.store.read(lambda tx: log.after(tx, 1, 100))
        assert [record.position for record in records if record.publisher == ME.id] == written
        assert len(records) == 40


async def test_whoever_waits_for_a_notification_is_woken_by_what_rules_do(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        await put(broker, "greet", GREET)
        record = await subscribed(broker, "named", f"SELECT ?x {{ ?x {EX['name']} ?name }}")
        waiting = asyncio.create_task(broker.notifications.wait(record.number, 0, timeout=120))
        await update(broker, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        assert await waiting
        assert broker.state.counters.published == 2


async def test_f3_on_a_full_disk_neither_the_change_nor_its_event_is_there(tmp_path: Path) -> None:
    disk = FaultyDisk()

    async with rules_at(tmp_path, disk=disk) as broker:
        before = await graph(broker), await broker.store.read(log.head)
        disk.fill()
        with pytest.raises(DiskFull):
            await update(broker, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        disk.free()
        assert (await graph(broker), await broker.store.read(log.head)) == before
        done = await update(broker, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        assert [each.position for each in done.events] == [before[1] + 1]


async def test_a_change_that_is_too_large_is_refused_whole(tmp_path: Path) -> None:
    async with rules_at(tmp_path, rule_seconds=60, change_quads=10_000) as broker:
        many = "".join(f"INSERT resource(ex:p{n}) AS INSTANCE OF Person;;" for n in range(101))
        await update(broker, "TRANSACTION many " + many + "INSERT (_, ex:name, 'p');;")
        before = await graph(broker), await broker.store.read(log.head)
        together = "resource()[target(ex:name) = 'p']"
        with pytest.raises(LimitExceeded, match="quads"):
            await update(broker, f"INSERT ({together}, ex:owes, {together});;")
        assert (await graph(broker), await broker.store.read(log.head)) == before
        done = await update(broker, "INSERT (resource(ex:p1), ex:owes, resource(ex:p2));;")
        assert done.outcome.changes, "nothing of it was left in memory"


async def test_retention_forgets_the_journal_and_the_firings_and_keeps_the_repository(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        await put(broker, "greet", GREET)
        await update(broker, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        kept = await graph(broker)
        await broker.living.forget(None, None)
        await broker.living.forget(1e6, 1 << 30)
        assert len(await broker.rules.firings(ME, "greet", 0, 10)) == 1
        await broker.living.forget(-1.0, None)
        assert await broker.rules.firings(ME, "greet", 0, 10) == []
        assert await broker.store.read(lambda tx: living_graph.after(tx, 0, 10)) == []
        assert await graph(broker) == kept


# Rules that listen


async def test_an_event_triggers_a_rule_that_listens_and_is_taken_into_the_repository(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        await broker.events.publish(YOU, [publication(1, "ex:early a ex:Nurse")])
        await put(broker, "greet", GREET, TriggeredBy.EVENTS)
        await put(broker, "queue", QUEUE)
        await publish(broker, publication(2, "ex:ann a ex:Nurse", "ex:ann ex:age 7"), publication(3, "ex:x ex:y ex:z"))
        [(_, firing)] = await broker.rules.firings(ME, "greet", 0, 10)
        assert (firing.cause, firing.delta) == ("urn:e:2", {"delta": f"<{EX['ann'].value}>"})
        assert len(await broker.rules.firings(ME, "queue", 0, 10)) == 1, "others are triggered as by any update"
        lines = await graph(broker)
        assert any("/age>" in line for line in lines)
        assert not any("early" in line for line in lines), "published before somebody listened"
        [record] = await broker.store.read(lambda tx: log.after(tx, 4, 10))
        assert (record.publisher, record.source) == (PUBLISHER, "urn:triplewire:schedule:2#urn:e:2")


async def test_what_rules_publish_is_not_heard_so_there_is_no_loop(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        await put(
            broker, "again", "ON INSERT (_, ex:name, _) IF True DO DELETE ($delta, ex:name, _)", TriggeredBy.EVENTS
        )
        await put(broker, "greet", GREET, TriggeredBy.EVENTS)
        await publish(broker, publication(1, "ex:ann a ex:Person"))
        head = await broker.store.read(log.head)
        await update(broker, "INSERT resource(ex:bob) AS INSTANCE OF Person;;")
        await applied(broker, head + 1)
        assert await broker.store.read(log.head) == head + 1
        assert await broker.store.read(living_graph.head) == 3


async def test_an_event_that_is_refused_harms_neither_its_publisher_nor_the_next(tmp_path: Path, caplog) -> None:
    async with rules_at(tmp_path) as broker:
        await put(broker, "greet", GREET, TriggeredBy.EVENTS)
        bad = [
            publication(1, "ex:ann a ex:Person", "ex:ann ex:owns ex:nothing"),
            publication(2, "ex:ann a ex:Person", "ex:ann ex:unheard ex:of"),
            publication(3, "ex:ann a ex:Person", 'ex:ann a "Person"'),
        ]
        before = await graph(broker)
        await publish(broker, *bad)
        assert await graph(broker) == before
        assert [f"urn:e:{n}" in caplog.text for n in (1, 2, 3)] == [True] * 3
        await publish(broker, publication(4, "ex:ann a ex:Person"))
        assert len(await broker.rules.firings(ME, "greet", 0, 10)) == 1


async def test_blank_nodes_of_two_events_stay_apart(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        await put(broker, "greet", GREET, TriggeredBy.EVENTS)
        for number in (1, 2):
            [event] = Event.parse(
                f"_:b <{'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'}> {EX['Person']} <urn:e:{number}> ."
            )
            await publish(broker, event)
        deltas = [firing.delta["delta"] for _, firing in await broker.rules.firings(ME, "greet", 0, 10)]
        assert len(set(deltas)) == 2
        assert all(delta.startswith("<urn:triplewire:node:") for delta in deltas)


async def test_an_event_is_taken_only_as_far_as_the_rules_owner_may_read_and_write_it(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        owner = client("owner", publish=Grant(namespaces=(EX["Person"].value, EX["name"].value)))
        broker.state.know(owner)
        await put(broker, "greet", GREET, TriggeredBy.EVENTS, owner)
        await broker.events.publish(YOU, [publication(1, "ex:ann a ex:Person", "ex:ann ex:age 7")])
        await publish(broker, publication(2, "ex:bob a ex:Person"))
        firings = await broker.rules.firings(owner, "greet", 0, 10)
        assert [firing.cause for _, firing in firings] == ["urn:e:2"]
        await broker.subscriptions.set_rights(client("owner", subscribe=Grant(graphs=("urn:other:",))))
        await publish(broker, publication(3, "ex:cat a ex:Person"))
        assert not any("/cat>" in line for line in await graph(broker))


async def test_a_node_that_starts_again_applies_what_it_had_not_applied_and_nothing_twice(tmp_path: Path) -> None:
    queue = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT (resource(ex:log), seq++, $delta)"

    async with rules_at(tmp_path) as broker:
        await put(broker, "queue", queue, TriggeredBy.EVENTS)
        await publish(broker, publication(1, "ex:ann a ex:Person"))
        await broker.rules.end()
        missed = await broker.events.publish(
            YOU, [publication(2, "ex:bob a ex:Person"), publication(3, "ex:cat a ex:Person")]
        )
    async with broker_at(tmp_path) as broker:
        assert await broker.store.read(lambda tx: metadata.get(tx, "rules heard")) == 2
        await applied(broker, missed[-1].position)
        causes = [firing.cause for _, firing in await broker.rules.firings(ME, "queue", 0, 10)]
        assert causes == ["urn:e:1", "urn:e:2", "urn:e:3"]
    async with broker_at(tmp_path) as broker:
        await publish(broker, publication(4, "ex:dan a ex:Person"))
        assert len(await broker.rules.firings(ME, "queue", 0, 10)) == 4


async def test_a_rule_that_listens_no_longer_is_deaf(tmp_path: Path) -> None:
    async with rules_at(tmp_path) as broker:
        await put(broker, "greet", GREET, TriggeredBy.EVENTS)
        await put(broker, "greet", GREET)
        await broker.events.publish(YOU, [publication(1, "ex:ann a ex:Person")])
        await put(broker, "queue", GREET, TriggeredBy.EVENTS)
        await publish(broker, publication(2, "ex:bob a ex:Person"))
        assert [f.cause for _, f in await broker.rules.firings(ME, "greet", 0, 10)] == ["urn:e:2"]
        await broker.rules.remove(ME, "queue")
        await broker.events.publish(YOU, [publication(3, "ex:cat a ex:Person")])
        done = await update(broker, "INSERT resource(ex:cat) AS INSTANCE OF Person;;")
        assert done.outcome.entries[0].status is Status.COMMITTED
        assert done.outcome.changes, "the event was not taken before"


async def crowd(broker: Broker, count: int) -> None:
    """So many people, a few at a time: each schedule has its time only."""
    for first in range(0, count, 10):
        some = range(first, min(first + 10, count))
        await update(broker, "".join(f"INSERT resource(ex:p{n}) AS INSTANCE OF Person;;" for n in some))


async def test_f12_a_cascade_that_takes_too_long_is_refused_and_publishers_go_on(tmp_path: Path) -> None:
    """A hundred people of whom each makes everybody owe: without the deadline it takes minutes."""

    async with rules_at(tmp_path, rule_seconds=1.0) as broker:
        await put(broker, "all", "ON INSERT (_, ex:owes, _) IF True DO INSERT (_, ex:owes, $delta.source)")
        await crowd(broker, 100)
        before = await graph(broker)
        cascade = asyncio.create_task(update(broker, "INSERT (resource(ex:p1), ex:owes, resource(ex:p2));;"))
        published = broker.events.publish(YOU, [publication(1, '<urn:s> <urn:p> "x"')])
        with pytest.raises(CascadeTooLong, match="-> all -> all"):
            await cascade
        assert await published
        assert await graph(broker) == before
        assert not broker.rules._store.read(lambda living: list(living.repository.match(None, EX["owes"], None)))


SLOW = "ON INSERT (_, ex:owes, _) IF True DO INSERT (_, ex:owes, $delta.source)"
LARGE = "ON INSERT (_, ex:owes, _) IF True DO INSERT (_, ex:knows, resource()[target(rdf:type) = resource(ex:Person)])"


@pytest.mark.parametrize(("rule", "seconds"), [(SLOW, 1.0), (LARGE, 60)], ids=["time", "room in a change"])
async def test_f11_what_a_rule_of_somebody_else_would_use_up_is_done_without_it(
    tmp_path: Path, rule: str, seconds: float
) -> None:
    """The author's update is executed again without that rule, which is quarantined the third time."""
    mine, other = client("mine"), client("other")

    async with rules_at(tmp_path, unregistered=(ME, mine, other), rule_seconds=seconds, change_quads=10_000) as broker:
        await crowd(broker, 101)
        await put(broker, "greedy", rule, who=other)
        for number in range(3):
            [shown] = await broker.rules.listed(other)
            assert shown.quarantined is None
            done = await update(broker, f"INSERT (resource(ex:p{number}), ex:owes, resource(ex:p9));;", who=mine)
            assert [entry.status for entry in done.outcome.entries] == [Status.COMMITTED]
            assert len(done.outcome.changes.edits.inserted) == len(done.events) == 1
        [shown] = await broker.rules.listed(other)
        assert shown.quarantined is not None


def test_f11_quarantine_survives_a_restart(tmp_path: Path) -> None:
    database = Database(tmp_path)
    store = LivingStore(Store(database))
    store.submit(lambda tx, _: store.use_schema(tx, FAMILY)).result(120)
    cascades.put(store, "r", PREAMBLE + QUEUE)
    for expected in (False, False, True):
        noted = database.writer.submit(lambda tx: rule_records.note_failure(tx, "r", "too long", 3)).result(120)
        assert noted is expected
    again = LivingStore(Store(database))
    assert cascades.rules_of(again) == ()
    cascades.put(again, "r", PREAMBLE + QUEUE)
    assert [rule.id for rule in cascades.rules_of(LivingStore(Store(database)))] == ["r"]
    database.close()
