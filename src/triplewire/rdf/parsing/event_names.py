"""Names for events that come without one: made from source, time and content.

The same triples from the same source at the same time get the same name, so that sending them again changes nothing;
two events of one instant get two names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime

from triplewire.rdf.terms import TW, NamedNode

_DIGITS = 32


def mint_event_iri(source: str | None, time: datetime, lines: Iterable[str]) -> NamedNode:
    """The IRI of an event whose triples, written as N-Triples without the dot, are `lines`, in order.

    >>> mint_event_iri("sensor-7", datetime(2024, 5, 1, 12, tzinfo=UTC), ["<urn:s> <urn:p> <urn:o>"]).value
    'urn:triplewire:event:20240501T120000.000000Z:5cdc3b42024396618918568088dfcdaf'
    """
    instant = time.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    digest = hashlib.sha256(f"{'' if source is None else 'from ' + source}\0{instant}\0".encode(errors="replace"))
    for line in lines:
        digest.update(line.encode())
        digest.update(b"\n")
    return TW[f"event:{instant}:{digest.hexdigest()[:_DIGITS]}"]
