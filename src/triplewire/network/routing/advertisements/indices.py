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
from triplewire.network.messages import Description, Standing
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.subscriptions.standing_queries import properties_wanted
from triplewire.rdf.terms import NamedNode

T = TypeVar("T", bound=Hashable)


class Level(IntEnum):
    """The three indices."""

    SCHEMA = 0
    PROPERTY = 1
    VALUE = 2


class Element(Struct, frozen=True):
    """The left side of a row: some schemas, some properties, or one property and its values."""

    level: Level
    names: frozenset[NamedNode]
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        names = ", ".join(sorted(map(str, self.names)))
        return names if self.level is not Level.VALUE else f"{names} in {{{', '.join(map(str, self.values))}}}"


class Row(Struct, Generic[T], frozen=True):
    """A row of Table 1."""

    element: Element
    targets: frozenset[T]


def elements_of(description: Description) -> frozenset[Element]:
    """The paper's S: what the description has a row for."""
    supply = supply_in(description)
    found = {Element(Level.VALUE, frozenset({offer.property}), offer.values) for offer in supply.offers}
    if supply.schemas:
        found.add(Element(Level.SCHEMA, supply.schemas))
    if supply.properties:
        found.add(Element(Level.PROPERTY, supply.properties))
    return frozenset(found)


class Indices(Generic[T]):
    """Who advertises what. Nothing here knows what a target is."""

    def __init__(self) -> None:
        self._descriptions: dict[str, Description] = {}
        self._targets: dict[str, set[T]] = {}
        self._of_target: dict[T, dict[str, Description]] = {}
        self._rows: dict[Element, set[str]] = {}
        # From a property or a namespace to the keys of the descriptions that name it.
        self._naming: dict[NamedNode, set[str]] = defaultdict(set)
        self._only_values: set[str] = set()

    # Update

    def add(self, description: Description, target: T) -> bool:
        """Register; whether the description is new for this target. InputError if it is none.

        The update algorithm of section 3.2. S_y is what the description has a row for, S_x what there are rows for.
        """
        if self.has(description.key, target):
            return False
        for element in elements_of(description):
            # Where S_y is in S_x only a reference is added; what is in S_y alone makes a new row.
            self._rows.setdefault(element, set()).add(description.key)
        self._refer(description, target)
        return True

    def remove(self, key: str, target: T) -> bool:
        """Withdraw; whether the target had it. Rows that lead nowhere go."""
        if not self.has(key, target):
            return False
        del self._of_target[target][key]
        if not self._of_target[target]:
            del self._of_target[target]
        self._targets[key].discard(target)
        if not self._targets[key]:
            self._forget(key)
        return True

    def clear(self, target: T) -> None:
        """The target has left: all references to it go."""
        for key in tuple(self.describes(target)):
            self.remove(key, target)

    # Looking

    def has(self, key: str, target: T) -> bool:
        return target in self._targets.get(key, ())

    def describes(self, target: T) -> Mapping[str, Description]:
        """What the target advertises, by key."""
        return MappingProxyType(self._of_target.get(target, {}))

    def targets(self, key: str) -> frozenset[T]:
        """Who advertises this."""
        return frozenset(self._targets.get(key, ()))

    def everybody(self) -> Collection[T]:
        """Who advertises anything."""
        return self._of_target.keys()

    def everything(self) -> Collection[Description]:
        """Every description, whoever advertises it."""
        return self._descriptions.values()

    def rows(self) -> Iterator[Row[T]]:
        """The indices as the paper's Table 1 shows them: schemas, then properties, then values."""
        for element in sorted(self._rows, key=lambda element: (element.level, str(element))):
            yield Row(element, frozenset().union(*(self._targets[key] for key in self._rows[element])))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    # Algorithm 1

    def route(self, standing: Standing, reasoner: Reasoner, targets: Iterable[T] | None = None) -> set[T]:
        """The targets that a subscription has to go to, each once; of all, or of those named.

        `Reasoner.covers` says why a target is judged by what it says itself, and not, as the algorithm is printed, by
        whether anybody says something on a finer level.
        """
        waiting = set(self._of_target) if targets is None else set(targets) & self._of_target.keys()
        found: set[T] = set()
        for key in self._candidates(standing):
            if not waiting:
                break
            here = self._targets[key] & waiting
            if here and reasoner.covers(self._descriptions[key], standing):
                found |= here
                waiting -= here
        return found

    def _candidates(self, standing: Standing) -> Iterable[str]:
        """The descriptions that name what the subscription wants: all of it, or, with values only, some of it."""
        keys: set[str] = set()
        for wanted in properties_wanted(standing):
            if not wanted.names:
                return tuple(self._descriptions)
            keys |= set.intersection(*sorted(map(self._naming_property, wanted.names), key=len))
            some = () if wanted.is_open else (set().union(*map(self._naming_property, wanted.any_of)),)
            keys |= self._only_values.intersection(*some)
        return keys

    def _naming_property(self, name: NamedNode) -> set[str]:
        return self._naming.get(name, set()) | self._naming.get(NamedNode(namespace_of(name)), set())

    def _refer(self, description: Description, target: T) -> None:
        key = description.key
        self._targets.setdefault(key, set()).add(target)
        self._of_target.setdefault(target, {})[key] = description
        if key in self._descriptions:
            return
        self._descriptions[key] = description
        for name in _names(description):
            self._naming[name].add(key)
        if supply_in(description).has_only_values:
            self._only_values.add(key)

    def _forget(self, key: str) -> None:
        description = self._descriptions.pop(key)
        del self._targets[key]
        self._only_values.discard(key)
        for element in elements_of(description):
            _discard(self._rows, element, key)
        for name in _names(description):
            _discard(self._naming, name, key)


K = TypeVar("K")


def _discard(index: dict[K, set[str]], where: K, key: str) -> None:
    index[where].discard(key)
    if not index[where]:
        del index[where]


def _names(description: Description) -> set[NamedNode]:
    return {name for element in elements_of(description) for name in element.names}
