"""Dead letters."""

from __future__ import annotations

from pathlib import Path

from tests.node.brokers import ME, YOU, broker_at, client, event, events, subscribed

from triplewire.store.retention import Retention
from triplewire.store.tables.identities import Grant
from triplewire.testing import VirtualClock


async def test_dead_letters_are_kept_with_the_reason(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, [event(1)])
        await broker.dead_letters.add(record.number, 1, "nobody home", 12)
        await broker.notifications.acknowledge(record.number, 1)
        [letter] = await broker.dead_letters.after("me")
        assert (letter.event, letter.reason, letter.attempts) == ("urn:e:1", "nobody home", 12)
        assert await broker.dead_letters.after("you") == []
        await broker.dead_letters.remove(letter.id)
        assert await broker.dead_letters.after() == []


async def test_a_client_finds_its_own_letters_however_many_others_have(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        theirs = await subscribed(broker, "theirs", who=YOU)
        mine = await subscribed(broker, "mine")
        await broker.events.publish(ME, events(1, 20))
        for position in range(1, 21):
            await broker.dead_letters.add(theirs.number, position, "nobody home", 12)
        for position in (3, 7):
            await broker.dead_letters.add(mine.number, position, "nobody home", 12)
        [first] = await broker.dead_letters.after("me", limit=1)
        [second] = await broker.dead_letters.after("me", after=first.id, limit=10)
        assert (first.position, second.position) == (3, 7)
        assert len(await broker.dead_letters.after(limit=100)) == 22


async def test_a_letter_keeps_its_event_though_retention_has_removed_it(tmp_path: Path):
    clock = VirtualClock()

    async with broker_at(tmp_path, clock=clock) as broker:
        whole = await subscribed(broker, "whole", payload="event")
        plain = await subscribed(broker, "plain")
        await broker.events.publish(ME, [event(1)])
        for record in (whole, plain):
            await broker.dead_letters.add(record.number, 1, "nobody home", 12)
        clock.advance(100)
        assert (await broker.housekeeping.trim(Retention(age=60))).graphs == ("urn:e:1",)
        first, second = await broker.dead_letters.after()
        assert broker.dead_letters.notification(first).data == event(1).nquads.decode()
        assert b"data" not in broker.dead_letters.notification(second).json


async def test_a15_a_letter_sent_again_has_nothing_that_its_owner_may_not_read_any_more(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker, payload="event", who=YOU)
        await broker.events.publish(ME, [event(1, '<urn:s> <urn:p> "1" . <urn:s> <urn:secret> "2" .')])
        await broker.dead_letters.add(record.number, 1, "nobody home", 12)
        await broker.subscriptions.set_rights(client("you", subscribe=Grant(namespaces=("urn:p",))))
        [letter] = await broker.dead_letters.after("you")
        assert broker.dead_letters.notification(letter).data == '<urn:s> <urn:p> "1" <urn:e:1> .\n'
        await broker.subscriptions.set_rights(client("you", subscribe=None))
        assert b"data" not in broker.dead_letters.notification(letter).json
