"""Reading in pages, waiting, acknowledging, payloads."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.node.brokers import ME, YOU, broker_at, event, events, positions, solutions, subscribed

from triplewire import Taxonomy
from triplewire.node.broker.broker import Broker
from triplewire.store.tables import registry


async def test_an_event_gets_a_position_and_whoever_asked_is_told(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        receipts = await broker.events.publish(ME, events(1, 3))
        assert [(r.event, r.position) for r in receipts] == [("urn:e:1", 1), ("urn:e:2", 2), ("urn:e:3", 3)]
        page = await broker.notifications.page(record.number)
        assert [one.event for one in page.notifications] == ["urn:e:1", "urn:e:2", "urn:e:3"]
        assert solutions(page.notifications[0]) == [
            {"s": {"type": "uri", "value": "urn:s1"}, "o": {"type": "literal", "value": "1"}}
        ]
        assert page.next is None


async def test_pages_follow_each_other(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, events(1, 25))
        page = await broker.notifications.page(record.number, 0, 10)
        assert (len(page.notifications), page.next) == (10, 10)
        assert await positions(broker, record.number, limit=10) == list(range(1, 26))
        assert (await broker.notifications.page(record.number, 15, 10)).next is None


async def test_f5_a_page_read_while_a_subscription_catches_up_is_not_the_last_though_it_is_live_by_now(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, events(1, 3))
        # What the page was read from says that it catches up, and the index says that it has.
        await broker.store.write(lambda tx: registry.set_frontier(tx, record.number, 3))
        assert (await broker.notifications.page(record.number)).next == 3
        await broker.store.write(lambda tx: registry.set_frontier(tx, record.number, None))
        assert (await broker.notifications.page(record.number)).next is None


async def test_everything_is_there_after_a_restart(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.subscriptions.set_taxonomy(
            Taxonomy.parse("<urn:a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:b> .")
        )
        await broker.events.publish(ME, events(1, 5))
        await broker.notifications.acknowledge(record.number, 2)
    async with broker_at(tmp_path) as broker:
        record = broker.subscriptions.require("me", "all")
        assert record.cursor == 2
        assert await positions(broker, record.number) == [3, 4, 5]
        assert (await broker.events.publish(ME, [event(6)]))[0].position == 6
        assert await positions(broker, record.number) == [3, 4, 5, 6]
        assert broker.state.taxonomy is not None


async def test_what_was_acknowledged_is_gone_and_what_was_not_is_read_again(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, events(1, 5))
        await broker.notifications.acknowledge(record.number, 3)
        assert await positions(broker, record.number) == [4, 5]
        assert await positions(broker, record.number) == [4, 5]
        assert (await broker.notifications.page(record.number)).gap is None
        await broker.notifications.acknowledge(record.number, 1)
        assert broker.subscriptions.index.get(record.number).cursor == 3


async def test_waiting_ends_when_something_comes_or_time_is_up(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        assert await broker.notifications.wait(record.number, 0, timeout=0.01) is False
        waiting = asyncio.create_task(broker.notifications.wait(record.number, 0, timeout=120))
        await asyncio.sleep(0)
        await broker.events.publish(ME, [event(1)])
        assert await waiting is True
        waiting = asyncio.create_task(broker.notifications.wait(record.number, 1))
        await asyncio.sleep(0)
        await broker.close()
        assert await waiting is False

    await test(await Broker.open(tmp_path, unregistered=(ME, YOU)))


async def test_payloads(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        whole = await subscribed(broker, "whole", payload="event")
        made = await subscribed(broker, "made", "CONSTRUCT { ?o <urn:of> ?s } { ?s <urn:p> ?o }", payload="construct")
        await broker.events.publish(ME, [event(1, "<urn:s> <urn:p> <urn:o> .")])
        [one] = (await broker.notifications.page(whole.number)).notifications
        assert one.data == "<urn:s> <urn:p> <urn:o> <urn:e:1> .\n"
        [one] = (await broker.notifications.page(made.number)).notifications
        assert b'"construct":["<urn:o> <urn:of> <urn:s> ."]' in one.json
