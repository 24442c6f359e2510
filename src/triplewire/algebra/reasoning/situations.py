"""Situations: the ways in which a core can match, one for each alternative, with what they force made explicit.

`?x = <a>` can only be true of the term <a> itself, so in that situation ?x is <a>, in every pattern and test. The same
holds of strings, not of numbers: `?x = 5` is true of "5", "05" and "5.0". `?x = ?y` makes them one where either is
the subject of a pattern, since only literals are equal without being the same. All graph terms are the event's IRI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

from msgspec import Struct

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    MembershipTest,
    Operand,
    TaxonomyRelation,
    TaxonomyTest,
    variables_in,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core
from triplewire.algebra.reasoning.demands import TRUE, Demand, Ground, Identity, demand_of
from triplewire.algebra.reasoning.renaming import renamed_demand, renamed_pattern, stand_in
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode

# The event's IRI, whatever the query calls it. No query can name a variable like this: names hold no spaces.
EVENT = Variable("the event")

_TYPE = RDF["type"]
_IDENTIFYING = frozenset({XSD["string"], RDF["langString"]})


class Role(IntEnum):
    """What a variable's place in the patterns lets it be; the higher is the stricter."""

    ANY = 0
    RESOURCE = 1
    IRI = 2


class Situation(Struct, frozen=True):
    """One alternative of a core. `names` says what became of the core's variables; `fixed` holds stand-ins' terms."""

    patterns: tuple[Pattern, ...]
    demands: tuple[Demand, ...]
    roles: Mapping[Variable, Role]
    fixed: Mapping[Variable, Ground]
    names: Mapping[Variable, PatternTerm]

    def role(self, variable: Variable) -> Role:
        return self.roles.get(variable, Role.ANY)


def situations(core: Core, taxonomy: Taxonomy) -> Iterator[Situation]:
    """One situation for each alternative, save those that contradict themselves at sight."""
    for alternative in bound_alternatives(core):
        situation = _situation(core, alternative, taxonomy)
        if situation is not None:
            yield situation


def bound_alternatives(core: Core) -> tuple[tuple[Condition, ...], ...]:
    """The alternatives that can be met: a test of a variable that nothing binds is an error."""
    bound = set(core.variables)
    return tuple(
        alternative
        for alternative in core.constraint.alternatives
        if all(variable in bound for condition in alternative for variable in variables_in(condition.test))
    )


def plain(demand: Demand, taxonomy: Taxonomy) -> Demand:
    """The graph language's `=` decided: a direct instance if the taxonomy knows the class, else the same term."""
    test = demand.test
    if not isinstance(test, TaxonomyTest) or test.relation is not TaxonomyRelation.DIRECT_OR_SAME:
        return demand
    if taxonomy.knows(test.cls):
        return Demand(TaxonomyTest(TaxonomyRelation.DIRECT, test.variable, test.cls), demand.outcomes)
    return Demand(Identity(test.variable, test.cls), demand.outcomes)


def _situation(core: Core, alternative: tuple[Condition, ...], taxonomy: Taxonomy) -> Situation | None:
    demands = tuple(plain(demand_of(condition), taxonomy) for condition in alternative)
    merged = _merged(core, demands)
    if merged is None:
        return None
    patterns = tuple(dict.fromkeys(renamed_pattern(pattern, merged.find) for pattern in core.patterns))
    if isinstance(merged.find(EVENT), Literal) or not all(_possible(pattern) for pattern in patterns):
        return None
    fixed: dict[Variable, Ground] = {}
    carried = [renamed_demand(demand, merged.find, fixed) for demand in demands]
    names = {variable: merged.find(variable) for variable in (*core.variables, EVENT)}
    roles = _roles(patterns, names[EVENT])
    carried += _typings(patterns, roles, fixed)
    return Situation(patterns, tuple(dict.fromkeys(carried)), roles, fixed, names)


class _Merged:
    """Terms that must be one, each class with a representative: its constant, if it has one."""

    def __init__(self) -> None:
        self._towards: dict[Variable, PatternTerm] = {}

    def find(self, term: PatternTerm) -> PatternTerm:
        while isinstance(term, Variable) and term in self._towards:
            term = self._towards[term]
        return term

    def merge(self, a: PatternTerm, b: PatternTerm) -> bool:
        """Make two terms one; two constants cannot be."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return True
        if isinstance(a, Variable):
            self._towards[a] = b
        elif isinstance(b, Variable):
            self._towards[b] = a
        else:
            return False
        return True


def _merged(core: Core, demands: tuple[Demand, ...]) -> _Merged | None:
    merged = _Merged()
    known: set[tuple[PatternTerm, PatternTerm]] = set()
    new: set[tuple[PatternTerm, PatternTerm]] = {(graph, EVENT) for graph in core.graphs} | set(
        _same(demands, _resources(core, merged))
    )
    while new:
        if not all(merged.merge(a, b) for a, b in new):
            return None
        known |= new
        # What is a resource now may make further equalities identities.
        new = set(_same(demands, _resources(core, merged))) - known
    return merged


def _resources(core: Core, merged: _Merged) -> set[Variable]:
    patterns = [renamed_pattern(pattern, merged.find) for pattern in core.patterns]
    roles = _roles(patterns, merged.find(EVENT))
    return {variable for variable in core.variables if _is_resource(merged.find(variable), roles)}


def _is_resource(term: PatternTerm, roles: Mapping[Variable, Role]) -> bool:
    return isinstance(term, NamedNode) or (isinstance(term, Variable) and roles.get(term, Role.ANY) > Role.ANY)


def _same(demands: Iterable[Demand], resources: set[Variable]) -> Iterator[tuple[PatternTerm, PatternTerm]]:
    """The pairs of terms that the demands make one."""
    for demand in demands:
        test = demand.test
        if isinstance(test, Identity) and demand.outcomes == TRUE:
            yield test.variable, test.term
        elif isinstance(test, MembershipTest) and demand.outcomes == TRUE and len(test.constants) == 1:
            yield from _equated(test.variable, test.constants[0], resources)
        elif isinstance(test, ComparisonTest) and _equates(test, demand):
            yield from _equated(test.left, test.right, resources)


def _equates(test: ComparisonTest, demand: Demand) -> bool:
    wanted = {Comparator.EQUAL: True, Comparator.NOT_EQUAL: False}.get(test.operator)
    return wanted is not None and demand.outcomes == {wanted}


def _equated(a: Operand, b: Operand, resources: set[Variable]) -> Iterator[tuple[PatternTerm, PatternTerm]]:
    if any(identifies(side) or side in resources for side in (a, b)):
        yield a, b


def identifies(operand: Operand) -> bool:
    """Whether only the very same term equals this constant."""
    if isinstance(operand, Literal):
        return operand.datatype in _IDENTIFYING
    return isinstance(operand, NamedNode)


def _possible(pattern: Pattern) -> bool:
    return not isinstance(pattern.subject, Literal) and isinstance(pattern.predicate, Variable | NamedNode)


def _roles(patterns: Iterable[Pattern], event: PatternTerm) -> dict[Variable, Role]:
    roles: dict[Variable, Role] = {}
    for pattern in patterns:
        _raise_role(roles, pattern.subject, Role.RESOURCE)
        _raise_role(roles, pattern.predicate, Role.IRI)
    _raise_role(roles, event, Role.IRI)
    return roles


def _raise_role(roles: dict[Variable, Role], term: PatternTerm, role: Role) -> None:
    if isinstance(term, Variable):
        roles[term] = max(role, roles.get(term, Role.ANY))


def _typings(
    patterns: Iterable[Pattern], roles: Mapping[Variable, Role], fixed: dict[Variable, Ground]
) -> Iterator[Demand]:
    """What rdf:type patterns say in the taxonomy's words: the event itself types a node so."""
    for pattern in patterns:
        if pattern.predicate != _TYPE:
            continue
        if isinstance(pattern.object, NamedNode):
            instance = stand_in(pattern.subject, fixed)
            yield Demand(TaxonomyTest(TaxonomyRelation.DIRECT, instance, pattern.object), TRUE)
        elif (
            isinstance(pattern.object, Variable) and pattern.object in roles and isinstance(pattern.subject, NamedNode)
        ):
            # A literal as a type, which RDF allows, is nobody's ancestor.
            yield Demand(TaxonomyTest(TaxonomyRelation.ANCESTOR_OF, pattern.object, pattern.subject), TRUE)
