"""Events from the network on a disk that is full, or with something wrong about them."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from tests.node.brokers import EVERYTHING, ME, broker_at, subscribed
from tests.node.transport.backbones import until

from triplewire.errors import StoreFailed
from triplewire.network.messages import Publication
from triplewire.node.overlay import inbound_events
from triplewire.node.overlay.inbound_events import InboundEvents
from triplewire.testing.faulty_disk import Fate, FaultyDisk

NOW = "2026-01-01T00:00:00+00:00"


def publication(number: int, **changes: object) -> Publication:
    name = f"urn:e:{number}"
    facts = {
        "origin": "sp-a",
        "position": number,
        "event": name,
        "publisher": "tw-publisher",
        "time": NOW,
        "source": "tw-source",
        "nquads": f'<urn:s> <urn:p> "{number}" <{name}> .\n'.encode(),
    }
    return Publication(**{**facts, **changes})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(inbound_events, "_FULL_SECONDS", 0.05)


async def stored(broker) -> list[tuple[str, str | None]]:
    return [(record.graph, record.origin) for record, _ in await broker.events.after(ME, 0, 100)]


async def test_events_are_stored_in_order_as_they_were_published(tmp_path):
    async with broker_at(tmp_path) as broker:
        counts: Counter[str] = Counter()
        taking = InboundEvents(broker, counts, lambda: None)
        task = asyncio.create_task(taking.run())
        await subscribed(broker, text=EVERYTHING)
        for number in range(1, 40):
            taking.add(publication(number))
        await taking.settled()
        assert await stored(broker) == [(f"urn:e:{number}", "sp-a") for number in range(1, 40)]
        [(record, event), *_] = await broker.events.after(ME, 0, 1)
        assert (record.publisher, record.source, record.time, event.source) == (
            "tw-publisher",
            "tw-source",
            NOW,
            "tw-source",
        )
        assert counts == {"accepted": 39}
        task.cancel()


@pytest.mark.parametrize(
    "changes",
    [
        {"event": "urn:another"},
        {"nquads": b"nonsense"},
        {"nquads": b""},
        {"nquads": b"<urn:s> <urn:p> <urn:o> <urn:e:1> .\n<urn:s> <urn:p> <urn:o> <urn:e:2> .\n"},
        {"time": "yesterday"},
    ],
    ids=["name", "nonsense", "nothing", "two", "time"],
)
async def test_what_is_no_event_is_refused_and_the_next_is_taken(tmp_path, changes):
    async with broker_at(tmp_path) as broker:
        counts: Counter[str] = Counter()
        taking = InboundEvents(broker, counts, lambda: None)
        task = asyncio.create_task(taking.run())
        taking.add(publication(1, **changes))
        taking.add(publication(2))
        await taking.settled()
        assert await stored(broker) == [("urn:e:2", "sp-a")]
        assert counts == {"refused": 1, "accepted": 1}
        task.cancel()


async def test_f3_a_full_disk_is_waited_for_and_nothing_is_noted_before(tmp_path, caplog):
    disk = FaultyDisk()

    async with broker_at(tmp_path, disk=disk) as broker:
        taking = InboundEvents(broker, Counter(), lambda: None)
        task = asyncio.create_task(taking.run())
        disk.fill()
        for number in range(1, 6):
            taking.add(publication(number))
        settled = asyncio.create_task(taking.settled())
        await until(lambda: "the disk is full" in caplog.text)
        assert not settled.done()
        disk.free()
        await settled
        assert await stored(broker) == [(f"urn:e:{number}", "sp-a") for number in range(1, 6)]
        task.cancel()


async def test_f2_a_failed_disk_ends_the_accepting(tmp_path):
    disk = FaultyDisk()

    async with broker_at(tmp_path, disk=disk) as broker:
        taking = InboundEvents(broker, Counter(), lambda: None)
        disk.fail_sync(Fate.LOST)
        taking.add(publication(1))
        with pytest.raises(StoreFailed):
            await asyncio.wait_for(taking.run(), 120)


async def test_what_waits_is_bounded_and_room_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(inbound_events, "_MOST", 10)
    monkeypatch.setattr(inbound_events, "_BATCH", 4)

    async with broker_at(tmp_path) as broker:
        told: list[bool] = []
        taking = InboundEvents(broker, Counter(), lambda: told.append(True))
        for number in range(1, 31):
            taking.add(publication(number))
        assert taking.is_full
        task = asyncio.create_task(taking.run())
        await until(lambda: told)
        await taking.settled()
        assert told == [True]
        assert len(await stored(broker)) == 30
        task.cancel()
