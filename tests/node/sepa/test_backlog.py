"""What waits for one client: in order, and never more than may (row F5)."""

from __future__ import annotations

import asyncio
from collections import Counter

from triplewire.node.sepa.backlog import SHORT_BYTES, Backlog, Waiting


def said(size: int, owner: str = "me") -> Waiting:
    return Waiting(b"x" * size, "spuid", owner)


async def test_items_come_in_order_and_count_until_they_are_dropped():
    counts: Counter[str] = Counter()
    backlog = Backlog(counts)
    first, second = said(3), Waiting("frame")
    assert backlog.put(first)
    assert backlog.put(second)
    assert await backlog.first() is first
    assert counts == {"me": 3}
    backlog.drop_first()
    assert counts == {}
    assert await backlog.first() is second


async def test_whoever_waits_for_an_item_gets_it():
    backlog = Backlog(Counter())
    waiting = asyncio.create_task(backlog.first())
    await asyncio.sleep(0)
    assert not waiting.done()
    backlog.put(Waiting("frame"))
    assert (await waiting).content == "frame"


async def test_f5_beyond_the_limit_nothing_is_taken_but_one_item_always_is():
    backlog = Backlog(Counter(), most=10)
    assert backlog.put(said(50))
    assert not backlog.put(said(1))
    backlog.drop_first()
    assert backlog.put(said(6))
    assert backlog.put(said(4))
    assert not backlog.put(said(1))


async def test_a_quota_counts_over_all_backlogs_of_an_owner():
    counts: Counter[str] = Counter()
    one, two = Backlog(counts), Backlog(counts)
    assert one.put(said(6), quota=10)
    assert not two.put(said(5), quota=10)
    assert two.put(said(5, "you"), quota=10)
    one.clear()
    assert two.put(said(5), quota=10)
    two.clear()
    assert counts == {}


async def test_nobody_is_listened_to_while_much_is_in_front():
    backlog = Backlog(Counter())
    await backlog.until_short()
    backlog.put(said(SHORT_BYTES + 1))
    waiting = asyncio.create_task(backlog.until_short())
    await asyncio.sleep(0)
    assert not waiting.done()
    backlog.drop_first()
    await waiting
