"""What other super-peers have, as far as they let others see it: where sub-queries and actions may be worth sending.

Each super-peer broadcasts its own offer when it changes, and repeats what it knows of others in exchanges. Offers have
versions, so old ones never replace new ones. What is stale is a message in vain, or one too few until the next offer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from triplewire.federation.indexes.group_index import PeerView, induced
from triplewire.federation.indexes.local_index import Nodes
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.sites.terms import iri_of
from triplewire.rules.graphs import Lookup
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, number_of


class Offer(Struct, frozen=True, tag="offer", array_like=True):
    """What a super-peer lets others do: read data of `reads`, insert into `inserts`, delete and update `changes`."""

    super_peer: str
    version: int
    reads: tuple[str, ...] = ()
    inserts: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


class Versions(Struct, frozen=True, tag="versions", array_like=True):
    """The versions of the offers and of the schemas that the sender knows, by super-peer. It gets what is newer."""

    known: dict[str, int]
    schemas: dict[str, int] = {}


class NetworkIndex:
    """The offers that one super-peer knows. `whole` says what the groups declare."""

    def __init__(self, me: str, whole: WholeSchema) -> None:
        self._me = me
        self._whole = whole
        self._offers: dict[str, Offer] = {me: Offer(me, 0)}
        self._views: dict[str, tuple[Schema, PeerView]] = {}
        self._reads: dict[str, Nodes] = {}

    @property
    def versions(self) -> Versions:
        return Versions({name: offer.version for name, offer in sorted(self._offers.items())})

    def offer(self, reads: Nodes, inserts: Nodes, changes: Nodes) -> Offer | None:
        """Our own offer; None: it has not changed."""
        mine = self._offers[self._me]
        new = Offer(self._me, mine.version, _names(reads), _names(inserts), _names(changes))
        if new == mine:
            return None
        self._offers[self._me] = replace(new, version=mine.version + 1)
        return self._offers[self._me]

    def include(self, offer: Offer) -> None:
        """Take an offer, unless it is old or our own."""
        known = self._offers.get(offer.super_peer)
        if offer.super_peer != self._me and (known is None or known.version < offer.version):
            self._offers[offer.super_peer] = offer
            self._views.pop(offer.super_peer, None)
            self._reads.pop(offer.super_peer, None)

    def newer_than(self, versions: Versions) -> list[Offer]:
        """The offers that somebody lacks who knows these."""
        return [offer for name, offer in self._offers.items() if versions.known.get(name, -1) < offer.version]

    def view(self, super_peer: str) -> PeerView | None:
        """What actions see of another super-peer, as if it were one peer; None: it has made no offer."""
        offer = self._offers.get(super_peer)
        if offer is None:
            return None
        schema = self._whole.of(super_peer)
        seen = self._views.get(super_peer)
        if seen is None or seen[0] is not schema:
            seen = schema, PeerView(induced(schema, _nodes(offer.inserts)), _nodes(offer.changes))
            self._views[super_peer] = seen
        return seen[1]

    @property
    def others(self) -> tuple[str, ...]:
        """Those that have made an offer."""
        return tuple(sorted(self._offers.keys() - {self._me}))

    def readable_schema(self, super_peer: str) -> Schema:
        """The part of the schema of which another super-peer lets its data be read."""
        return induced(self._whole.of(super_peer), _nodes(self._offers[super_peer].reads))

    def readable(self, lookup: Lookup, others: Iterable[str]) -> Iterator[str]:
        """Those of the others that may have triples for a lookup."""
        for other in others:
            offer = self._offers.get(other)
            if offer is not None and may_have(lookup, self._reads_of(offer)):
                yield other

    def _reads_of(self, offer: Offer) -> Nodes:
        if offer.super_peer not in self._reads:
            self._reads[offer.super_peer] = _nodes(offer.reads)
        return self._reads[offer.super_peer]


def may_have(lookup: Lookup, nodes: Nodes) -> bool:
    """Whether one who has data of these classes and properties may have triples for a lookup."""
    if lookup.predicate is None:
        return bool(nodes)
    if lookup.predicate == TYPE:
        return bool(nodes) if lookup.target is None else lookup.target in nodes
    return (MEMBERSHIP if number_of(lookup.predicate) is not None else lookup.predicate) in nodes


def _names(nodes: Nodes) -> tuple[str, ...]:
    return tuple(sorted(node.value for node in nodes))


def _nodes(names: Iterable[str]) -> Nodes:
    return frozenset(map(iri_of, names))
