"""Containment mappings: the ways in which one query's patterns fit into another's.

A homomorphism sends each pattern of the wider query onto a pattern of the narrower one. Where a constant meets a
variable, or a variable that stands for a constant already meets another one, it does not give up: it notes that the
two must be the same term, and leaves it to the refutation to show that they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.reasoning.demands import TRUE, Demand, Identity
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.situations import Role, Situation
from triplewire.rdf.terms import Literal, NamedNode

# More mappings than this between two queries are not looked at: a missing one can only turn a yes into a no.
MOST = 256


class Homomorphism(Struct, frozen=True):
    """Where each variable goes, and which identities that takes."""

    mapping: Mapping[Variable, PatternTerm]
    identities: frozenset[Demand]


EMPTY = Homomorphism({}, frozenset())


def homomorphisms(
    patterns: Sequence[Pattern],
    relevant: AbstractSet[Variable],
    situation: Situation,
    start: Homomorphism,
    effort: Effort,
) -> list[Homomorphism]:
    """The ways to send the patterns into the situation that differ in where they send the relevant variables.

    `start` holds what is sent already.
    """
    if not effort.spend(len(patterns) * len(situation.patterns)):
        return []
    fits = {pattern: _fitting(pattern, situation) for pattern in patterns}
    order = _connected(fits, start)
    found: dict[Hashable, Homomorphism] = {}
    for homomorphism in _extensions(_plan(order, fits, relevant), situation, start, effort):
        key = frozenset(item for item in homomorphism.mapping.items() if item[0] in relevant)
        found.setdefault((key, homomorphism.identities), homomorphism)
        if len(found) == MOST:
            break
    return list(found.values())


def sent(
    homomorphism: Homomorphism, pairs: Sequence[tuple[PatternTerm, PatternTerm]], situation: Situation
) -> Homomorphism | None:
    """The homomorphism extended so that each first term goes to the second; None if it cannot."""
    mapping = dict(homomorphism.mapping)
    identities = set(homomorphism.identities)
    for ours, theirs in pairs:
        meets = mapping.setdefault(ours, theirs) if isinstance(ours, Variable) else ours
        if meets == theirs:
            continue
        identity = _identity(meets, theirs, situation)
        if identity is None:
            return None
        identities.add(identity)
    return Homomorphism(mapping, frozenset(identities))


class _Step(Struct, frozen=True):
    """A pattern to send, where it may go, and whether one way is as good as another."""

    pattern: Pattern
    targets: tuple[Pattern, ...]
    indifferent: bool


def _connected(fits: Mapping[Pattern, Sequence[Pattern]], start: Homomorphism) -> list[Pattern]:
    """The patterns in an order that stays with variables sent already, the fewest choices first."""
    known = set(start.mapping)
    remaining = list(fits)
    order: list[Pattern] = []
    while remaining:
        best = min(remaining, key=lambda pattern: (known.isdisjoint(pattern.variables), len(fits[pattern])))
        remaining.remove(best)
        order.append(best)
        known.update(best.variables)
    return order


def _plan(
    order: Sequence[Pattern], fits: Mapping[Pattern, tuple[Pattern, ...]], relevant: AbstractSet[Variable]
) -> list[_Step]:
    uses = Counter(variable for pattern in order for variable in pattern.variables)
    known: set[Variable] = set()
    plan = []
    for pattern in order:
        new = set(pattern.variables) - known
        plan.append(_Step(pattern, fits[pattern], all(uses[v] == 1 and v not in relevant for v in new)))
        known |= new
    return plan


def _extensions(
    plan: Sequence[_Step], situation: Situation, start: Homomorphism, effort: Effort
) -> Iterator[Homomorphism]:
    # An explicit stack: a query may have more patterns than Python has frames.
    waiting = [(0, start)]
    while waiting:
        depth, homomorphism = waiting.pop()
        if depth == len(plan):
            yield homomorphism
            continue
        if not effort.spend(len(plan[depth].targets) + 1):
            return
        waiting.extend((depth + 1, extended) for extended in reversed(_step(plan[depth], homomorphism, situation)))


def _step(step: _Step, homomorphism: Homomorphism, situation: Situation) -> list[Homomorphism]:
    ways = []
    for target in step.targets:
        extended = sent(homomorphism, tuple(zip(step.pattern, target, strict=True)), situation)
        if extended is None:
            continue
        if step.indifferent and extended.identities == homomorphism.identities:
            return [extended]
        ways.append(extended)
    return ways


def without_counterpart(patterns: Sequence[Pattern], situation: Situation) -> Pattern | None:
    """A pattern that fits nowhere at all, if there is one."""
    return next((pattern for pattern in patterns if not _fitting(pattern, situation)), None)


def _fitting(pattern: Pattern, situation: Situation) -> tuple[Pattern, ...]:
    return tuple(target for target in situation.patterns if _fits(pattern, target, situation))


def _fits(pattern: Pattern, target: Pattern, situation: Situation) -> bool:
    """Whether each constant meets itself, or a variable that may be it."""
    for ours, theirs in zip(pattern, target, strict=True):
        if isinstance(ours, Variable) or ours == theirs:
            continue
        if not isinstance(theirs, Variable) or not _may_be(ours, situation.role(theirs)):
            return False
    return True


def _identity(a: PatternTerm, b: PatternTerm, situation: Situation) -> Demand | None:
    """What it takes for two different terms to be the same: one is a variable that may be the other, a constant."""
    if isinstance(a, Variable) == isinstance(b, Variable):
        return None
    variable, constant = (a, b) if isinstance(a, Variable) else (b, a)
    if not isinstance(variable, Variable) or isinstance(constant, Variable):
        return None
    return Demand(Identity(variable, constant), TRUE) if _may_be(constant, situation.role(variable)) else None


def _may_be(constant: PatternTerm, role: Role) -> bool:
    if role is Role.IRI:
        return isinstance(constant, NamedNode)
    return role is Role.ANY or not isinstance(constant, Literal)
