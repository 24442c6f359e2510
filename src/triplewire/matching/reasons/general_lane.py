"""Reasons in the general lane: the fewest quads and axioms with which the query still has the solution.

An evaluation says what the solutions are, not how it came to them. So parts of the event are taken away, large ones
first, as long as the solution is there without them; then axioms of the taxonomy. What is left makes the solution,
whatever the query: it was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.algebra.derivations import Derivation
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView, Row
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.matches import Solution
from triplewire.matching.reasons.statements import reason
from triplewire.rdf.terms import RDFS, TW, NamedNode, Term
from triplewire.wire.reasons import UNKNOWN, Reason

T = TypeVar("T")

_RELATIONS = {TW[relation.value]: relation for relation in TaxonomyRelation}
_CLASS = RDFS["Class"]
# What it costs to ask, beside what each quad costs.
_ASKED = 20


class GeneralReasons:
    """Looks for the reasons of solutions of one query on one event. What it asks is taken from the budget."""

    def __init__(self, plan: GeneralPlan, view: EventView, steps: int, budget: Budget) -> None:
        self._plan = plan
        self._view = view
        self._steps = steps
        self._budget = budget
        self._calls = tuple(_taxonomy_calls(plan.query.tree))
        # Where the query does not ask it, nobody has to hand it around.
        self._taxonomy = view.taxonomy.restricted(_terms(view, plan.query.tree)) if self._calls else EMPTY

    def of(self, solutions: Iterable[Solution]) -> list[Reason]:
        """A reason for each; copies of a solution get the same one."""
        known: dict[frozenset[tuple[str, Term]], Reason] = {}
        reasons = []
        for solution in solutions:
            key = frozenset(solution.items())
            if key not in known:
                known[key] = self._reason(key)
            reasons.append(known[key])
        return reasons

    def _reason(self, wanted: frozenset[tuple[str, Term]]) -> Reason:
        declared = [axiom for axiom in self._taxonomy.triples if axiom.object == _CLASS]
        try:
            if not self._has(wanted, self._view.rows, self._taxonomy):
                # It depends on the time, on chance, or on what the taxonomy says about terms that are computed.
                return UNKNOWN
        except BudgetExceeded:
            return UNKNOWN
        rows, are_few = shrunk(self._view.rows, lambda some: self._has(wanted, some, self._taxonomy))
        axioms, are_needed = shrunk(
            [axiom for axiom in self._taxonomy.triples if axiom.object != _CLASS],
            lambda some: self._has(wanted, rows, Taxonomy.from_triples([*declared, *some])),
        )
        view = self._viewed(rows, Taxonomy.from_triples([*declared, *axioms]))
        return reason(view.rows, self._derivations(view), view, truncated=not (are_few and are_needed))

    def _has(self, wanted: frozenset[tuple[str, Term]], rows: Sequence[Row], taxonomy: Taxonomy) -> bool:
        self._budget.spend(len(rows) + _ASKED)
        answer = self._plan.answer(self._viewed(rows, taxonomy), self._steps)
        return answer is not None and any(wanted == frozenset(row.items()) for row in answer.solutions)

    def _viewed(self, rows: Sequence[Row], taxonomy: Taxonomy) -> EventView:
        return EventView(self._view.graph, rows, taxonomy)

    def _derivations(self, view: EventView) -> Iterator[Derivation]:
        """What the query may have asked the taxonomy, and got yes for."""
        terms = dict.fromkeys(_terms(view, self._plan.query.tree))
        left = {str(axiom) for axiom in view.taxonomy.triples if axiom.object != _CLASS}
        asked = [(relation, cls) for relation, cls in self._calls if isinstance(cls, NamedNode)]
        for derived in (*_held(view, terms, asked), *_held(view, terms, _anything(view.taxonomy))):
            # What needs no axiom, or only those that others need as well, was maybe never asked.
            used = {str(axiom) for axiom in derived.axioms}
            if used & left:
                left -= used
                yield derived


def shrunk(parts: Sequence[T], suffices: Callable[[Sequence[T]], bool]) -> tuple[Sequence[T], bool]:
    """What is enough of the parts, none of which can be left out; False with it if the budget was used up before.

    Pieces are left out, half of all first, one by one in the end.

    >>> shrunk("abcdefgh", lambda some: {"c", "g"} <= set(some))
    (('c', 'g'), True)
    """
    size = max(1, len(parts) // 2)
    while parts:
        at = 0
        while at < len(parts):
            rest = (*parts[:at], *parts[at + size :])
            try:
                is_enough = suffices(rest)
            except BudgetExceeded:
                return parts, False
            parts, at = (rest, at) if is_enough else (parts, at + size)
        if size == 1:
            break
        size //= 2
    return parts, True


def _held(
    view: EventView, terms: Iterable[Term], asked: Sequence[tuple[TaxonomyRelation, NamedNode]]
) -> Iterator[Derivation]:
    for relation, cls in asked:
        for term in terms:
            derived = view.taxonomy.derivation(relation, term, cls, view.types)
            if derived is not None:
                yield derived


def _anything(taxonomy: Taxonomy) -> list[tuple[TaxonomyRelation, NamedNode]]:
    """For calls whose class is computed."""
    return [(TaxonomyRelation.IS_A, cls) for cls in sorted(taxonomy.nodes, key=str)]


def _taxonomy_calls(tree: object) -> Iterator[tuple[TaxonomyRelation, object]]:
    for call in walk(tree):
        if isinstance(call, ast.FunctionCall) and call.function in _RELATIONS and len(call.arguments) > 1:
            yield _RELATIONS[call.function], call.arguments[1]


def _terms(view: EventView, tree: object) -> Iterator[Term]:
    """Every term that the taxonomy may be asked about, but for those that are computed."""
    for row in view.rows:
        yield from row
    yield view.graph
    yield from (node for node in walk(tree) if isinstance(node, NamedNode))
