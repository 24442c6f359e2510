"""The views of one shape, found by their constants.

A changed quad at a leaf says what some parameters are: the views with those constants are candidates. Where they are
many, the patterns that every solution needs are followed from the quad, which tells the other parameters; how many
views there are does not matter to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from triplewire.algebra.patterns import Variable
from triplewire.errors import BudgetExceeded
from triplewire.rdf.terms import Quad, Term
from triplewire.views.algebra import nodes
from triplewire.views.evaluation.joins import JoinAll
from triplewire.views.evaluation.patterns import QuadMatch
from triplewire.views.evaluation.work import Bindings, Budget, Work
from triplewire.views.index.shapes import Constants, Shape, Value, parameters_in, value_sought
from triplewire.views.maintenance.leaves import Leaf
from triplewire.views.maintenance.seeds import LeafSeeds

M = TypeVar("M", bound=Hashable)
# So many candidates are handed on as they are: to narrow them down would cost as much as to look at them.
_FEW = 4
# To narrow them down may cost this many steps for each.
_STEPS = 4
Subset = tuple[int, ...]


class Lookup(Generic[M]):
    """Members by some of their constants."""

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self._members: dict[Constants, dict[M, None]] = {}

    def add(self, constants: Constants, member: M) -> None:
        self._members.setdefault(self._key(constants), {})[member] = None

    def remove(self, constants: Constants, member: M) -> None:
        key = self._key(constants)
        del self._members[key][member]
        if not self._members[key]:
            del self._members[key]

    def get(self, values: Constants) -> dict[M, None]:
        return self._members.get(values, {})

    def _key(self, constants: Constants) -> Constants:
        return tuple([constants[number] for number in self._subset])


class ShapeMembers(Generic[M]):
    """A shape and its members."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._constants: dict[M, Constants] = {}
        self._lookups: dict[Subset, Lookup[M]] = {}
        self._entries = [_LeafEntry(shape, leaf) for leaf in shape.leaves]
        # Made before there are members: to make one for a hundred thousand takes long.
        for subset in {subset for entry in self._entries for subset in entry.subsets}:
            self._lookup(subset)

    def __len__(self) -> int:
        return len(self._constants)

    def add(self, member: M, constants: Constants) -> None:
        self._constants[member] = constants
        for lookup in self._lookups.values():
            lookup.add(constants, member)

    def remove(self, member: M) -> None:
        constants = self._constants.pop(member)
        for lookup in self._lookups.values():
            lookup.remove(constants, member)

    def touched(self, number: int, quad: Quad, work: Work) -> Iterator[M]:
        """Members that the quad may touch at a leaf, one perhaps several times.

        All of them if it is too hard to tell.
        """
        try:
            yield from self._touched(self._entries[number], quad, work)
        except BudgetExceeded:
            yield from self._constants

    def _touched(self, entry: _LeafEntry, quad: Quad, work: Work) -> Iterator[M]:
        for seed in entry.seeds.seeds(quad, work):
            values = entry.values(seed)
            if values is None:
                continue
            subset, constants = values
            found = self._lookup(subset).get(constants)
            yield from found if len(found) <= _FEW else self._narrowed(entry, seed, found, work)

    def _narrowed(self, entry: _LeafEntry, seed: Bindings, found: dict[M, None], work: Work) -> Iterable[M]:
        if entry.core is None:
            return found
        narrow = Work(work.dataset, Budget(_STEPS * len(found)), work.moment)
        kept: dict[M, None] = {}
        try:
            for solution in entry.core.solve(narrow, seed):
                values = entry.values({**seed, **solution})
                if values is not None:
                    kept.update(self._lookup(values[0]).get(values[1]))
        except BudgetExceeded:
            return found
        return kept

    def _lookup(self, subset: Subset) -> Lookup[M]:
        lookup = self._lookups.get(subset)
        if lookup is None:
            lookup = self._lookups[subset] = Lookup(subset)
            for member, constants in self._constants.items():
                lookup.add(constants, member)
        return lookup


class _LeafEntry:
    """One leaf of a shape: its seeds, and the required patterns that its variables lead to."""

    def __init__(self, shape: Shape, leaf: Leaf) -> None:
        self.seeds = LeafSeeds(_with_parameters(leaf))
        self._pinned = shape.pinned
        pattern = leaf.pattern
        names = _names_of(pattern) & (leaf.kept if leaf.kept is not None else _names_of(pattern))
        parts = _connected([QuadMatch(p) for p in shape.required if p != pattern], names | _parameters_of(pattern))
        self.core = JoinAll(parts) if parts else None
        seen = names | _parameters_of(pattern)
        self.subsets = {self._subset(seen), self._subset(seen.union(*(part.variables for part in parts)))}

    def _subset(self, names: frozenset[str]) -> Subset:
        pinned = [number for name, number in self._pinned if name in names]
        return tuple(sorted({*parameters_in(names), *pinned}))

    def values(self, bindings: Bindings) -> tuple[Subset, Constants] | None:
        """The parameters that are known, and their values; None if nothing can have them."""
        known: dict[int, Value] = {number: bindings[f"${number}"] for number in parameters_in(bindings)}
        for name, number in self._pinned:
            term: Term | None = bindings.get(name)
            if term is not None:
                value = value_sought(term)
                if value is None:
                    return None
                known[number] = value
        subset = tuple(sorted(known))
        return subset, tuple([known[number] for number in subset])


def _with_parameters(leaf: Leaf) -> Leaf:
    """Parameters are kept whatever stands in between. An end of a path is looked for only if it is one."""
    parameters = _parameters_of(leaf.pattern)
    if isinstance(leaf.pattern, nodes.PathPattern):
        return Leaf(leaf.pattern, parameters, leaf.graph)
    return leaf if leaf.kept is None else Leaf(leaf.pattern, leaf.kept | parameters, leaf.graph)


def _names_of(pattern: nodes.Leaf | nodes.GraphEach) -> frozenset[str]:
    if isinstance(pattern, nodes.QuadPattern | nodes.NegatedPattern):
        return QuadMatch(pattern).variables
    return frozenset()


def _parameters_of(pattern: nodes.Leaf | nodes.GraphEach) -> frozenset[str]:
    if isinstance(pattern, nodes.QuadPattern | nodes.NegatedPattern | nodes.PathPattern):
        ends = (pattern.subject, pattern.object)
        return frozenset(end.name for end in ends if isinstance(end, Variable) and end.name.startswith("$"))
    return frozenset()


def _connected(parts: list[QuadMatch], names: frozenset[str]) -> list[QuadMatch]:
    """Those that share a variable with the names, or with one that does."""
    found: list[QuadMatch] = []
    while True:
        near = [part for part in parts if part.variables & names]
        if not near:
            return found
        found += near
        parts = [part for part in parts if part not in near]
        names = names.union(*(part.variables for part in near))
