"""What lies in some zones, as it goes from one holder to another: subscriptions, quadruples, and who waits for more.

It is state, not messages: what a subscription and a quadruple in it had to say to each other was said where they came
from.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from triplewire.network.can.space import Bounds, Zone
from triplewire.network.eventspace.chains import chains_of, index_bounds, next_bounds, received
from triplewire.network.eventspace.messages import EventHeader, SentRewriting, SpaceSubscription, SubscriptionKey
from triplewire.network.eventspace.records import EventRecord, EventRecords, quads_in
from triplewire.network.eventspace.subscription_index import SubscriptionIndex


class ExportedRecord(Struct, frozen=True, array_like=True):
    """What lies in some zones of one event."""

    header: EventHeader
    lines: tuple[bytes, ...]
    waiting: tuple[tuple[SpaceSubscription, SentRewriting], ...]
    collectors: tuple[str, ...]
    whole: bool
    settled: bool


class ExportedContents(Struct, frozen=True, array_like=True):
    """What lies in some zones. Subscriptions that were removed are told as well: a late message may bring them."""

    subscriptions: tuple[SpaceSubscription, ...]
    removed: tuple[SubscriptionKey, ...]
    records: tuple[ExportedRecord, ...]


_DECODER = msgspec.msgpack.Decoder(ExportedContents)


def export(zones: Sequence[Zone], subscriptions: SubscriptionIndex, records: EventRecords) -> bytes:
    """All that lies in these zones."""
    touched = tuple(s for s in subscriptions if touches(zones, index_bounds(s)))
    exported = (_exported(record, zones) for record in records)
    kept = tuple(record for record in exported if record.lines or record.waiting or record.collectors)
    return msgspec.msgpack.encode(ExportedContents(touched, subscriptions.removed, kept))


def merge(exported: bytes, subscriptions: SubscriptionIndex, records: EventRecords) -> None:
    """Add what was exported elsewhere. The same again changes nothing."""
    contents = _DECODER.decode(exported)
    for key in contents.removed:
        subscriptions.remove(key)
    for subscription in contents.subscriptions:
        subscriptions.add(subscription)
    for found in contents.records:
        _merge_record(records.of(found.header), found)


def discard(zone: Zone, kept: Sequence[Zone], subscriptions: SubscriptionIndex, records: EventRecords) -> None:
    """Drop what lies in a zone, and what was there for its sake: no zone that is kept needs it."""
    for subscription in list(subscriptions):
        if not touches(kept, index_bounds(subscription)):
            subscriptions.drop(subscription.key)
    for record in list(records):
        record.remove([quad for quad in record.quads.values() if quad.point in zone])
        for entry, subscription in list(record.waiting.items()):
            if not touches(kept, (waiting_bounds(record, subscription, entry[1]),)):
                del record.waiting[entry]
        if not record.quads and not record.waiting and not record.collectors:
            records.forget(record.header.event)


def touches(zones: Sequence[Zone], bounds: Sequence[Bounds]) -> bool:
    return any(zone.touches(box) for zone in zones for box in bounds)


def waiting_bounds(record: EventRecord, subscription: SpaceSubscription, rewriting: SentRewriting) -> Bounds:
    """Where the quadruples lie that a rewriting waits for."""
    return next_bounds(chains_of(subscription)[rewriting.chain], received(rewriting), record.graph)


def _exported(record: EventRecord, zones: Sequence[Zone]) -> ExportedRecord:
    lines = (quad.line for quad in record.quads.values() if any(quad.point in zone for zone in zones))
    waiting = ((subscription, rewriting) for (_, rewriting), subscription in record.waiting.items())
    concerned = (one for one in waiting if touches(zones, (waiting_bounds(record, *one),)))
    return ExportedRecord(
        record.header, tuple(lines), tuple(concerned), tuple(sorted(record.collectors)), record.whole, record.settled
    )


def _merge_record(record: EventRecord, found: ExportedRecord) -> None:
    record.add(quad for line in found.lines for quad in quads_in(line))
    record.whole |= found.whole
    if found.settled:
        record.settle()
    if not record.settled:
        record.waiting.update(
            {(subscription.key, rewriting): subscription for subscription, rewriting in found.waiting}
        )
        record.collectors.update(found.collectors)
