"""All the ways in which a core matches one event.

Patterns are taken most selective first, and where possible next to a variable that is bound already. A condition is
tested as soon as its variables are bound; an alternative of the constraint that fails is not looked at again, and a
binding with no alternative left goes no further. Terms are compared by identity.

The event's triples are a set, so each assignment of the core's variables appears once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from triplewire.algebra.evaluation import met
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.chains.steps import Decidable, decidable_after
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView, Key, Row
from triplewire.rdf.terms import Term

Binding = dict[Variable, Term]


class JoinPlan(Struct, frozen=True):
    """The order of a core's patterns on one event. `decidable[n]` can be decided once n patterns are matched."""

    patterns: tuple[Pattern, ...]
    decidable: tuple[Decidable, ...]


class _Partial(Struct, frozen=True):
    """A binding under way: how many patterns it has matched, and which alternatives it may still satisfy."""

    depth: int
    binding: Binding
    alive: tuple[int, ...]


def solutions(core: Core, view: EventView, budget: Budget) -> Iterator[Binding]:
    """Every binding under which the event satisfies the core. Raises BudgetExceeded when that takes too much work."""
    start = bound_to_graph(core, view)
    if start is None:
        return
    plan = planned(core, view, start)
    alternatives = tuple(range(len(core.constraint.alternatives)))
    waiting = list(_checked([start], 0, alternatives, plan, view))
    while waiting:
        partial = waiting.pop()
        if partial.depth == len(plan.patterns):
            yield partial.binding
            continue
        found = extensions(plan.patterns[partial.depth], partial.binding, view)
        budget.spend(len(found))
        further = _checked(found, partial.depth + 1, partial.alive, plan, view)
        waiting.extend(reversed(list(further)))


def constant_keys(core: Core) -> tuple[Key, ...]:
    """What each pattern fixes by itself. Where the event has nothing under one of them, planning a join is a waste."""
    return tuple(dict.fromkeys(key_under(pattern, {}) for pattern in core.patterns))


def bound_to_graph(core: Core, view: EventView) -> Binding | None:
    """The core's graph variables bound to the event's IRI; nothing if it names a graph that the event is not."""
    if any(graph != view.graph for graph in core.graphs if not isinstance(graph, Variable)):
        return None
    return {graph: view.graph for graph in core.graphs if isinstance(graph, Variable)}


def extensions(pattern: Pattern, binding: Binding, view: EventView) -> list[Binding]:
    """The binding, extended by each triple that the pattern matches under it."""
    candidates = view.matching(key_under(pattern, binding))
    return [found for row in candidates if (found := extended(pattern, row, binding)) is not None]


def extended(pattern: Pattern, row: Row, binding: Binding) -> Binding | None:
    """The binding, extended by a triple that has what the pattern fixes; None if its variables say otherwise."""
    found = dict(binding)
    for wanted, term in zip(pattern, row, strict=True):
        if isinstance(wanted, Variable) and found.setdefault(wanted, term) != term:
            return None
    return found


def key_under(pattern: Pattern, binding: Mapping[Variable, Term]) -> Key:
    """What the pattern fixes, given a binding."""
    subject, predicate, obj = (_fixed(term, binding) for term in pattern)
    return subject, predicate, obj


def planned(core: Core, view: EventView, start: Mapping[Variable, Term]) -> JoinPlan:
    """Choose the order of the patterns, and with it when each condition can be decided."""
    order = _ordered(core.patterns, view, start)
    return JoinPlan(order, decidable_after(order, core.constraint, start))


def _checked(
    bindings: list[Binding], depth: int, alive: tuple[int, ...], plan: JoinPlan, view: EventView
) -> Iterator[_Partial]:
    decidable = plan.decidable[depth]
    for binding in bindings:
        still = tuple(n for n in alive if all(met(c, binding, view.taxonomy, view.types) for c in decidable[n]))
        if still:
            yield _Partial(depth, binding, still)


def _fixed(term: PatternTerm, binding: Mapping[Variable, Term]) -> Term | None:
    return binding.get(term) if isinstance(term, Variable) else term


def _ordered(patterns: tuple[Pattern, ...], view: EventView, start: Mapping[Variable, Term]) -> tuple[Pattern, ...]:
    counts = {pattern: len(view.matching(key_under(pattern, start))) for pattern in patterns}
    remaining = list(dict.fromkeys(patterns))
    known = set(start)
    order: list[Pattern] = []
    while remaining:
        best = min(remaining, key=lambda pattern: (_disconnected(pattern, known, order), counts[pattern]))
        remaining.remove(best)
        order.append(best)
        known.update(best.variables)
    return tuple(order)


def _disconnected(pattern: Pattern, known: set[Variable], order: list[Pattern]) -> bool:
    return bool(order) and bool(pattern.variables) and known.isdisjoint(pattern.variables)
