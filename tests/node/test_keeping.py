"""For how long things are kept, and what is told of what was not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.brokers import ME, client, event, events, positions, subscribed, with_broker

from triplewire.errors import QuotaExceeded
from triplewire.store.retention import Retention
from triplewire.testing import VirtualClock


def test_f8_a_clock_that_jumps_moves_neither_rates_nor_retention(tmp_path: Path):
    clock = VirtualClock()
    eager = client("eager", events_per_second=5)

    async def test(broker):
        await broker.publish(eager, events(1, 10))
        with pytest.raises(QuotaExceeded) as refused:
            await broker.publish(eager, [event(11)])
        assert refused.value.retry_after == pytest.approx(0.2)
        clock.jump(3600)
        with pytest.raises(QuotaExceeded):
            await broker.publish(eager, [event(11)])
        assert (await broker.trim(Retention(age=60))).graphs == ()
        clock.jump(-7200)
        clock.advance(1)
        await broker.publish(eager, [event(11)])
        clock.advance(61)
        assert len((await broker.trim(Retention(age=60))).graphs) == 11

    with_broker(tmp_path, test, clock=clock, guests=(ME, eager))


def test_retention_by_size_tells_of_the_gap(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, events(1, 10))
        size = len(event(10).nquads)
        trimmed = await broker.trim(Retention(size=3 * size))
        assert trimmed.floor == 7
        page = await broker.notifications(record.number)
        assert ([one.position for one in page.notifications], page.gap) == ([8, 9, 10], 7)
        assert (await broker.notifications(record.number, 7)).gap is None
        late = await subscribed(broker, "late", start=0)
        assert (await broker.notifications(late.number)).gap == 7
        assert (await broker.publish(ME, [event(11)]))[0].position == 11

    with_broker(tmp_path, test)


def test_a_subscription_may_keep_its_notifications_for_less(tmp_path: Path):
    clock = VirtualClock()

    async def test(broker):
        short = await subscribed(broker, "short", retention=60.0)
        long = await subscribed(broker, "long")
        await broker.publish(ME, [event(1)])
        clock.advance(61)
        await broker.publish(ME, [event(2)])
        await broker.trim(Retention())
        page = await broker.notifications(short.number)
        assert ([one.position for one in page.notifications], page.gap) == ([2], 1)
        assert await positions(broker, long.number) == [1, 2]

    with_broker(tmp_path, test, clock=clock)
