"""A transaction of the network under an idempotency key is submitted once: sent twice, at once, and over a crash."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.node.federation.federated import Host, hosts, quiet
from tests.rules.execution.town import PREAMBLE

from triplewire.errors import EventConflict
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.wire.network_rules import NetworkTransaction

UPDATE = PREAMBLE + "INSERT resource(ex:ann) AS INSTANCE OF Person;;"


def key(host: Host, name: str = "k", digest: bytes = b"1") -> IdempotencyKey:
    return IdempotencyKey(host.me.id, name, digest)


async def submit(host: Host, under: IdempotencyKey | None) -> NetworkTransaction:
    return await host.federation.submit(host.me, UPDATE, 60, key=under)


async def test_sent_again_it_is_the_same_transaction_also_at_the_same_time_and_after_a_crash(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        first = await submit(a, key(a))
        assert first.status == "committed"
        assert [await submit(a, key(a)), *await asyncio.gather(*(submit(a, key(a)) for _ in range(3)))] == [first] * 4
        several = await asyncio.gather(*(submit(a, key(a, "other")) for _ in range(3)))
        assert len({one.transaction for one in several} - {first.transaction}) == 1
        await quiet(a)
        await a.crash()
        await a.start()
        assert (await submit(a, key(a))).transaction == first.transaction
        assert (await submit(a, None)).transaction not in {first.transaction, several[0].transaction}


async def test_a_request_that_breaks_off_has_its_key_all_the_same(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        before = len(a.units)
        request = asyncio.create_task(submit(a, key(a)))
        while len(a.units) == before:
            await asyncio.sleep(0)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        made = await submit(a, key(a))
        assert len(a.units) == before + 1
        assert made.status == "committed"


async def test_a_key_of_another_request_is_refused(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        await submit(a, key(a))
        with pytest.raises(EventConflict, match="the request that came first under the key 'k'"):
            await submit(a, key(a, digest=b"2"))
