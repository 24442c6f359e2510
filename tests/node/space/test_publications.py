"""Publications: from the log into the space, in order, again after a restart; publishers wait, or are told why not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.node.brokers import ME, broker_at, event, events
from tests.node.transport.backbones import until

from triplewire.errors import EventConflict, SpaceUnavailable
from triplewire.node.broker.broker import Broker
from triplewire.node.broker.publish_step import Submission
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.node.space import publications
from triplewire.node.space.publications import Publications
from triplewire.node.space.worker_messages import Conflict, Publish
from triplewire.store.retention import Retention
from triplewire.store.tables import log
from triplewire.system.supervisor import Supervisor


class Following:
    """Publications of a broker, whose worker is the test."""

    def __init__(self, broker: Broker, seconds: float = 120.0) -> None:
        self.said: list[Publish] = []
        self.publications = Publications(broker, "test", self.said.append, seconds)
        self._tasks = Supervisor()

    async def __aenter__(self) -> Following:
        await self.publications.begin()
        self._tasks.start("following", self.publications.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.publications.end()
        await self._tasks.stop()

    @property
    def tickets(self) -> list[int]:
        return [one.ticket for one in self.said]


async def test_events_go_into_the_space_in_the_order_of_the_log(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await broker.events.publish(ME, events(1, 3))
        async with Following(broker) as following:
            await broker.events.publish(ME, events(4, 6))
            await until(lambda: len(following.said) == 6)
            assert following.tickets == [1, 2, 3, 4, 5, 6]
            assert following.said[0].nquads == event(1).nquads
            assert following.publications.watermark == 0


async def test_what_came_from_the_space_does_not_go_back(tmp_path: Path):
    async with broker_at(tmp_path) as broker, Following(broker) as following:
        await broker.events.publish_remote(Submission("you", (event(1),), 0.0, origin="n-2", origin_position=9))
        await broker.events.publish(ME, [event(2)])
        await until(lambda: following.said)
        assert following.tickets == [2]
        await following.publications.wait([1])


async def test_a_publisher_waits_until_the_space_has_its_events(tmp_path: Path):
    async with broker_at(tmp_path) as broker, Following(broker) as following:
        await broker.events.publish(ME, events(1, 2))
        waiting = asyncio.create_task(following.publications.wait([1, 2]))
        await until(lambda: len(following.said) == 2)
        following.publications.stored(2)
        await asyncio.sleep(0)
        assert not waiting.done()
        following.publications.stored(1)
        await waiting
        assert following.publications.watermark == 2
        await following.publications.wait([1, 2])


async def test_f1_what_the_space_has_not_confirmed_is_published_again_after_a_restart(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        async with Following(broker) as following:
            await broker.events.publish(ME, events(1, 4))
            await until(lambda: len(following.said) == 4)
            for position in (1, 2, 4):
                following.publications.stored(position)
            await following.publications.save_now()
        async with Following(broker) as again:
            await until(lambda: len(again.said) == 2)
            assert again.tickets == [3, 4]


async def test_a_worker_that_is_started_again_is_told_what_is_under_way(tmp_path: Path):
    async with broker_at(tmp_path) as broker, Following(broker) as following:
        await broker.events.publish(ME, events(1, 3))
        await until(lambda: len(following.said) == 3)
        following.publications.stored(2)
        assert [one.ticket for one in following.publications.again()] == [1, 3]


async def test_a_publisher_that_waits_too_long_is_told_that_the_event_will_be_stored(tmp_path: Path):
    async with broker_at(tmp_path) as broker, Following(broker, seconds=0.05) as following:
        await broker.events.publish(ME, [event(1)])
        with pytest.raises(SpaceUnavailable, match="will be stored"):
            await following.publications.wait([1])


async def test_another_content_under_the_same_name_is_a_conflict_also_after_a_restart(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        async with Following(broker) as following:
            await broker.events.publish(ME, [event(1)])
            await until(lambda: following.said)
            following.publications.refused(Conflict(1, "one content", "another"))
            with pytest.raises(EventConflict, match="another"):
                await following.publications.wait([1])
            await following.publications.save_now()
        async with Following(broker) as again:
            with pytest.raises(EventConflict, match="another"):
                await again.publications.wait([1])
            assert again.said == []


async def test_what_is_under_way_is_bounded_and_the_rest_waits_in_the_log(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(publications, "_MOST", 10)
    monkeypatch.setattr(publications, "_CHUNK", 4)
    async with broker_at(tmp_path) as broker, Following(broker) as following:
        for first in range(1, 100, 10):
            await broker.events.publish(ME, events(first, first + 9))
        for position in range(1, 101):
            await until(lambda: following.publications.under_way)
            assert following.publications.under_way < 10 + 10
            following.publications.stored(position)
        assert following.tickets == list(range(1, 101))
        assert following.publications.watermark == 100


async def test_retention_leaves_in_the_log_what_the_space_has_not_stored(tmp_path: Path):
    node = await Node.open(Settings(data=tmp_path, open=True))
    async with Following(node.broker) as following:
        node.space = SimpleNamespace(publications=following.publications)  # type: ignore[assignment]
        await node.broker.events.publish(ME, events(1, 10))
        await until(lambda: len(following.said) == 10)
        await node.tidy(Retention(size=0))
        assert await node.broker.store.read(log.floor) == 0
        for position in (1, 2, 3, 5, 6):
            following.publications.stored(position)
        # Not before the watermark is on the disk: a restart would look for what follows it in the log.
        await node.tidy(Retention(size=0))
        assert await node.broker.store.read(log.floor) == 0
        await following.publications.save_now()
        await node.tidy(Retention(size=0))
        assert await node.broker.store.read(log.floor) == 3
    async with Following(node.broker) as again:
        await until(lambda: len(again.said) == 7)
        assert again.tickets == [4, 5, 6, 7, 8, 9, 10]
        node.space = None
    await node.stop()
