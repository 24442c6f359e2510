"""Rewriting: a chain under way in one event, with what its quads so far have bound.

A core is followed in the order of its text. A condition is tested as soon as its variables are bound, save those of
the taxonomy: what they ask of the event is known only when all of it is there. What no later step asks for is
dropped, so that two ways to bind what is still needed are one rewriting.

>>> from triplewire.algebra.queries import cores_of
>>> from triplewire.algebra.subscriptions import Subscription
>>> s = Subscription.parse("ASK { ?x <urn:p> ?y . ?y <urn:q> ?z FILTER(?z > 1) }")
>>> [chain] = map(chain_of, cores_of(s.query))
>>> first = chain.begin(NamedNode("urn:event"))
>>> second = chain.extend(first, (NamedNode("urn:a"), NamedNode("urn:p"), NamedNode("urn:b")))
>>> [str(term) for term in chain.key(second)]
['<urn:b>', '<urn:q>', 'None']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from triplewire.algebra.constraints import Constraint, TaxonomyTest, variables_in
from triplewire.algebra.evaluation import met
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.chains.steps import Decidable, Step, decidable_after, fixed_terms, in_text_order, steps_of
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import Key, Row
from triplewire.matching.evaluation.join import extended, key_under
from triplewire.rdf.terms import NamedNode, Term

# What a core without patterns asks of an event: a quad, any.
_ANY = Pattern(Variable("_:subject"), Variable("_:predicate"), Variable("_:object"))


class RowView(Protocol):
    """The rows of an event, found by what is known of them."""

    def matching(self, key: Key) -> Sequence[Row]: ...


class Rewriting(Struct, frozen=True):
    """How far a chain has come in an event: steps taken, what they bound, alternatives of the constraint still open."""

    depth: int
    binding: tuple[tuple[Variable, Term], ...]
    open: tuple[int, ...]


class Chain(Struct, frozen=True):
    """A core as steps. `graph` is what the event must be called, if the core says so."""

    steps: tuple[Step, ...]
    graphs: tuple[Variable | NamedNode, ...]
    fixed: tuple[tuple[Variable, Term], ...]
    decidable: tuple[Decidable, ...]
    needed: tuple[tuple[Variable, ...], ...]

    @property
    def graph(self) -> Term | None:
        fixed = dict(self.fixed)
        named = (fixed.get(graph) if isinstance(graph, Variable) else graph for graph in self.graphs)
        return next((name for name in named if name is not None), None)

    @property
    def first_key(self) -> Key:
        """What the first step wants of a quad, before anything of an event is known."""
        return key_under(self.steps[0].pattern, dict(self.fixed))

    def begin(self, graph: NamedNode) -> Rewriting | None:
        """The chain before its first step in an event of this name; None if no such event can satisfy it."""
        binding = dict(self.fixed)
        for name in self.graphs:
            wanted = binding.setdefault(name, graph) if isinstance(name, Variable) else name
            if wanted != graph:
                return None
        alternatives = tuple(range(len(self.decidable[0])))
        return self._checked(0, alternatives, binding)

    def key(self, rewriting: Rewriting) -> Key:
        """What the next step wants of a quad."""
        return key_under(self.steps[rewriting.depth].pattern, dict(rewriting.binding))

    def extend(self, rewriting: Rewriting, row: Row) -> Rewriting | None:
        """One step further by a quad; None if it does not fit."""
        wanted = self.key(rewriting)
        if any(term is not None and term != found for term, found in zip(wanted, row, strict=True)):
            return None
        return self._extended(rewriting, row)

    def is_complete(self, rewriting: Rewriting) -> bool:
        return rewriting.depth == len(self.steps)

    def completes(self, start: Rewriting, view: RowView, budget: Budget) -> bool:
        """Whether the quads of a whole event lead to the end. Raises BudgetExceeded when that takes too much work."""
        waiting, seen = [start], {start}
        while waiting:
            rewriting = waiting.pop()
            if self.is_complete(rewriting):
                return True
            rows = view.matching(self.key(rewriting))
            budget.spend(len(rows))
            further = {found for row in rows if (found := self._extended(rewriting, row)) is not None} - seen
            seen |= further
            waiting.extend(further)
        return False

    def _extended(self, rewriting: Rewriting, row: Row) -> Rewriting | None:
        """One step further by a quad that has what the step wants."""
        found = extended(self.steps[rewriting.depth].pattern, row, dict(rewriting.binding))
        return None if found is None else self._checked(rewriting.depth + 1, rewriting.open, found)

    def _checked(self, depth: int, alternatives: tuple[int, ...], binding: Mapping[Variable, Term]) -> Rewriting | None:
        decidable = self.decidable[depth]
        still = tuple([n for n in alternatives if all(met(condition, binding) for condition in decidable[n])])
        kept = tuple([(name, binding[name]) for name in self.needed[depth] if name in binding])
        return Rewriting(depth, kept, still) if still else None


def chain_of(core: Core) -> Chain:
    """A core as a chain, in the order of its text."""
    fixed = {v: term for v, term in fixed_terms(core.constraint).items() if v in core.variables}
    graph_variables = [graph for graph in core.graphs if isinstance(graph, Variable)]
    steps = steps_of(in_text_order(core) or (_ANY,), [*fixed, *graph_variables])
    patterns = [step.pattern for step in steps]
    decidable = decidable_after(patterns, _without_taxonomy(core.constraint), [*fixed, *graph_variables])
    return Chain(steps, core.graphs, tuple(fixed.items()), decidable, _needed(steps, decidable))


def _needed(steps: tuple[Step, ...], decidable: tuple[Decidable, ...]) -> tuple[tuple[Variable, ...], ...]:
    """For each depth, what later steps or conditions ask for, in the order of names."""
    asked = [frozenset(v for conditions in row for c in conditions for v in variables_in(c.test)) for row in decidable]
    by_steps = [steps[0].needed.union(steps[0].pattern.variables), *(step.needed for step in steps)]
    return tuple(tuple(sorted(names.union(*asked[depth + 1 :]))) for depth, names in enumerate(by_steps))


def _without_taxonomy(constraint: Constraint) -> Constraint:
    return Constraint(
        tuple(
            tuple(condition for condition in alternative if not isinstance(condition.test, TaxonomyTest))
            for alternative in constraint.alternatives
        )
    )
