"""Publications: events as they are sent, parsed again."""

from __future__ import annotations

from functools import lru_cache

from triplewire.errors import InputError
from triplewire.network.messages import Publication
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE

# An event is matched by many standing queries, one after the other, and rarely again.
_KEPT = 256


def event_of(publication: Publication) -> Event:
    """The event of a publication; InputError if it is not the one event that the publication names."""
    event = _event(publication.nquads)
    if event.graph.value != publication.event:
        raise InputError(wanted=f"the event {publication.event!r}", found=f"<{event.graph.value}>")
    return event


@lru_cache(maxsize=_KEPT)
def _event(nquads: bytes) -> Event:
    # The super-peer where it was published has checked its size.
    events = Event.parse(nquads, limits=ANY_SIZE)
    if len(events) != 1:
        raise InputError(subject="a publication", wanted="one event", found=str(len(events)))
    return events[0]
