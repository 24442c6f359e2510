"""The views of one shape, found by their constants.

A changed quad at a leaf says what some parameters are: the views with those constants are candidates. Where they are
many, the patterns that every solution needs are followed from the quad, which tells the other parameters; how many
views there are does not matter to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Generic, TypeVar

from triplewire.algebra.patterns import Variable
from triplewire.errors import BudgetExceeded
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.joins import JoinAll
from triplewire.evaluation.patterns import QuadMatch
from triplewire.evaluation.work import Bindings, Budget, Work
from triplewire.rdf.terms import Quad, Term
from triplewire.views.index.shapes import Constants, Shape, Value, parameters_in, value_sought
from triplewire.views.maintenance.leaves import Leaf
from triplewire.views.maintenance.seeds import LeafSeeds

M = TypeVar("M", bound=Hashable)
# To narrow candidates down costs far less than to look at one of them: it may take this many steps for each, and as
# many as for a few.
_STEPS = 4
_FEW = 4
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


class Core:
    """Patterns that lead from a changed quad to the parameters that it does not tell. Compared by identity."""

    def __init__(self, patterns: tuple[nodes.QuadPattern, ...]) -> None:
        self.join = JoinAll([QuadMatch(pattern) for pattern in patterns])
        self.names = tuple(sorted(self.join.variables))


# Shapes that have the same patterns in common share them, so that they are followed once.
_core_of = lru_cache(maxsize=4_096)(Core)


class Search:
    """Looks for the views that one change touches. What patterns lead to is found once, whoever asks for it."""

    __slots__ = ("_found", "work")

    def __init__(self, work: Work) -> None:
        # Over all that holds before or after the change.
        self.work = work
        self._found: dict[tuple[Core, tuple[Term | None, ...]], list[Bindings] | int] = {}

    def solutions(self, core: Core, seed: Bindings, steps: int) -> list[Bindings] | None:
        """What extends a seed; None if that takes more than so many steps."""
        key = (core, tuple([seed.get(name) for name in core.names]))
        found = self._found.get(key, 0)
        if isinstance(found, int) and found < steps:
            found = self._found[key] = self._followed(core, seed, steps)
        return None if isinstance(found, int) else found

    def _followed(self, core: Core, seed: Bindings, steps: int) -> list[Bindings] | int:
        work = self.work
        try:
            return list(core.join.solve(Work(work.dataset, Budget(steps), work.moment), seed))
        except BudgetExceeded:
            return steps


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

    def touched(self, number: int, quad: Quad, search: Search) -> Iterator[M]:
        """Members that the quad may touch at a leaf, one perhaps several times.

        All of them if it is too hard to tell.
        """
        try:
            yield from self._touched(self._entries[number], quad, search)
        except BudgetExceeded:
            yield from self._constants

    def _touched(self, entry: _LeafEntry, quad: Quad, search: Search) -> Iterator[M]:
        for seed in entry.seeds.seeds(quad, search.work):
            values = entry.values(seed)
            if values is None:
                continue
            subset, constants = values
            found = self._lookup(subset).get(constants)
            yield from found if len(found) <= 1 else self._narrowed(entry, seed, found, search)

    def _narrowed(self, entry: _LeafEntry, seed: Bindings, found: dict[M, None], search: Search) -> Iterable[M]:
        if entry.core is None:
            return found
        solutions = search.solutions(entry.core, seed, _STEPS * max(_FEW, len(found)))
        if solutions is None:
            return found
        kept: dict[M, None] = {}
        for solution in solutions:
            values = entry.values({**seed, **solution})
            if values is not None:
                kept.update(self._lookup(values[0]).get(values[1]))
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
        seen = names | _parameters_of(pattern)
        wanted = frozenset(name for name, _ in shape.pinned)
        patterns = _leading([p for p in shape.required if p != pattern], seen, wanted)
        self.core = _core_of(patterns) if patterns else None
        self.subsets = {self._subset(seen), self._subset(seen.union(self.core.names if self.core else ()))}
        # By the names of a seed: the parameters that it tells, and by which names it does.
        self._readings: dict[tuple[str, ...], tuple[Subset, tuple[tuple[str, bool], ...]]] = {}

    def _subset(self, names: frozenset[str]) -> Subset:
        pinned = [number for name, number in self._pinned if name in names]
        return tuple(sorted({*parameters_in(names), *pinned}))

    def values(self, bindings: Bindings) -> tuple[Subset, Constants] | None:
        """The parameters that are known, and their values; None if nothing can have them."""
        names = tuple(bindings)
        reading = self._readings.get(names)
        if reading is None:
            reading = self._readings[names] = self._reading(names)
        subset, sources = reading
        constants: list[Value] = []
        for name, is_pinned in sources:
            value = value_sought(bindings[name]) if is_pinned else bindings[name]
            if value is None:
                return None
            constants.append(value)
        return subset, tuple(constants)

    def _reading(self, names: tuple[str, ...]) -> tuple[Subset, tuple[tuple[str, bool], ...]]:
        sources = {number: (f"${number}", False) for number in parameters_in(names)}
        sources |= {number: (name, True) for name, number in self._pinned if name in names}
        subset = tuple(sorted(sources))
        return subset, tuple([sources[number] for number in subset])


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


def _leading(
    patterns: list[nodes.QuadPattern], names: frozenset[str], pinned: frozenset[str]
) -> tuple[nodes.QuadPattern, ...]:
    """Those that lead from the names to parameters, or to pinned variables, by way of variables that they share.

    What else a solution needs would tell no more about which views it is of.
    """
    variables = {pattern: QuadMatch(pattern).variables for pattern in patterns}
    # How each pattern was reached, and each variable: by those before it, and itself.
    ways: dict[nodes.QuadPattern, tuple[nodes.QuadPattern, ...]] = {}
    reached: dict[str, tuple[nodes.QuadPattern, ...]] = dict.fromkeys(names, ())
    while near := [p for p in patterns if p not in ways and not variables[p].isdisjoint(reached)]:
        for pattern in near:
            known = min((reached[name] for name in variables[pattern] if name in reached), key=len)
            ways[pattern] = (*known, pattern)
        for pattern in near:
            reached = {**dict.fromkeys(variables[pattern], ways[pattern]), **reached}
    telling = [p for p in ways if any(n in pinned or n.startswith("$") for n in variables[p] - names)]
    return tuple(dict.fromkeys(step for pattern in telling for step in ways[pattern]))
