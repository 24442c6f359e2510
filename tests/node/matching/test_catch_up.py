"""History and then live, and readers that stopped reading."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.node.brokers import ME, broker_at, client, event, events, positions, positions_up_to, subscribed

from triplewire.errors import DiskFull
from triplewire.node.broker import subscription_index
from triplewire.node.broker.broker import Broker
from triplewire.node.broker.subscription_index import MOST_UNREAD
from triplewire.node.matching.catch_up_step import CHUNK
from triplewire.store.tables.identities import UNLIMITED, Client, Rights
from triplewire.testing import FaultyDisk, VirtualClock

NO_LIMITS = Client("me", "me", None, Rights(quotas=UNLIMITED))


@pytest.mark.parametrize(("start", "expected"), [(0, range(1, 301)), (137, range(138, 301)), (None, range(201, 301))])
async def test_history_and_then_live_without_gap_or_repeat(tmp_path: Path, start, expected):
    async with broker_at(tmp_path) as broker:
        await broker.events.publish(ME, events(1, 200))
        coming = [asyncio.create_task(broker.events.publish(ME, [event(number)])) for number in range(201, 301)]
        record = await subscribed(broker, start=start) if start is not None else None
        if record is None:
            await asyncio.gather(*coming)
            record = await subscribed(broker, start=200)
        await asyncio.gather(*coming)
        assert await positions(broker, record.number, limit=17) == list(expected)
        assert broker.subscriptions.index.get(record.number).is_live


async def test_history_goes_on_after_a_restart(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await broker.events.publish(ME, events(1, 500))
        await subscribed(broker, start=0)
    async with broker_at(tmp_path) as broker:
        assert await positions(broker, broker.subscriptions.require("me", "all").number) == list(range(1, 501))


async def test_f5_a_reader_that_stopped_keeps_a_bounded_outbox_and_loses_nothing(tmp_path: Path):
    slow = client("slow", outbox_bytes=5_000)

    async with broker_at(tmp_path, unregistered=(ME, slow)) as broker:
        behind = await subscribed(broker, who=slow)
        quick = await subscribed(broker)
        for first in range(1, 1000, 50):
            await broker.events.publish(ME, events(first, first + 49))
            await broker.notifications.acknowledge(quick.number, first + 49)
        assert broker.subscriptions.index.progress(behind.number).bytes_waiting < 5_000 + 2 * 50 * 250
        assert not broker.subscriptions.index.get(behind.number).is_live
        found, after = [], 0
        while len(found) < 1000:
            page = await broker.notifications.page(behind.number, after, 100)
            found += [one.position for one in page.notifications]
            after = page.notifications[-1].position if page.notifications else after
            await broker.notifications.acknowledge(behind.number, after)
        assert found == list(range(1, 1001))


async def test_f5_reading_on_makes_room_without_acknowledgement(tmp_path: Path):
    slow = client("slow", outbox_bytes=5_000)

    async with broker_at(tmp_path, unregistered=(ME, slow)) as broker:
        behind = await subscribed(broker, who=slow)
        await broker.events.publish(ME, events(1, 500))
        await broker.events.publish(ME, events(501, 1000))
        assert await positions_up_to(broker, behind.number, 1000, limit=10) == list(range(1, 1001))
        assert (await broker.notifications.page(behind.number, 0)).gap is not None


async def test_f5_who_does_not_read_is_matched_no_further_and_loses_nothing(tmp_path: Path):
    """Without any quota: what nobody reads costs nobody anything beyond a bound."""
    lots = range(1, 12_001, 1_000)

    async with broker_at(tmp_path, unregistered=(NO_LIMITS,)) as broker:
        stopped = await subscribed(broker, "stopped", who=NO_LIMITS)
        reading = await subscribed(broker, "reading", who=NO_LIMITS)
        for first in lots:
            await broker.events.publish(NO_LIMITS, events(first, first + 999))
            page = await broker.notifications.page(reading.number, first - 1, limit=1_000)
            assert len(page.notifications) == 1_000
        assert broker.subscriptions.index.get(reading.number).is_live
        assert not broker.subscriptions.index.get(stopped.number).is_live
        assert broker.state.counters.matched <= 12_000 + MOST_UNREAD + 2_000
        # Whoever comes back gets everything, in order, and is told at once from then on.
        assert await positions_up_to(broker, stopped.number, 12_000, limit=100) == list(range(1, 12_001))
        while not broker.subscriptions.index.get(stopped.number).is_live:
            await broker.notifications.wait(stopped.number, 12_000, timeout=0.1)
        await broker.events.publish(NO_LIMITS, [event(12_001)])
        assert await positions(broker, stopped.number, 12_000) == [12_001]


async def test_f5_who_does_not_read_goes_on_after_a_restart(tmp_path: Path):
    async with broker_at(tmp_path, unregistered=(NO_LIMITS,)) as broker:
        await subscribed(broker, who=NO_LIMITS)
        for first in range(1, 8_001, 1_000):
            await broker.events.publish(NO_LIMITS, events(first, first + 999))
    async with broker_at(tmp_path, unregistered=(NO_LIMITS,)) as broker:
        number = broker.subscriptions.require("me", "all").number
        assert await positions_up_to(broker, number, 8_000, limit=1_000) == list(range(1, 8_001))


async def test_f5_a_selective_subscription_that_nobody_reads_stays_live(tmp_path: Path, monkeypatch):
    """To find its few notifications in the log again would cost more than to keep them."""
    monkeypatch.setattr(subscription_index, "MOST_UNREAD", 20)

    async with broker_at(tmp_path, unregistered=(NO_LIMITS,)) as broker:
        few = await subscribed(broker, "few", "SELECT ?s { ?s <urn:q> ?o }", who=NO_LIMITS)
        await subscribed(broker, "all", who=NO_LIMITS)
        for first in range(1, 2_001, 100):
            made = events(first, first + 99)
            made[0] = event(first, "<urn:s> <urn:q> 1 . <urn:s> <urn:p> 1 .")
            made[50] = event(first + 50, "<urn:s> <urn:q> 1 . <urn:s> <urn:p> 1 .")
            await broker.events.publish(NO_LIMITS, made)
        assert broker.subscriptions.index.progress(few.number).unread == 40
        assert broker.subscriptions.index.get(few.number).is_live
        assert not broker.subscriptions.index.get(broker.subscriptions.require("me", "all").number).is_live


async def all_positions(broker: Broker, number: int, count: int) -> list[int]:
    """So many, asked for again and again."""
    found: list[int] = []
    while len(found) < count:
        found += await positions(broker, number, found[-1] if found else 0)
        await asyncio.sleep(0.05)
    return found


async def test_a9_of_a_flood_no_more_is_made_than_may_come_at_once(tmp_path: Path):
    """However much one commit would make for it: to make it is what costs the others. No time fills a quota up here."""
    flood = client("flood", notifications_per_second=1_000, outbox_bytes=None)

    async with broker_at(tmp_path, unregistered=(NO_LIMITS, flood), clock=VirtualClock()) as broker:
        for number in range(10):
            await subscribed(broker, f"all{number}", who=flood)
        quick = await subscribed(broker, who=NO_LIMITS)
        await broker.events.publish(NO_LIMITS, events(1, 1_000))
        assert await positions(broker, quick.number) == list(range(1, 1_001))
        # Each may have tried a part of the log on its own, before it was seen that nothing is left.
        assert broker.state.counters.matched - 1_000 <= 500 + 10 * CHUNK


async def test_a9_f3_who_is_put_off_by_a_commit_that_fails_loses_nothing(tmp_path: Path):
    disk = FaultyDisk()
    flood = client("flood", notifications_per_second=100, outbox_bytes=None)

    async with broker_at(tmp_path, unregistered=(NO_LIMITS, flood), disk=disk) as broker:
        one = await subscribed(broker, who=flood)
        await broker.events.publish(NO_LIMITS, events(1, 20))
        disk.fill()
        with pytest.raises(DiskFull):
            await broker.events.publish(NO_LIMITS, events(21, 400))
        disk.free()
        await broker.events.publish(NO_LIMITS, events(401, 600))
        assert await all_positions(broker, one.number, 220) == list(range(1, 221))


async def test_a9_f1_who_is_put_off_goes_on_after_a_restart(tmp_path: Path):
    flood = client("flood", notifications_per_second=100, outbox_bytes=None)

    async with broker_at(tmp_path, unregistered=(NO_LIMITS, flood)) as broker:
        await subscribed(broker, who=flood)
        await broker.events.publish(NO_LIMITS, events(1, 20))
        await broker.events.publish(NO_LIMITS, events(21, 400))
    async with broker_at(tmp_path, unregistered=(NO_LIMITS, flood)) as broker:
        number = broker.subscriptions.require("flood", "all").number
        assert await positions_up_to(broker, number, 400, limit=50) == list(range(1, 401))


async def test_a9_a_match_all_flood_is_put_off_and_the_others_stay_live(tmp_path: Path):
    flood = client("flood", notifications_per_second=1_000, outbox_bytes=None)

    async with broker_at(tmp_path, unregistered=(ME, flood)) as broker:
        everything = [await subscribed(broker, f"all{n}", who=flood) for n in range(3)]
        quick = await subscribed(broker)
        for first in range(1, 1001, 100):
            await broker.events.publish(ME, events(first, first + 99))
        # Half a second's worth may come at once; the rest waits in the log.
        assert any(not broker.subscriptions.index.get(one.number).is_live for one in everything)
        assert broker.subscriptions.index.get(quick.number).is_live
        assert await positions(broker, quick.number) == list(range(1, 1001))
        for one in everything:
            assert await all_positions(broker, one.number, 1000) == list(range(1, 1001))
