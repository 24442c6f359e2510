"""Updates under an idempotency key: executed once, and answered alike however often they are sent."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.store.disk import Connection
from triplewire.store.tables import idempotency_keys


class Once(Struct, frozen=True):
    """A client's key, and a digest that tells two requests under it apart."""

    client: str
    key: str
    digest: bytes

    def check(self, connection: Connection) -> None:
        """Raise `AnsweredBefore` if the request was answered, `EventConflict` if the key is of another one."""
        known = idempotency_keys.find(connection, self.client, self.key)
        if known is None:
            return
        if known.request != self.digest:
            raise EventConflict(f"wanted the request that came first under the key {self.key!r}, found another")
        raise AnsweredBefore(known.receipts)

    def remember(self, connection: Connection, answer: bytes, accepted: float) -> None:
        """Keep the answer, in the transaction that keeps what it tells of."""
        idempotency_keys.remember(
            connection, self.client, self.key, idempotency_keys.Answered(self.digest, answer), accepted
        )


class AnsweredBefore(Exception):  # noqa: N818  it is no error
    """The request was executed before, and this was the answer."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("answered before")
        self.answer = answer
