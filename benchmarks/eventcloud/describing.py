"""What a message has to do with, for the cost model: its kind, and how much is in it."""

from __future__ import annotations

import msgspec

from benchmarks.eventcloud.costs import Step
from triplewire.network.can.messages import Cast, Message, Multicast, Receipts
from triplewire.network.eventspace import messages

_DECODER = msgspec.msgpack.Decoder(messages.SpaceMessage)


class Describer:
    """Steps for messages. `starts` are the predicates with which chains of subscriptions begin; None if any does."""

    def __init__(self, starts: frozenset[bytes] | None) -> None:
        self._starts = starts

    def step(self, message: Message, size: int) -> Step:
        """The step that a node takes when a message of so many bytes arrives."""
        if isinstance(message, Cast | Multicast):
            return self._of_body(_DECODER.decode(message.body), size)
        if isinstance(message, Receipts):
            return Step("receipts", receipts=len(message.receipts), size=size)
        return Step(type(message).__name__.lower(), size=size)

    def _of_body(self, body: messages.SpaceMessage, size: int) -> Step:
        kind = type(body).__name__
        match body:
            case messages.StoreEvent():
                looked_at = min(1, sum(self._is_start(row[1]) for row in body.rows))
                return Step(kind, len(body.rows), looked_at, size=size)
            case messages.StoreQuad():
                return Step(kind, 1, int(self._is_start(body.row[1])), size=size)
            case messages.CandidateFound() | messages.QuadsFound():
                return Step(kind, len(body.rows or ()), size=size)
            case messages.MatchRewritten():
                return Step(kind, looked_at=1, size=size)
            case _:
                return Step(kind, size=size)

    def _is_start(self, predicate: bytes) -> bool:
        return self._starts is None or predicate in self._starts
