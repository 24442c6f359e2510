"""What a peer has said that it will publish, on all three levels at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from triplewire.algebra.advertisements.advertisement import (
    Advertisement,
    PropertyAdvertisement,
    SchemaAdvertisement,
    ValueAdvertisement,
)
from triplewire.algebra.advertisements.value_sets import Offer, Value
from triplewire.algebra.namespaces import namespace_of
from triplewire.rdf.terms import NamedNode


class Supply(Struct, frozen=True, dict=True):
    """Schemas, properties, and properties with values. Values of one property from several offers are put together."""

    schemas: frozenset[NamedNode] = frozenset()
    properties: frozenset[NamedNode] = frozenset()
    offers: tuple[Offer, ...] = ()

    @cached_property
    def values(self) -> Mapping[NamedNode, tuple[Value, ...]]:
        """The values by their property."""
        return {offer.property: offer.values for offer in self.offers}

    @property
    def has_only_values(self) -> bool:
        return not self.schemas and not self.properties

    def names(self, name: NamedNode) -> bool:
        """Whether the property is advertised, on any level."""
        return name in self.values or self._names_at_large(name)

    def leaves_free(self, name: NamedNode) -> bool:
        """Whether the property is advertised with any value."""
        return name not in self.values and self._names_at_large(name)

    def _names_at_large(self, name: NamedNode) -> bool:
        return name in self.properties or NamedNode(namespace_of(name)) in self.schemas


def supply_of(advertisements: Iterable[Advertisement]) -> Supply:
    """What some advertisements say together, in an order that depends on nothing else."""
    schemas: set[NamedNode] = set()
    properties: set[NamedNode] = set()
    values: dict[NamedNode, set[Value]] = {}
    for advertisement in advertisements:
        if isinstance(advertisement, SchemaAdvertisement):
            schemas |= advertisement.namespaces
        elif isinstance(advertisement, PropertyAdvertisement):
            properties |= advertisement.offered
        elif isinstance(advertisement, ValueAdvertisement):
            for offer in advertisement.offers:
                values.setdefault(offer.property, set()).update(offer.values)
    return Supply(frozenset(schemas), frozenset(properties), _sorted_offers(values))


def joined(supplies: Collection[Supply]) -> Supply:
    """What several registrations of one client allow together: each triple of an event may be within another one.

    A property that one of them names without values is free; of any other, the values of all count.

    >>> dates, some = Advertisement.properties(["urn:p"]), Advertisement.values({"urn:p": "1", "urn:q": "2"})
    >>> [str(offer) for offer in joined([supply_of([dates]), supply_of([some])]).offers]
    ['<urn:q> in {"2"}']
    """
    values: dict[NamedNode, set[Value]] = {}
    for supply in supplies:
        for offer in supply.offers:
            if not any(other.leaves_free(offer.property) for other in supplies):
                values.setdefault(offer.property, set()).update(offer.values)
    schemas = frozenset[NamedNode]().union(*(supply.schemas for supply in supplies))
    properties = frozenset[NamedNode]().union(*(supply.properties for supply in supplies))
    return Supply(schemas, properties, _sorted_offers(values))


def _sorted_offers(values: Mapping[NamedNode, set[Value]]) -> tuple[Offer, ...]:
    offers = (Offer(name, tuple(sorted(found, key=repr))) for name, found in values.items())
    return tuple(sorted(offers, key=lambda offer: offer.property.value))
