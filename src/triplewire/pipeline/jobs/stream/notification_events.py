"""A notification as an event of its own, for a node to store, match and deliver.

    urn:triplewire:notification:HASH   a                  tw:Notification
                                       tw:subscription    "papers"
                                       tw:event           <http://example.org/event/7>
                                       tw:solutions       "[{\"x\": \"<http://…>\"}]"^^rdf:JSON

HASH is that of subscription and event, which is the identity of a notification: publishing it again changes nothing, so
a node has it once, at one place in its log, and delivers it through its outbox to whoever subscribed to

    SELECT ?event ?solutions { ?n tw:subscription "papers" ; tw:event ?event ; tw:solutions ?solutions }

with tw: as urn:triplewire: . Solutions are as in the lake, N-Triples terms by variable. A list of them that is too
large for an event stays in the lake, and tw:solutionCount tells how many there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from triplewire.rdf.events import Event
from triplewire.rdf.limits import MIB
from triplewire.rdf.terms import RDF, TW, XSD, Literal, NamedNode, Triple

NAMES = f"{TW}notification:"
_MOST_BYTES = MIB // 2
_DIGITS = 32


class NotificationEvent(Struct, frozen=True):
    """A notification in its form as an event, and its name there."""

    name: str
    nquads: bytes


def notification_event(row: Mapping[str, Any]) -> NotificationEvent:
    """The event for a row of the lake's `notifications`."""
    name = name_of(row["subscription"], row["event"])
    triples = [
        Triple(name, RDF["type"], TW["Notification"]),
        Triple(name, TW["subscription"], Literal(row["subscription"])),
        Triple(name, TW["event"], NamedNode(row["event"])),
        Triple(name, *_solutions(row["solutions"])),
    ]
    return NotificationEvent(name.value, Event.from_triples(name, triples).nquads)


def name_of(subscription: str, event: str) -> NamedNode:
    """The IRI of a notification.

    >>> name_of("papers", "urn:e").value
    'urn:triplewire:notification:d0edcd24420feee0d23b352dad2cd788'
    """
    digest = hashlib.sha256(msgspec.json.encode((subscription, event))).hexdigest()
    return NamedNode(f"{NAMES}{digest[:_DIGITS]}")


def _solutions(solutions: list[Any]) -> tuple[NamedNode, Literal]:
    # Arrow gives maps as lists of pairs.
    text = msgspec.json.encode([dict(solution) for solution in solutions])
    if len(text) > _MOST_BYTES:
        return TW["solutionCount"], Literal(str(len(solutions)), datatype=XSD["integer"])
    return TW["solutions"], Literal(text.decode(), datatype=RDF["JSON"])
