"""For how long things are kept, and what is told of what was not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.brokers import ME, broker_at, client, event, events, positions, subscribed

from triplewire.errors import QuotaExceeded
from triplewire.store.retention import Retention
from triplewire.testing import VirtualClock


async def test_f8_a_clock_that_jumps_moves_neither_rates_nor_retention(tmp_path: Path):
    clock = VirtualClock()
    eager = client("eager", events_per_second=5)

    async with broker_at(tmp_path, clock=clock, unregistered=(ME, eager)) as broker:
        await broker.events.publish(eager, events(1, 10))
        with pytest.raises(QuotaExceeded) as refused:
            await broker.events.publish(eager, [event(11)])
        assert refused.value.retry_after == pytest.approx(0.2)
        clock.jump(3600)
        with pytest.raises(QuotaExceeded):
            await broker.events.publish(eager, [event(11)])
        assert (await broker.housekeeping.trim(Retention(age=60))).graphs == ()
        clock.jump(-7200)
        clock.advance(1)
        await broker.events.publish(eager, [event(11)])
        clock.advance(61)
        assert len((await broker.housekeeping.trim(Retention(age=60))).graphs) == 11


async def test_retention_by_size_tells_of_the_gap(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, events(1, 10))
        size = len(event(10).nquads)
        trimmed = await broker.housekeeping.trim(Retention(size=3 * size))
        assert trimmed.floor == 7
        page = await broker.notifications.page(record.number)
        assert ([one.position for one in page.notifications], page.gap) == ([8, 9, 10], 7)
        assert (await broker.notifications.page(record.number, 7)).gap is None
        late = await subscribed(broker, "late", start=0)
        assert (await broker.notifications.page(late.number)).gap == 7
        assert (await broker.events.publish(ME, [event(11)]))[0].position == 11


async def test_a_subscription_may_keep_its_notifications_for_less(tmp_path: Path):
    clock = VirtualClock()

    async with broker_at(tmp_path, clock=clock) as broker:
        short = await subscribed(broker, "short", retention=60.0)
        long = await subscribed(broker, "long")
        await broker.events.publish(ME, [event(1)])
        clock.advance(61)
        await broker.events.publish(ME, [event(2)])
        await broker.housekeeping.trim(Retention())
        page = await broker.notifications.page(short.number)
        assert ([one.position for one in page.notifications], page.gap) == ([2], 1)
        assert await positions(broker, long.number) == [1, 2]


async def test_an_idempotency_key_expires_by_monotonic_time(tmp_path: Path):
    clock = VirtualClock()

    async with broker_at(tmp_path, clock=clock) as broker:
        kept = Retention(keys=3600)
        first = await broker.events.publish(ME, [event(1)], key="k", digest=b"1")
        clock.jump(7200)
        clock.advance(3599)
        await broker.housekeeping.trim(kept)
        assert await broker.events.publish(ME, [event(2)], key="k", digest=b"1") == first
        clock.advance(2)
        await broker.housekeeping.trim(kept)
        assert await broker.events.publish(ME, [event(2)], key="k", digest=b"2") != first
        assert await broker.store.read(lambda tx: tx.execute("SELECT count(*) FROM idempotency").fetchone()) == (1,)


@pytest.mark.parametrize("jumped", [-7200, 7200])
async def test_f8_a_clock_that_jumps_while_the_node_is_down_moves_no_date(tmp_path: Path, jumped: int):
    clock = VirtualClock()
    told: list[float] = []

    async with broker_at(tmp_path, clock=clock) as broker:
        told.append(broker.date.time())
        await broker.events.publish(ME, [event(1)])
        clock.jump(jumped)
    clock.advance(10)
    async with broker_at(tmp_path, clock=clock) as broker:
        assert broker.date.time() == pytest.approx(told[0] + 10)
        assert (await broker.housekeeping.trim(Retention(age=60))).graphs == ()
        clock.advance(51)
        assert (await broker.housekeeping.trim(Retention(age=60))).graphs == ("urn:e:1",)


async def test_f8_after_a_start_of_the_machine_the_date_is_the_wall_clocks_but_never_goes_back(tmp_path: Path):
    clock = VirtualClock()
    told: list[float] = []

    async with broker_at(tmp_path, clock=clock) as broker:
        await broker.events.publish(ME, [event(1)])
        told.append(broker.date.time())
    clock.reboot()
    clock.jump(500)
    async with broker_at(tmp_path, clock=clock) as broker:
        assert broker.date.time() == pytest.approx(told[0] + 500)
    clock.reboot()
    clock.jump(-1_000_000)
    async with broker_at(tmp_path, clock=clock) as broker:
        assert broker.date.time() == pytest.approx(told[0])
