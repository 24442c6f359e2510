"""The boxes of messages: one without points in it, or the wrong way round, is no zone and no bounds of anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.network.can import messages
from triplewire.network.can.geometry.space import Box
from triplewire.network.can.messages import Message, Record


def has_empty_boxes(message: Message) -> bool:
    """Whether a message has a box without points."""
    return any(box is not None and box.is_empty for box in _boxes(message))


def _boxes(message: Message) -> Iterable[Box | None]:
    match message:
        case messages.Cast():
            return (*message.boxes, message.position)
        case messages.Multicast():
            return (message.bounds, message.part, message.position, message.zone)
        case messages.Receipts():
            return (*message.zones, *(box for receipt in message.receipts for box in receipt.boxes))
        case messages.Join():
            return (message.position,)
        case messages.Transfer():
            return (*(claim.zone for claim in message.claims), *_claimed(message.neighbours))
        case messages.Heartbeat():
            return _claimed((message.record, *message.records))
        case messages.Records():
            return _claimed(message.records)
        case messages.Replica():
            return (*(message.boxes or ()), *_claimed([message.record] if message.record else []))
        case _:
            return ()


def _claimed(records: Iterable[Record]) -> Iterator[Box]:
    return (claim.zone for record in records for claim in record.claims)
