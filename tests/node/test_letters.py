"""Dead letters."""

from __future__ import annotations

from pathlib import Path

from tests.node.brokers import ME, event, subscribed, with_broker


def test_dead_letters_are_kept_with_the_reason(tmp_path: Path):
    async def test(broker):
        record = await subscribed(broker)
        await broker.publish(ME, [event(1)])
        await broker.bury(record.number, 1, "nobody home", 12)
        await broker.acknowledge(record.number, 1)
        [letter] = await broker.dead_letters("me")
        assert (letter.event, letter.reason, letter.attempts) == ("urn:e:1", "nobody home", 12)
        assert await broker.dead_letters("you") == []
        await broker.forget_letter(letter.id)
        assert await broker.dead_letters() == []

    with_broker(tmp_path, test)
