"""What was just committed is read from memory, without a hole, within bounds, and never before its commit."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.node.brokers import ME, broker_at, event, events, subscribed

from triplewire.node.broker.recent_notifications import MOST_BYTES, MOST_ENTRIES, Recent
from triplewire.node.broker.subscription_index import SubscriptionIndex
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

NUMBER = 7


def subscriptions() -> SubscriptionIndex:
    made = SubscriptionIndex()
    made.put(SubscriptionRecord(NUMBER, "me", "all", "sparql", "", SubscriptionOptions(), 0, None, 0))
    return made


def entry(position: int) -> OutboxEntry:
    return OutboxEntry(NUMBER, position, f"urn:e:{position}", b"{}")


def record(position: int, size: int = 10) -> Record:
    return Record(position, f"urn:e:{position}", "me", "", None, 0.0, b"x" * size)


def published(recent: Recent, *positions: int, size: int = 10) -> None:
    records = [record(position, size) for position in range(min(positions), max(positions) + 1)]
    recent.note_entries([entry(position) for position in positions], records)


def seen(recent: Recent, after: int, limit: int = 10_000) -> list[int] | None:
    items = recent.after(NUMBER, after, limit)
    return None if items is None else [one.entry.position for one in items]


def test_nothing_is_kept_for_whom_nobody_follows():
    recent = Recent(subscriptions())
    published(recent, 1, 2)
    assert seen(recent, 0) is None
    recent.follow(NUMBER)
    assert seen(recent, 1) is None
    assert seen(recent, 2) == []


def test_what_follows_a_position_up_to_a_limit():
    recent = Recent(subscriptions())
    recent.follow(NUMBER)
    published(recent, 1, 3)
    published(recent, 6)
    assert (seen(recent, 0), seen(recent, 1), seen(recent, 0, 2), seen(recent, 6)) == ([1, 3, 6], [3, 6], [1, 3], [])


def test_what_is_told_again_is_there_once():
    recent = Recent(subscriptions())
    recent.follow(NUMBER)
    published(recent, 1, 2)
    published(recent, 2, 3)
    assert seen(recent, 0) == [1, 2, 3]


def test_history_is_read_from_the_disk():
    recent = Recent(subscriptions())
    recent.follow(NUMBER)
    published(recent, 1)
    recent.note_entries([entry(2)], ())
    assert (seen(recent, 1), seen(recent, 2)) == (None, [])
    published(recent, 3)
    assert seen(recent, 2) == [3]


def test_a_tail_lasts_as_long_as_somebody_follows():
    recent = Recent(subscriptions())
    recent.follow(NUMBER)
    recent.follow(NUMBER)
    recent.unfollow(NUMBER)
    published(recent, 1)
    assert seen(recent, 0) == [1]
    recent.unfollow(NUMBER)
    assert (seen(recent, 0), len(recent)) == (None, 0)


@pytest.mark.parametrize("size", [10, MOST_BYTES // 3, 2 * MOST_BYTES])
def test_f5_memory_is_bounded_and_who_is_too_slow_reads_the_disk(size):
    recent = Recent(subscriptions())
    recent.follow(NUMBER)
    most = min(MOST_ENTRIES, MOST_BYTES // (size + 2))
    for position in range(1, 2 * MOST_ENTRIES):
        published(recent, position, size=size)
    last = 2 * MOST_ENTRIES - 1
    assert seen(recent, last - most) == list(range(last - most + 1, last + 1))
    assert seen(recent, last - most - 1) is None


@given(st.lists(st.tuples(st.sampled_from(["publish", "history", "follow", "unfollow"]), st.integers(1, 3))))
def test_a_tail_never_has_a_hole(steps):
    """Whatever comes in which order: what memory tells is what the outbox would."""
    recent, outbox, followers = Recent(subscriptions()), [0], 0
    for step, count in steps:
        if step in ("publish", "history"):
            fresh = list(range(outbox[-1] + 1, outbox[-1] + 1 + count))
            if step == "publish":
                published(recent, *fresh)
            else:
                recent.note_entries([entry(position) for position in fresh], ())
            outbox += fresh
        elif step == "follow":
            recent.follow(NUMBER)
            followers += 1
        elif followers:
            recent.unfollow(NUMBER)
            followers -= 1
        for after in range(outbox[-1] + 1):
            assert seen(recent, after) in (None, [position for position in outbox if position > after])
        assert (seen(recent, outbox[-1]) is not None) == (followers > 0)


async def test_a_reader_that_keeps_up_does_not_read_the_disk(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, events(1, 3))
        with broker.notifications.following(record.number):
            assert len((await broker.notifications.page(record.number, 0)).notifications) == 3
            await broker.events.publish(ME, events(4, 6))
            broker.store._database.read = None
            page = await broker.notifications.page(record.number, 3, 2)
            assert ([one.position for one in page.notifications], page.next) == ([4, 5], 5)
            page = await broker.notifications.page(record.number, 5, 2)
            assert ([one.event for one in page.notifications], page.next) == (["urn:e:6"], None)
        del broker.store._database.read


async def test_memory_and_disk_tell_the_same(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        plain = await subscribed(broker)
        whole = await subscribed(broker, "whole", payload="event")
        for record in (plain, whole):
            with broker.notifications.following(record.number):
                start = broker.subscriptions.index.progress(record.number).latest
                for number in range(start + 1, start + 4):
                    await broker.events.publish(ME, [event(number)])
                followed = await broker.notifications.page(record.number, start)
            assert len(followed.notifications) == 3
            assert await broker.notifications.page(record.number, start) == followed


async def test_what_was_acknowledged_is_not_told_again(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        with broker.notifications.following(record.number):
            await broker.events.publish(ME, events(1, 4))
            await broker.notifications.acknowledge(record.number, 3)
            page = await broker.notifications.page(record.number, 0)
            assert [one.position for one in page.notifications] == [4]


def test_what_was_acknowledged_takes_no_memory_and_the_rest_is_still_read_from_it():
    recent = Recent(subscriptions())
    recent.follow(NUMBER)
    published(recent, 1, 2, 3)
    recent.drop_to(NUMBER, 2)
    assert (seen(recent, 1), seen(recent, 2)) == (None, [3])


async def test_a_notification_is_not_in_memory_before_its_commit(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        with broker.notifications.following(record.number):
            publishing = asyncio.create_task(broker.events.publish(ME, [event(1)]))
            while not (page := await broker.notifications.page(record.number, 0)).notifications:
                await asyncio.sleep(0)
            assert [one.position for one in page.notifications] == [1]
            assert await broker.store.read(lambda tx: tx.execute("SELECT count(*) FROM outbox").fetchone()[0]) == 1
            await publishing
