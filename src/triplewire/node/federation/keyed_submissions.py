"""Keyed submissions: a transaction of the network under an idempotency key is submitted once, however often it is sent.

The key is written in the transaction of the database that keeps the submission: a crash leaves both or neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from weakref import WeakValueDictionary

from triplewire.federation.outputs import Output, TransactionSubmitted
from triplewire.node.federation.host import Keep
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.store import Store
from triplewire.store.disk import Connection

Submit = Callable[[Keep], Awaitable[str]]


class KeyedSubmissions:
    """The transactions that have a key, in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Nobody else is asked for a lock, so it goes with the last request that has it.
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def unit(self, key: IdempotencyKey, accepted: float, submit: Submit) -> str:
        """The transaction under a key: the one that is there, or the one that is submitted now.

        Raises `EventConflict` if the key is of another request.
        """
        # A request that breaks off must not let go of the key before it is written.
        return await asyncio.shield(asyncio.ensure_future(self._unit(key, accepted, submit)))

    async def _unit(self, key: IdempotencyKey, accepted: float, submit: Submit) -> str:
        lock = self._locks.setdefault((key.client, key.key), asyncio.Lock())
        async with lock:
            known = await self._store.read(key.find_answer)
            return await submit(_keeping(key, accepted)) if known is None else known.decode()


def _keeping(key: IdempotencyKey, accepted: float) -> Keep:
    def keep(tx: Connection, outputs: list[Output]) -> None:
        [made] = [output for output in outputs if isinstance(output, TransactionSubmitted)]
        key.keep_answer(tx, made.unit.encode(), accepted)

    return keep
