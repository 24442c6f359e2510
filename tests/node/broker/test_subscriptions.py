"""Subscribing and unsubscribing, and how much of it a client may do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.brokers import ME, YOU, broker_at, client, event, positions, subscribed

from triplewire.errors import DuplicateSubscription, QuotaExceeded, SyntaxProblem, UnknownSubscription


async def test_the_same_query_again_is_fine_and_another_is_not(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        assert (await subscribed(broker, payload="event")).number == record.number
        assert broker.subscriptions.index.get(record.number).options.payload == "event"
        with pytest.raises(DuplicateSubscription):
            await subscribed(broker, text="ASK { ?s <urn:q> ?o }")
        assert (await subscribed(broker, who=YOU, text="ASK { ?s <urn:q> ?o }")).number != record.number


async def test_a_query_that_is_wrong_leaves_nothing_behind(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        with pytest.raises(SyntaxProblem):
            await subscribed(broker, text="SELECT nonsense")
        with pytest.raises(UnknownSubscription):
            broker.subscriptions.require("me", "all")


async def test_a9_quotas_on_subscriptions_and_on_those_that_are_tested_on_every_event(tmp_path: Path):
    few = client("few", subscriptions=3, unindexed=1)

    async with broker_at(tmp_path, unregistered=(ME, few)) as broker:
        await subscribed(broker, "a", "SELECT * { ?s ?p ?o }", who=few)
        with pytest.raises(QuotaExceeded, match="every event"):
            await subscribed(broker, "b", "SELECT * { ?s ?p ?o }", who=few)
        await subscribed(broker, "c", who=few)
        await subscribed(broker, "d", who=few)
        with pytest.raises(QuotaExceeded, match="3 subscriptions"):
            await subscribed(broker, "e", who=few)
        await subscribed(broker, "e", who=ME)


async def test_a11_a_query_that_needs_too_much_is_quarantined_with_the_reason(tmp_path: Path):
    cross = "SELECT * { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(8)) + "}"

    async with broker_at(tmp_path) as broker:
        heavy = await subscribed(broker, "heavy", cross)
        light = await subscribed(broker, "light")
        large = "\n".join(f"<urn:s> <urn:p> <urn:o{i}> ." for i in range(60))
        await broker.events.publish(ME, [event(1, large)])
        await broker.events.publish(ME, [event(2)])
        assert "intermediate bindings" in broker.subscriptions.index.get(heavy.number).quarantined
        assert await positions(broker, light.number) == [1, 2]
    async with broker_at(tmp_path) as broker:
        assert broker.subscriptions.require("me", "heavy").quarantined is not None
        assert len(await broker.events.publish(ME, [event(3)])) == 1


async def test_unsubscribing_forgets_what_waits(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        record = await subscribed(broker)
        await broker.events.publish(ME, [event(1)])
        await broker.subscriptions.unsubscribe(record.number)
        with pytest.raises(UnknownSubscription):
            await broker.notifications.page(record.number)
        again = await subscribed(broker)
        assert again.number != record.number
        assert await positions(broker, again.number) == []
