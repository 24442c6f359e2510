"""Ephemeral views: what a listener hears makes up the answer, of nothing that did not happen; and nothing is kept."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.node.brokers import ME, YOU, broker_at, client
from tests.node.views.following import Reader
from tests.node.views.test_agreement import Views
from tests.sweeps import sweep
from tests.views.generating import dataset_query

from triplewire.errors import DiskFull, Forbidden, InputError, QuotaExceeded
from triplewire.languages.sparql.parsing.parser import parse_dataset_query, parse_update
from triplewire.node.broker.broker import Broker
from triplewire.node.views.ephemeral import EphemeralView
from triplewire.store.tables import log, registry
from triplewire.store.tables.identities import Grant
from triplewire.testing import FaultyDisk, VirtualClock

SAID = parse_dataset_query("SELECT ?o { <urn:s> <urn:p> ?o }")


class Listener(Reader):
    """Hears a view."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[Any] = []

    def hear(self, said: bytes) -> None:
        read = msgspec.json.decode(said)
        self.said.append(read)
        if "failed" in read:
            # Not always because of a change.
            self.failed = read["failed"]
            return
        self.take(read | {"position": self.position + 1})

    @property
    def objects(self) -> list[str]:
        return sorted(dict(row)[next(iter(dict(row)))].value for row in self.answer.elements())


class Opened(Views):
    """Ephemeral views in the place of kept ones: there is nothing to be read, everything was heard."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.listeners: dict[int, Listener] = {}
        self.views: dict[int, EphemeralView] = {}

    async def put(self, broker: Broker) -> None:
        try:
            text = dataset_query(self.world, self.quads)
            query = parse_dataset_query(text)
        except InputError:
            return
        number, listener = len(self.texts), Listener()
        self.views[number] = await broker.views.open(ME, query, listener.hear)
        self.texts[number], self.listeners[number] = text, listener

    async def close(self, broker: Broker) -> None:
        if self.views:
            number = self.rng.choice([*self.views])
            broker.views.close([self.views.pop(number)])
            del self.listeners[number]

    async def check(self, broker: Broker) -> None:
        for number, listener in self.listeners.items():
            assert listener.failed is None
            assert listener.answer == self.answer(number), self.texts[number]


async def run(seed: int, folder: Path) -> None:
    rng = Random(seed)
    opened = Opened(rng)
    async with broker_at(folder) as broker:
        for _ in range(16):
            change = opened.change
            steps = (opened.put, opened.close, change, change, change, opened.rolled_back, opened.reloaded)
            await rng.choice(steps)(broker)
            await opened.check(broker)
        await broker.store.write(lambda _: None)
        assert len(broker.views.follower) == broker.views.ephemeral == len(opened.views)
    async with broker_at(folder) as broker:
        assert len(broker.views.follower) == 0
        assert await broker.store.read(registry.everyone) == []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**40))
def test_what_a_listener_hears_makes_up_the_answer_whatever_happens(seed: int):
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(seed, Path(folder)))


test_many_more = sweep(
    test_what_a_listener_hears_makes_up_the_answer_whatever_happens, st.integers(0, 2**40), examples=300
)


async def update(broker: Broker, text: str) -> None:
    await broker.living.update(ME, parse_update(text))


def insert(*objects: int) -> str:
    return f"INSERT DATA {{ <urn:s> <urn:p> {', '.join(map(str, objects))} }}"


async def test_f3_a_commit_that_fails_is_not_heard_of(tmp_path: Path):
    disk = FaultyDisk()
    async with broker_at(tmp_path, disk=disk) as broker:
        listener, late = Listener(), Listener()
        await broker.views.open(ME, SAID, listener.hear)
        await update(broker, insert(1))
        disk.fill_log()
        with pytest.raises(DiskFull):
            await update(broker, insert(2))
        with pytest.raises(DiskFull):
            await broker.views.open(ME, SAID, late.hear)
        disk.free()
        await update(broker, insert(3))
        assert listener.objects == ["1", "3"]
        assert [one["change"] for one in listener.said] == [0, 1, 2]
        assert (late.said, broker.views.ephemeral, len(broker.views.follower)) == ([], 1, 1)


async def test_the_time_of_an_answer_is_that_of_the_last_change_that_was_heard_of(tmp_path: Path):
    clock = VirtualClock()
    timed = parse_dataset_query("SELECT (NOW() AS ?now) (COUNT(*) AS ?n) { <urn:s> <urn:p> ?o }")
    async with broker_at(tmp_path, clock=clock) as broker:
        opened, listener = Opened(Random(0)), Listener()
        await broker.views.open(ME, timed, listener.hear)
        clock.advance(10)
        await update(broker, insert(1))
        clock.advance(10)
        await opened.rolled_back(broker)
        await opened.reloaded(broker)
        clock.advance(10)
        # What it takes away is what it said last; `Reader` would not take anything else.
        await update(broker, insert(2))
        assert len(listener.said) == 3


async def test_nothing_is_written_for_an_ephemeral_view(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        before = await broker.store.read(log.head)
        listener = Listener()
        view = await broker.views.open(ME, SAID, listener.hear)
        broker.views.close([view])
        broker.views.close([view])
        await broker.store.write(lambda _: None)
        assert await broker.store.read(log.head) == before
        await update(broker, insert(1))
        assert len(listener.said) == 1
        assert len(broker.views.follower) == 0


async def test_whoever_goes_away_while_it_is_opened_leaves_nothing(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        listener = Listener()
        opening = asyncio.create_task(broker.views.open(ME, SAID, listener.hear))
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await broker.store.write(lambda _: None)
        assert (broker.views.ephemeral, len(broker.views.follower), listener.said) == (0, 0, [])


async def test_a15_only_who_may_read_everything_opens_one_and_no_more_than_its_quota(tmp_path: Path):
    limited, few = client("limited", subscribe=Grant(namespaces=("urn:",))), client("few", subscriptions=1)
    async with broker_at(tmp_path, unregistered=(ME, limited, few)) as broker:
        with pytest.raises(Forbidden):
            await broker.views.open(limited, SAID, Listener().hear)
        first = await broker.views.open(few, SAID, Listener().hear)
        with pytest.raises(QuotaExceeded):
            await broker.views.open(few, SAID, Listener().hear)
        broker.views.close([first])
        await broker.views.open(few, SAID, Listener().hear)


async def test_all_of_an_owner_end_and_say_why(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        mine, yours = Listener(), Listener()
        await broker.views.open(ME, SAID, mine.hear)
        await broker.views.open(YOU, SAID, yours.hear)
        broker.views.close_all(ME.id, "enough")
        await update(broker, insert(1))
        assert mine.failed == "enough"
        assert len(mine.said) == 2
        assert yours.objects == ["1"]
        assert len(broker.views.follower) == 1
