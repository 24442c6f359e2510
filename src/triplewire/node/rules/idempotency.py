"""Idempotency keys of updates: executed once, and answered alike however often they are sent."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.store.disk import Connection
from triplewire.store.tables import idempotency_keys


class IdempotencyKey(Struct, frozen=True):
    """A client's key, and a digest that tells two requests under it apart."""

    client: str
    key: str
    digest: bytes

    def find_answer(self, tx: Connection) -> bytes | None:
        """What the request was answered, if it was; `EventConflict` if the key is of another request."""
        known = idempotency_keys.find(tx, self.client, self.key)
        if known is None:
            return None
        if known.request != self.digest:
            raise EventConflict(wanted=f"the request that came first under the key {self.key!r}", found="another")
        return known.receipts

    def keep_answer(self, tx: Connection, answer: bytes, accepted: float) -> None:
        """Keep the answer, in the transaction that keeps what it reports."""
        idempotency_keys.remember(
            tx, self.client, self.key, idempotency_keys.StoredResponse(self.digest, answer), accepted
        )
