"""The advertisement indices (Chirita et al., section 3.2) and the routing of subscriptions by them (algorithm 1).

Three levels of rows, as in the paper's Table 1: sets of schemas, sets of properties, and properties with their values.
A row leads to the descriptions that have it, a description to its targets. The targets of an SP/P index are peers,
those of an SP/SP index are dimensions; otherwise the two are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Generic, TypeVar

from msgspec import Struct

from triplewire.algebra.advertisements.value_sets import Value
from triplewire.algebra.namespaces import namespace_of
from triplewire.network.messages import Description, StandingQuery
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.subscriptions.standing_queries import required_properties
from triplewire.rdf.terms import NamedNode

T = TypeVar("T", bound=Hashable)


class Level(IntEnum):
    """The three indices."""

    SCHEMA = 0
    PROPERTY = 1
    VALUE = 2


class IndexElement(Struct, frozen=True):
    """The left side of a row: some schemas, some properties, or one property and its values."""

    level: Level
    names: frozenset[NamedNode]
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        names = ", ".join(sorted(map(str, self.names)))
        return names if self.level is not Level.VALUE else f"{names} in {{{', '.join(map(str, self.values))}}}"


class IndexRow(Struct, Generic[T], frozen=True):
    """A row of Table 1."""

    element: IndexElement
    targets: frozenset[T]


def elements_of(description: Description) -> frozenset[IndexElement]:
    """The paper's S: what the description has a row for."""
    supply = supply_in(description)
    found = {IndexElement(Level.VALUE, frozenset({offer.property}), offer.values) for offer in supply.offers}
    if supply.schemas:
        found.add(IndexElement(Level.SCHEMA, supply.schemas))
    if supply.properties:
        found.add(IndexElement(Level.PROPERTY, supply.properties))
    return frozenset(found)


class AdvertisementIndex(Generic[T]):
    """Descriptions and their targets, which may be of any type."""

    def __init__(self) -> None:
        self._descriptions: dict[str, Description] = {}
        self._targets: dict[str, set[T]] = {}
        self._of_target: dict[T, dict[str, Description]] = {}
        self._rows: dict[IndexElement, set[str]] = {}
        # From a property or a namespace to the keys of the descriptions that name it.
        self._by_name: dict[NamedNode, set[str]] = defaultdict(set)
        self._only_values: set[str] = set()

    # Update

    def add(self, description: Description, target: T) -> bool:
        """Add a description; whether it is new for this target. InputError if it is not a valid one.

        The update algorithm of section 3.2. S_y is what the description has a row for, S_x what there are rows for.
        """
        if self.has(description.key, target):
            return False
        for element in elements_of(description):
            # Where S_y is in S_x only a reference is added; what is in S_y alone makes a new row.
            self._rows.setdefault(element, set()).add(description.key)
        self._add_target(description, target)
        return True

    def remove(self, key: str, target: T) -> bool:
        """Remove a description; whether the target had it. Rows without a target are removed."""
        if not self.has(key, target):
            return False
        del self._of_target[target][key]
        if not self._of_target[target]:
            del self._of_target[target]
        self._targets[key].discard(target)
        if not self._targets[key]:
            self._remove_description(key)
        return True

    def clear(self, target: T) -> None:
        """Remove everything of a target."""
        for key in tuple(self.describes(target)):
            self.remove(key, target)

    # Reading

    def has(self, key: str, target: T) -> bool:
        return target in self._targets.get(key, ())

    def describes(self, target: T) -> Mapping[str, Description]:
        """The descriptions of a target, by key."""
        return MappingProxyType(self._of_target.get(target, {}))

    def targets(self, key: str) -> frozenset[T]:
        """The targets of a description."""
        return frozenset(self._targets.get(key, ()))

    def all_targets(self) -> Collection[T]:
        """Every target."""
        return self._of_target.keys()

    def all_descriptions(self) -> Collection[Description]:
        """Every description, of whatever target."""
        return self._descriptions.values()

    def rows(self) -> Iterator[IndexRow[T]]:
        """The indices as the paper's Table 1 shows them: schemas, then properties, then values."""
        for element in sorted(self._rows, key=lambda element: (element.level, str(element))):
            yield IndexRow(element, frozenset().union(*(self._targets[key] for key in self._rows[element])))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    # Algorithm 1

    def route(self, query: StandingQuery, reasoner: Reasoner, targets: Iterable[T] | None = None) -> set[T]:
        """The targets that a subscription has to be sent to, each once; of all, or of those given.

        `Reasoner.covers` says why a target is judged by its own advertisements, and not, as the algorithm is printed,
        by whether any target advertises on a finer level.
        """
        waiting = set(self._of_target) if targets is None else set(targets) & self._of_target.keys()
        found: set[T] = set()
        for key in self._candidates(query):
            if not waiting:
                break
            here = self._targets[key] & waiting
            if here and reasoner.covers(self._descriptions[key], query):
                found |= here
                waiting -= here
        return found

    def _candidates(self, query: StandingQuery) -> Iterable[str]:
        """The descriptions that name the required properties: all of them, or, with values only, some of them."""
        keys: set[str] = set()
        for required in required_properties(query):
            if not required.names:
                return tuple(self._descriptions)
            keys |= set.intersection(*sorted(map(self._with_property, required.names), key=len))
            values_only = () if required.is_open else (set().union(*map(self._with_property, required.any_of)),)
            keys |= self._only_values.intersection(*values_only)
        return keys

    def _with_property(self, name: NamedNode) -> set[str]:
        return self._by_name.get(name, set()) | self._by_name.get(NamedNode(namespace_of(name)), set())

    def _add_target(self, description: Description, target: T) -> None:
        key = description.key
        self._targets.setdefault(key, set()).add(target)
        self._of_target.setdefault(target, {})[key] = description
        if key in self._descriptions:
            return
        self._descriptions[key] = description
        for name in _names(description):
            self._by_name[name].add(key)
        if supply_in(description).has_only_values:
            self._only_values.add(key)

    def _remove_description(self, key: str) -> None:
        description = self._descriptions.pop(key)
        del self._targets[key]
        self._only_values.discard(key)
        for element in elements_of(description):
            _discard(self._rows, element, key)
        for name in _names(description):
            _discard(self._by_name, name, key)


K = TypeVar("K")


def _discard(index: dict[K, set[str]], where: K, key: str) -> None:
    index[where].discard(key)
    if not index[where]:
        del index[where]


def _names(description: Description) -> set[NamedNode]:
    return {name for element in elements_of(description) for name in element.names}
