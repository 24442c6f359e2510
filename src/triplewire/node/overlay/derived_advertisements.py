"""Derived advertisements: a client that publishes and has advertised nothing is advertised by what it publishes.

Subscriptions only go where something is advertised. So for such a client the node advertises the properties of its
events, more of them as they appear, and never fewer. Beyond some hundred properties it advertises their namespaces
instead. As soon as the client advertises something itself, that counts and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.supply import Supply
from triplewire.algebra.namespaces import namespace_of
from triplewire.errors import TriplewireError
from triplewire.network.messages import Description
from triplewire.network.routing.advertisements.descriptions import describe, supply_in
from triplewire.node.broker.advertisements import Advertisements
from triplewire.rdf.terms import NamedNode
from triplewire.store.tables.log import Record

_log = logging.getLogger(__name__)
_MOST_PROPERTIES = 200


class DerivedAdvertisements:
    """Looks at what is published here, before the network gets it."""

    def __init__(self, advertisements: Advertisements) -> None:
        self._advertisements = advertisements
        self._known: dict[str, set[str]] = {}

    def update_from(self, records: Iterable[Record]) -> None:
        """Advertise what these records show that was not known."""
        found: dict[str, set[str]] = defaultdict(set)
        for record in records:
            found[record.publisher].update(properties_in(record.nquads))
        for owner, names in found.items():
            if self._advertisements.speaks_for_itself(owner):
                self._known.pop(owner, None)
            else:
                self._grow(owner, names)

    def _grow(self, owner: str, names: set[str]) -> None:
        derived = self._advertisements.derived(owner)
        known = self._known.setdefault(owner, set()) if derived is not None else set()
        if names <= known:
            return
        self._known[owner] = known | names
        before = Supply() if derived is None else supply_in(derived.description)
        after = _grown(before, {NamedNode(name) for name in names})
        if after == before:
            return
        try:
            kept = self._advertisements.derive(owner, _description(after))
        except TriplewireError as problem:
            _log.warning("no more is advertised for %s: %s", owner, problem)
        else:
            kept.add_done_callback(_tell)


def properties_in(nquads: bytes) -> Iterator[str]:
    """The properties of an event as it is kept, where each line is a quad and no IRI has a space.

    >>> sorted(set(properties_in(b'<urn:s> <urn:p> "a b" <urn:e> .\\n_:b <urn:q> <urn:o> <urn:e> .\\n')))
    ['urn:p', 'urn:q']
    """
    for line in nquads.split(b"\n")[:-1]:
        yield line.split(b" ", 2)[1][1:-1].decode()


def _grown(supply: Supply, names: set[NamedNode]) -> Supply:
    properties = supply.properties | names
    if supply.schemas or len(properties) > _MOST_PROPERTIES:
        return Supply(schemas=supply.schemas | {NamedNode(namespace_of(name)) for name in properties})
    return Supply(properties=properties)


def _description(supply: Supply) -> Description:
    if supply.schemas:
        return describe([Advertisement.schemas(supply.schemas)])
    return describe([Advertisement.properties(supply.properties)])


def _tell(kept: asyncio.Future[None]) -> None:
    if not kept.cancelled() and (problem := kept.exception()) is not None:
        _log.warning("what is advertised for a client is not kept: %s", problem)
