"""Publishing: positions, repeats, conflicts, keys, and requests that wait together."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.node.brokers import ME, YOU, broker_at, event, events, positions, subscribed

from triplewire.errors import DiskFull, EventConflict, StoreFailed
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.testing import Fate, FaultyDisk


async def test_f9_the_same_event_again_changes_nothing(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        first = await broker.events.publish(ME, events(1, 2))
        again = await broker.events.publish(YOU, [event(2), event(1), event(2)])
        assert [r.position for r in first] == [1, 2]
        assert [r.position for r in again] == [2, 1, 2]
        assert await positions(broker, record.number) == [1, 2]


async def test_f9_every_message_twice_and_in_any_order_has_one_effect(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        sent = [event(number) for number in (3, 1, 3, 2, 2, 1)] * 2
        await asyncio.gather(*[broker.events.publish(ME, [one]) for one in sent])
        found = (await broker.notifications.page(record.number)).notifications
        assert [one.event for one in found] == ["urn:e:3", "urn:e:1", "urn:e:2"]


async def test_other_content_under_one_name_is_refused_and_nothing_of_the_request_is_stored(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, [event(1)])
        with pytest.raises(EventConflict, match="position 1"):
            await broker.events.publish(ME, [event(2), event(1, "<urn:s> <urn:p> <urn:other> .")])
        assert await positions(broker, record.number) == [1]
        assert await broker.events.find(ME, "urn:e:2") is None


async def test_an_idempotency_key_answers_again_what_it_answered(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        first = await broker.events.publish(ME, [event(1)], key="k", digest=b"1")
        assert await broker.events.publish(ME, [event(2)], key="k", digest=b"1") == first
        with pytest.raises(EventConflict, match="'k'"):
            await broker.events.publish(ME, [event(2)], key="k", digest=b"2")
        assert (await broker.events.publish(YOU, [event(2)], key="k", digest=b"2"))[0].position == 2


async def test_f3_a_full_disk_refuses_publishers_while_subscribers_drain(tmp_path: Path):
    disk = FaultyDisk()

    async with broker_at(tmp_path, disk=disk) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, events(1, 3))
        disk.fill()
        with pytest.raises(DiskFull):
            await broker.events.publish(ME, [event(4)])
        assert await positions(broker, record.number) == [1, 2, 3]
        disk.free()
        assert (await broker.events.publish(ME, [event(4)]))[0].position == 4
        assert await positions(broker, record.number) == [1, 2, 3, 4]


@pytest.mark.parametrize("fate", list(Fate))
async def test_f2_nothing_is_acknowledged_after_a_failed_fsync(tmp_path: Path, fate: Fate):
    disk = FaultyDisk()

    async with broker_at(tmp_path, disk=disk) as broker:
        await broker.events.publish(ME, [event(1)])
        disk.fail_sync(fate)
        with pytest.raises(StoreFailed):
            await broker.events.publish(ME, [event(2)])
        with pytest.raises(StoreFailed):
            await broker.events.publish(ME, [event(3)])
        assert broker.store.failure is not None
    async with broker_at(tmp_path) as broker:
        found = [record.graph for record, _ in await broker.events.after(ME, 0, 10)]
        assert found == ["urn:e:1", "urn:e:2"] if fate is Fate.KEPT else ["urn:e:1"]


async def test_requests_that_wait_together_are_refused_one_by_one(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        other = event(1, "<urn:s> <urn:p> <urn:other> .")
        sent = [[event(1)], [other, event(2)], [event(3)], [event(3), event(1)]]
        outcomes = await asyncio.gather(*[broker.events.publish(ME, one) for one in sent], return_exceptions=True)
        assert isinstance(outcomes[1], EventConflict)
        assert [[r.position for r in outcomes[n]] for n in (0, 2, 3)] == [[1], [2], [2, 1]]
        assert await positions(broker, record.number) == [1, 2]
        assert broker.store.stats.commits < len(sent) + 2


async def test_a_request_that_breaks_the_step_does_not_take_its_neighbours_along(tmp_path: Path, monkeypatch):
    batches = LiveMatchers.batches

    def fragile(self, found):
        if any(one.graph.value == "urn:e:2" for one in found):
            raise RuntimeError("broken")
        return batches(self, found)

    async with broker_at(tmp_path) as broker:
        monkeypatch.setattr(LiveMatchers, "batches", fragile)
        sent = [broker.events.publish(ME, [event(number)]) for number in (1, 2, 3)]
        outcomes = await asyncio.gather(*sent, return_exceptions=True)
        assert isinstance(outcomes[1], RuntimeError)
        assert [outcomes[0][0].event, outcomes[2][0].event] == ["urn:e:1", "urn:e:3"]
        assert await broker.events.find(ME, "urn:e:2") is None
